package dev.ouroboros.cli.snapshot;

import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.snapshot.Snapshot;
import dev.ouroboros.snapshot.encryption.EncryptionConfiguration;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Which file, and the keys to it. */
public final class SnapshotOptions {
    @Parameters(
            index = "0",
            paramLabel = "FILE",
            description =
                    "A snapshot (etcdctl snapshot save), or member/snap/db of a data directory whose etcd does not run.")
    private Path file = Path.of("");

    @Option(
            names = "--encryption-config",
            paramLabel = "FILE",
            description = "The API server's EncryptionConfiguration, for what is encrypted at rest.")
    private Optional<Path> encryptionConfig = Optional.empty();

    @Option(
            names = "--salvage",
            description = {
                "Of a file whose meta pages, root page or branch pages are lost, read what its other pages still hold.",
                "Objects may be older than they were, or deleted since; what is known of that is reported."
            })
    private boolean salvage;

    public Snapshot open() {
        return salvage ? Snapshot.salvage(file, keys(encryptionConfig)) : open(file, encryptionConfig);
    }

    public static Snapshot open(Path file, Optional<Path> encryptionConfig) {
        return Snapshot.open(file, keys(encryptionConfig));
    }

    public static EncryptionConfiguration keys(Optional<Path> encryptionConfig) {
        return encryptionConfig.map(SnapshotOptions::read).orElseGet(EncryptionConfiguration::none);
    }

    private static EncryptionConfiguration read(Path path) {
        return EncryptionConfiguration.read(encryptionConfig(path), path.toString());
    }

    /** Text of the file. */
    static String encryptionConfig(Path path) {
        return ThisMachine.text(
                path,
                "an EncryptionConfiguration",
                "copy it from the API server's --encryption-provider-config (etcd's snapshot does not have it)");
    }
}
