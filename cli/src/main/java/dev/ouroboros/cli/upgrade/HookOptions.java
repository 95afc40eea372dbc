package dev.ouroboros.cli.upgrade;

import dev.ouroboros.upgrade.apply.Hooks;
import java.nio.file.Path;
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
            description = {
                "Run by the shell when the cluster is at its target. Whoever goes on with an upgrade that was interrupted gives it again,"
                        + " and --post-job."
            })
    private Optional<String> after = Optional.empty();

    @Option(names = "--pre-job", paramLabel = "FILE", description = "A Job that must complete, after --pre-hook.")
    private Optional<Path> jobBefore = Optional.empty();

    @Option(names = "--post-job", paramLabel = "FILE", description = "A Job that must complete, after --post-hook.")
    private Optional<Path> jobAfter = Optional.empty();

    Hooks.Asked before() {
        return new Hooks.Asked(before, jobBefore);
    }

    Hooks.Asked after() {
        return new Hooks.Asked(after, jobAfter);
    }
}
