package dev.ouroboros.cli.host;

import dev.ouroboros.cli.console.DurationConverter;
import dev.ouroboros.cli.console.Question;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.host.HostTree;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** Which host, and who is asked before it is changed: what {@code prepare} and {@code reset} have in common. */
final class HostOptions {
    @Option(
            names = "--root",
            paramLabel = "DIR",
            description = "The root directory of a disk that another machine will boot from; nothing is started.")
    private Path root = Path.of("/");

    @Option(names = "--dry-run", description = "Print what would be done, and do nothing.")
    private boolean dryRun;

    @Option(
            names = {"-y", "--yes"},
            description = "Do not ask.")
    private boolean yes;

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            defaultValue = "5m",
            converter = DurationConverter.class,
            description = "How long one step may take, as a service or etcd that starts (default: ${DEFAULT-VALUE}).")
    private Duration timeout = Duration.ofMinutes(5);

    Duration timeout() {
        return timeout;
    }

    boolean dryRun() {
        return dryRun;
    }

    HostTree tree() {
        return new HostTree(ThisMachine.disk(), root);
    }

    /** @throws ProblemException MISSING_PERMISSION, or NOT_FOUND when there is no such disk */
    void require(HostTree tree) {
        ThisMachine.requireRoot("ouro host", "changes a machine");
        if (!tree.isThisMachine() && tree.disk().status(tree.root()).isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.NOT_FOUND,
                    "--root",
                    root + " does not exist",
                    "a directory",
                    "mount that machine's disk there first, or leave --root out to change this machine");
        }
    }

    /**
     * Says what is going to be done, and whether to go on.
     *
     * @throws ProblemException BAD_USAGE when nobody can be asked
     */
    boolean agreed(String text, CommandSpec spec) {
        PrintWriter err = spec.commandLine().getErr();
        err.print(text);
        err.flush();
        boolean agreed = yes || Question.ask("ouro host", "Do this", err);
        if (!agreed) {
            err.println("nothing was changed");
            err.flush();
        }
        return agreed;
    }
}
