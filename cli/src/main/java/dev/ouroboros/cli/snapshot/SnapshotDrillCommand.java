package dev.ouroboros.cli.snapshot;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.ouroboros.cli.console.DurationConverter;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.etcd.EtcdNodeOptions;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.etcd.SnapshotDriller;
import dev.ouroboros.etcd.SnapshotDriller.Drill;
import dev.ouroboros.etcd.SnapshotName;
import dev.ouroboros.node.clock.MonotonicClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ouro snapshot drill}. */
@Command(
        name = "drill",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Tries whether a snapshot would bring the cluster back, on a node with a member of etcd: reads all of it, decrypts everything that is encrypted, has etcd's own tool restore it and an etcd serve it,"
                    + " at ports of its own, and compares the key spaces. Nothing that runs is touched, and nothing is left of it.",
            "Killed at any moment, the next one clears away what it left."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:it would",
            "1:it would not, time is up, or it cannot be tried now: another drill, no room",
            "2:bad usage, a key that is missing, a file that is none of etcd's, or a node without a member"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ouro snapshot drill /var/lib/ouroboros/backups/CLUSTER/etcd-20261121T151200Z.db",
            "  ouro exec ouroboros -- ouro snapshot drill FILE    # in a sandbox"
        })
final class SnapshotDrillCommand implements Callable<Integer> {
    private static final double MILLISECONDS = 1_000;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "FILE", description = "The snapshot.")
    private Path file = Path.of("");

    @Option(
            names = "--encryption-config",
            paramLabel = "FILE",
            description =
                    "The API server's EncryptionConfiguration of when the snapshot was taken (default: the file beside the snapshot, FILE.keys.yaml, if there is one).")
    private Optional<Path> encryptionConfig = Optional.empty();

    @Mixin
    private final EtcdNodeOptions node = new EtcdNodeOptions();

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "10m",
            converter = DurationConverter.class,
            description = "How long it may take until the restored etcd serves (default: ${DEFAULT-VALUE}).")
    private Duration timeout = Duration.ofMinutes(10);

    @Mixin
    private final OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        ThisMachine.requireRoot("ouro snapshot drill", "manifests and keys of etcd are root's");
        InstantSource clock = new MonotonicClock(InstantSource.system().instant());
        Path beside = SnapshotName.keysOf(file.toAbsolutePath());
        Optional<Path> keys = encryptionConfig.or(() -> Optional.of(beside)
                .filter(path -> ThisMachine.disk().status(path).isPresent()));
        Drill drill = new SnapshotDriller(ThisMachine.disk(), node.runtime(), clock, new SpokenLines(spec, clock))
                .drill(
                        file,
                        keys.map(SnapshotOptions::encryptionConfig),
                        new SnapshotDriller.Place(node.manifest(), EtcdNodeOptions.state()),
                        timeout);
        output.print(
                spec,
                JsonNodeFactory.instance
                        .objectNode()
                        .put("file", drill.file().toString())
                        .put("bytes", drill.bytes())
                        .put("revision", drill.revision())
                        .put("keys", drill.keys())
                        .put("decrypted", drill.decrypted())
                        .put("seconds", drill.served().toMillis() / MILLISECONDS),
                () -> drill.file() + " would bring the cluster back: " + drill.keys() + " keys at revision "
                        + drill.revision() + " were restored, served and compared in "
                        + drill.served().toSeconds() + " s, " + drill.decrypted() + " encrypted objects decrypted\n");
        return ExitCode.DONE;
    }
}
