package dev.ouroboros.render;

import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.node.disk.Disk;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Keeps an asset directory's manifests aside, and gives them back. Keys, certificates and kubeconfigs are not given back: what was rotated since is
 * what the cluster uses.
 */
public final class FormerManifests {
    private static final List<String> DIRECTORIES = List.of(AssetLayout.MANIFESTS, AssetLayout.BOOTSTRAP_MANIFESTS);

    private final Disk disk;

    public FormerManifests(Disk disk) {
        this.disk = disk;
    }

    /** Copies the manifests, with render's ledger of what it wrote, to an empty directory. */
    public void keep(Path assets, Path aside) {
        for (String directory : DIRECTORIES) {
            List<String> names = disk.list(assets.resolve(directory));
            disk.createDirectories(aside.resolve(directory), Disk.OWNER_ONLY_DIRECTORY);
            names.forEach(name -> disk.copy(
                    assets.resolve(directory).resolve(name),
                    aside.resolve(directory).resolve(name),
                    Disk.OWNER_ONLY_FILE));
        }
        disk.readText(assets.resolve(AssetLayout.LEDGER)).ifPresent(text -> writeLedger(aside, text));
    }

    /** Puts the kept manifests in the place of an asset directory's own. This may be killed at any instruction and done again. */
    public void giveBack(Path aside, Path assets) {
        if (disk.list(aside.resolve(AssetLayout.MANIFESTS)).isEmpty()) {
            throw new IllegalArgumentException("no manifests were kept in " + aside);
        }
        Ledger now = ledger(assets);
        Ledger then = ledger(aside);
        SortedMap<String, Set<String>> hashes = new TreeMap<>(now.hashes());
        hashes.keySet().removeIf(FormerManifests::isManifest);
        then.hashes().forEach((path, values) -> {
            if (isManifest(path)) {
                hashes.put(path, values);
            }
        });
        Ledger next = new Ledger(true, hashes);
        writeLedger(assets, now.during(next).json());
        for (String directory : DIRECTORIES) {
            copyBack(aside.resolve(directory), assets.resolve(directory));
        }
        writeLedger(assets, next.json());
    }

    private void copyBack(Path aside, Path directory) {
        List<String> kept = disk.list(aside);
        for (String name : kept) {
            String text = disk.readText(aside.resolve(name)).orElseThrow();
            if (!disk.readText(directory.resolve(name)).equals(Optional.of(text))) {
                disk.write(directory.resolve(name), text.getBytes(StandardCharsets.UTF_8), Disk.OWNER_ONLY_FILE);
            }
        }
        disk.list(directory).stream()
                .filter(name -> !kept.contains(name))
                .forEach(name -> disk.delete(directory.resolve(name)));
    }

    private Ledger ledger(Path directory) {
        Path file = directory.resolve(AssetLayout.LEDGER);
        return disk.readText(file)
                .map(text -> Ledger.parse(text, file.toString()))
                .orElseGet(Ledger::empty);
    }

    private void writeLedger(Path directory, String text) {
        Path file = directory.resolve(AssetLayout.LEDGER);
        disk.createDirectories(directory.resolve(".ouroboros"), Disk.OWNER_ONLY_DIRECTORY);
        disk.write(file, text.getBytes(StandardCharsets.UTF_8), "rw-r--r--");
    }

    private static boolean isManifest(String path) {
        return DIRECTORIES.stream().anyMatch(directory -> path.startsWith(directory + "/"));
    }
}
