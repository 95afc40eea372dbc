package dev.ouroboros.cli;

import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.Kind;
import dev.ouroboros.core.problem.Problem;
import dev.ouroboros.core.problem.ProblemException;
import java.io.PrintWriter;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The {@code ouro} command line: wires the modules together, maps outcomes to exit codes, and prints. */
@Command(
        name = Ouro.NAME,
        description = "Self-hosted Kubernetes that people dare to run.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            UpCommand.class,
            DownCommand.class,
            RebootCommand.class,
            ExecCommand.class,
            NodesCommand.class,
            KubeconfigCommand.class,
            RenderCommand.class,
            StartCommand.class,
            ImagesCommand.class,
            ProbeCommand.class,
            LintCommand.class,
            DoctorCommand.class,
            HostCommand.class,
            SnapshotCommand.class,
            RecoverCommand.class,
            StatusCommand.class,
            ExplainCommand.class,
            ChangeCommand.class,
            UpgradeCommand.class,
            DiffCommand.class,
            CompletionCommand.class,
            KeeperCommand.class,
            KeeperRuntimeCommand.class,
            TrainCommand.class,
            CommandLine.HelpCommand.class
        })
public final class Ouro implements Runnable {
    static final String NAME = "ouro";

    public static final int EXIT_DONE = 0;
    public static final int EXIT_FAILED = 1;
    public static final int EXIT_USAGE = 2;
    public static final int EXIT_FINDINGS = 3;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before run().
    private CommandSpec spec;

    private Ouro() {}

    public static void main(String[] arguments) {
        // Scripts ask for the version often; reading the annotations of every command takes longer than all the rest.
        if (arguments.length == 1 && (arguments[0].equals("--version") || arguments[0].equals("-V"))) {
            System.out.println(Version.text());
            return;
        }
        System.exit(commandLine(arguments).execute(arguments));
    }

    /**
     * The command line that understands these arguments. Reading the annotations of every command takes longer than most of them
     * run: when the first argument names one, only that one is read.
     */
    static CommandLine commandLine(String... arguments) {
        CommandLine commandLine = Stream.of(arguments)
                .limit(1)
                .flatMap(Ouro::commandNamed)
                .findFirst()
                .map(command -> new CommandLine(CommandSpec.create().name(NAME)).addSubcommand(command))
                .orElseGet(() -> new CommandLine(new Ouro()));
        // The daemon reads its flags itself, as it does where there is no picocli.
        commandLine
                .getSubcommands()
                .getOrDefault("keeper", new CommandLine(CommandSpec.create()))
                .setUnmatchedOptionsArePositionalParams(true);
        commandLine.setParameterExceptionHandler(Ouro::refuse);
        commandLine.setExecutionExceptionHandler(Ouro::report);
        commandLine.setExitCodeExceptionMapper(Ouro::exitCodeOf);
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        return commandLine;
    }

    /** Help needs all of them. */
    private static Stream<Class<?>> commandNamed(String name) {
        return Stream.<Class<?>>of(Ouro.class.getAnnotation(Command.class).subcommands())
                .filter(command -> command != CommandLine.HelpCommand.class)
                .filter(command -> command.getAnnotation(Command.class).name().equals(name));
    }

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** What cannot be understood as a command, in one line as every error: the whole help would hide it. */
    private static int refuse(CommandLine.ParameterException exception, String[] arguments) {
        CommandLine command = exception.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        List<String> meant =
                exception instanceof UnmatchedArgumentException unmatched ? unmatched.getSuggestions() : List.of();
        String help = "'" + name + " --help' shows what it takes";
        print(
                new Problem(
                        ErrorCode.BAD_USAGE,
                        name,
                        String.valueOf(exception.getMessage()),
                        "",
                        meant.isEmpty() ? help : "did you mean " + String.join(" or ", meant) + "? " + help),
                command.getErr());
        command.getErr().flush();
        return EXIT_USAGE;
    }

    private static void print(Problem problem, PrintWriter err) {
        err.println("error " + problem.code() + ": " + problem.describe());
    }

    private static int report(Exception exception, CommandLine commandLine, CommandLine.ParseResult parsed) {
        PrintWriter err = commandLine.getErr();
        if (exception instanceof ProblemException problems) {
            problems.problems().forEach(problem -> print(problem, err));
        } else {
            err.println("error INTERNAL: this is a defect in ouro, please report it with what follows");
            exception.printStackTrace(err);
        }
        if (System.getenv("OURO_STACKTRACE") != null && exception instanceof ProblemException) {
            exception.printStackTrace(err);
        }
        err.flush();
        return exitCodeOf(exception);
    }

    private static int exitCodeOf(Throwable failure) {
        if (failure instanceof ProblemException problems) {
            List<Problem> all = problems.problems();
            return all.stream().allMatch(problem -> problem.code().kind() == Kind.USER) ? EXIT_USAGE : EXIT_FAILED;
        }
        return failure instanceof CommandLine.ParameterException ? EXIT_USAGE : EXIT_FAILED;
    }
}
