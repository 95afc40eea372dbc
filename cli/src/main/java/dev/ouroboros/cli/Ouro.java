package dev.ouroboros.cli;

import dev.ouroboros.cli.assets.LintCommand;
import dev.ouroboros.cli.assets.RecoverCommand;
import dev.ouroboros.cli.assets.RenderCommand;
import dev.ouroboros.cli.build.KeeperRuntimeCommand;
import dev.ouroboros.cli.build.TrainCommand;
import dev.ouroboros.cli.certificates.CertificatesCommand;
import dev.ouroboros.cli.change.ChangeCommand;
import dev.ouroboros.cli.cluster.TargetHints;
import dev.ouroboros.cli.completion.CompletionCommand;
import dev.ouroboros.cli.doctor.DoctorCommand;
import dev.ouroboros.cli.etcd.EtcdCommand;
import dev.ouroboros.cli.host.HostCommand;
import dev.ouroboros.cli.images.ImagesCommand;
import dev.ouroboros.cli.keeper.KeeperCommand;
import dev.ouroboros.cli.kubelet.KubeletCommand;
import dev.ouroboros.cli.probe.ProbeCommand;
import dev.ouroboros.cli.program.CommandName;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.WholeProgram;
import dev.ouroboros.cli.sandbox.DownCommand;
import dev.ouroboros.cli.sandbox.ExecCommand;
import dev.ouroboros.cli.sandbox.KubeconfigCommand;
import dev.ouroboros.cli.sandbox.NetCommand;
import dev.ouroboros.cli.sandbox.NodeCommand;
import dev.ouroboros.cli.sandbox.NodesCommand;
import dev.ouroboros.cli.sandbox.RebootCommand;
import dev.ouroboros.cli.sandbox.UpCommand;
import dev.ouroboros.cli.snapshot.SnapshotCommand;
import dev.ouroboros.cli.start.StartCommand;
import dev.ouroboros.cli.status.EndpointsCommand;
import dev.ouroboros.cli.status.ExplainCommand;
import dev.ouroboros.cli.status.StatusCommand;
import dev.ouroboros.cli.token.TokenCommand;
import dev.ouroboros.cli.upgrade.DiffCommand;
import dev.ouroboros.cli.upgrade.UpgradeCommand;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Kind;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The {@code ouro} command line: wires the modules together, maps outcomes to exit codes, and prints. */
@Command(
        name = WholeProgram.NAME,
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
            NodeCommand.class,
            NetCommand.class,
            KubeconfigCommand.class,
            RenderCommand.class,
            StartCommand.class,
            ImagesCommand.class,
            ProbeCommand.class,
            LintCommand.class,
            DoctorCommand.class,
            HostCommand.class,
            TokenCommand.class,
            SnapshotCommand.class,
            EtcdCommand.class,
            KubeletCommand.class,
            RecoverCommand.class,
            StatusCommand.class,
            ExplainCommand.class,
            EndpointsCommand.class,
            ChangeCommand.class,
            CertificatesCommand.class,
            UpgradeCommand.class,
            DiffCommand.class,
            CompletionCommand.class,
            KeeperCommand.class,
            KeeperRuntimeCommand.class,
            TrainCommand.class,
            CommandLine.HelpCommand.class
        })
public final class Ouro implements Runnable, WholeProgram {
    /** A damaged file may have hundreds of problems; of mistakes in input all are printed. */
    private static final int MOST_DAMAGES = 10;
    /** Wide enough for examples: a narrower terminal wraps them itself, and a copy of them has no line break. */
    private static final int HELP_WIDTH = 120;

    private static final Set<String> HELP = Set.of("--help", "-h", "help");

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before run().
    private CommandSpec spec;

    private Ouro() {}

    public static void main(String[] arguments) {
        // Scripts ask for the version often, and to read the annotations of every command takes longer than all the
        // rest.
        if (arguments.length == 1 && (arguments[0].equals("--version") || arguments[0].equals("-V"))) {
            System.out.println(Version.text());
            return;
        }
        CommandLine commandLine = commandLine(arguments);
        CommandName name = CommandName.ofThisProcess(commandLine.getCommandSpec());
        commandLine.setErr(name.printing(commandLine.getErr()));
        if (Stream.of(arguments).anyMatch(HELP::contains)) {
            commandLine.setOut(name.printing(commandLine.getOut()));
        }
        System.exit(commandLine.execute(arguments));
    }

    /**
     * The command line for these arguments. To read the annotations of every command takes longer than most commands run: when the first argument
     * names a command, only that one is read.
     */
    static CommandLine commandLine(String... arguments) {
        CommandLine commandLine = Stream.of(arguments)
                .limit(1)
                .flatMap(Ouro::commandNamed)
                .findFirst()
                .map(command -> new CommandLine(
                                CommandSpec.wrapWithoutInspection(new Ouro()).name(NAME))
                        .addSubcommand(command))
                .orElseGet(() -> new CommandLine(new Ouro()));
        // The daemon reads its flags itself, as it does in its image, which has no picocli.
        commandLine
                .getSubcommands()
                .getOrDefault("keeper", new CommandLine(CommandSpec.create()))
                .setUnmatchedOptionsArePositionalParams(true);
        commandLine.setParameterExceptionHandler(Ouro::refuse);
        commandLine.setExecutionExceptionHandler(Ouro::report);
        commandLine.setExitCodeExceptionMapper(Ouro::exitCodeOf);
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.setUsageHelpWidth(HELP_WIDTH);
        return commandLine;
    }

    /** The classes of the command of this name; all of them for help. */
    private static Stream<Class<?>> commandNamed(String name) {
        return Stream.<Class<?>>of(Ouro.class.getAnnotation(Command.class).subcommands())
                .filter(command -> command != CommandLine.HelpCommand.class)
                .filter(command -> command.getAnnotation(Command.class).name().equals(name));
    }

    @Override
    public CommandLine commandLineOf(String... arguments) {
        return commandLine(arguments);
    }

    @Override
    public boolean hasCommand(String name) {
        return commandNamed(name).findAny().isPresent();
    }

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** Reports arguments that are no command, in one line as every error: the whole help would hide it. */
    private static int refuse(CommandLine.ParameterException exception, String[] arguments) {
        CommandLine command = exception.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        List<String> meant =
                exception instanceof UnmatchedArgumentException unmatched ? unmatched.getSuggestions() : List.of();
        String help = "'" + name + " --help' shows what it takes";
        Problem problem = WrongChoice.of(exception, help)
                .orElseGet(() -> new Problem(
                        ErrorCode.BAD_USAGE,
                        name,
                        said(exception),
                        "",
                        meant.isEmpty() ? help : "did you mean " + String.join(" or ", meant) + "? " + help));
        print(problem.code(), problem.describe(), command.getErr());
        command.getErr().flush();
        return ExitCode.USAGE;
    }

    /** picocli's message, without the word that it puts in front of messages about groups. */
    private static String said(CommandLine.ParameterException exception) {
        return String.valueOf(exception.getMessage()).replaceFirst("^Error: ", "");
    }

    private static void print(ErrorCode code, String text, PrintWriter err) {
        err.println("error " + code + ": " + text);
    }

    private static int report(Exception exception, CommandLine commandLine, CommandLine.ParseResult parsed) {
        PrintWriter err = commandLine.getErr();
        if (exception instanceof ProblemException problems) {
            TargetHints hints = TargetHints.of(parsed);
            int damages = 0;
            for (Problem problem : problems.problems()) {
                damages += problem.code() == ErrorCode.DAMAGED_FILE ? 1 : 0;
                if (problem.code() != ErrorCode.DAMAGED_FILE || damages <= MOST_DAMAGES) {
                    print(problem.code(), problem.describe(hints.in(problem.next())), err);
                }
            }
            if (damages > MOST_DAMAGES) {
                print(ErrorCode.DAMAGED_FILE, "and " + (damages - MOST_DAMAGES) + " more places", err);
            }
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
            return all.stream().allMatch(problem -> problem.code().kind() == Kind.USER)
                    ? ExitCode.USAGE
                    : ExitCode.FAILED;
        }
        return failure instanceof CommandLine.ParameterException ? ExitCode.USAGE : ExitCode.FAILED;
    }
}
