package dev.ouroboros.change;

import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.manifest.SecretFiles;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;

/**
 * The copy of keys in an asset directory. It is written before the cluster uses what is new in it, so that there is no moment at which
 * a key exists in the cluster alone; what would be lost from a file stays beside it, because snapshots of before need it.
 */
final class AssetCopy {
    private static final String PUBLIC = "rw-r--r--";

    private final Disk disk;
    private final Path directory;

    AssetCopy(Disk disk, Path directory) {
        this.disk = disk;
        this.directory = directory;
    }

    /** Ends when the directory is none, or is another cluster's. */
    void require(SecretFiles apiServer) {
        Path certificate = directory.resolve(AssetLayout.CA_CERTIFICATE);
        Optional<String> ours = disk.readText(certificate);
        Optional<String> theirs = apiServer.file(AssetLayout.baseName(AssetLayout.CA_CERTIFICATE));
        if (ours.isEmpty()
                || (theirs.isPresent()
                        && !theirs.get().strip().equals(ours.get().strip()))) {
            throw ProblemException.of(
                    ErrorCode.INVALID_ASSET_DIRECTORY,
                    "--asset-dir " + certificate,
                    ours.isEmpty() ? "there is no such file" : "is of another cluster",
                    "the asset directory that this cluster was started from",
                    "give that directory with --asset-dir, or remove --asset-dir to use what the cluster itself has");
        }
    }

    /**
     * Writes files, each at once.
     *
     * @param texts by asset path
     * @param goal the new key, for the name of what stays
     */
    void write(Map<String, String> texts, String goal) {
        texts.forEach((path, text) -> {
            Path file = directory.resolve(path);
            Optional<String> before = disk.readText(file);
            if (before.isPresent()
                    && !new HashSet<>(text.lines().toList())
                            .containsAll(before.get().lines().toList())) {
                write(directory.resolve(former(path, goal)), before.get());
            }
            if (!before.equals(Optional.of(text))) {
                write(file, text);
            }
        });
    }

    private void write(Path file, String text) {
        String permissions = file.toString().endsWith(".pub") ? PUBLIC : Disk.OWNER_ONLY_FILE;
        disk.write(file, text.getBytes(StandardCharsets.UTF_8), permissions);
    }

    /** As in {@code tls/encryption-config.before-key2.yaml}. */
    static String former(String path, String goal) {
        int dot = path.lastIndexOf('.');
        return path.substring(0, dot) + ".before-" + goal + path.substring(dot);
    }
}
