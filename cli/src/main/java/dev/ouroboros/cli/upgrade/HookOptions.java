package dev.ouroboros.cli.upgrade;

import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.upgrade.apply.ApplyApi;
import dev.ouroboros.upgrade.apply.ApplyListener;
import dev.ouroboros.upgrade.apply.Hooks;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What people want to be run around an upgrade. */
final class HookOptions {
    @Option(
            names = "--pre-hook",
            paramLabel = "COMMAND",
            description =
                    "Run by the shell after etcd is saved and before anything is changed; if it fails, nothing is.")
    private Optional<String> before = Optional.empty();

    @Option(
            names = "--post-hook",
            paramLabel = "COMMAND",
            description = "Run by the shell when the cluster is at its target.")
    private Optional<String> after = Optional.empty();

    @Option(names = "--pre-job", paramLabel = "FILE", description = "A Job that must complete, after --pre-hook.")
    private Optional<Path> jobBefore = Optional.empty();

    @Option(names = "--post-job", paramLabel = "FILE", description = "A Job that must complete, after --post-hook.")
    private Optional<Path> jobAfter = Optional.empty();

    Hooks hooks(
            Disk disk, Processes processes, ApplyApi api, ApplyListener listener, Patience patience, Duration limit) {
        return new Hooks(
                new Hooks.Asked(before, jobBefore),
                new Hooks.Asked(after, jobAfter),
                disk,
                processes,
                api,
                listener,
                patience,
                limit);
    }
}
