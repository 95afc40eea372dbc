package dev.ouroboros.upgrade.plan;

import dev.ouroboros.model.asset.Asset;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.manifest.Manifest;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.render.lint.ManifestFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Manifests of an asset directory as objects. */
public final class ManifestFiles {
    private static final String PREFIX = AssetLayout.MANIFESTS + "/";

    private ManifestFiles() {}

    /** Those of assets that are not written yet. */
    public static List<Manifest> of(List<Asset> assets) {
        List<Manifest> manifests = new ArrayList<>();
        assets.stream()
                .filter(asset -> asset.path().startsWith(PREFIX))
                .forEach(asset -> add(asset.path(), asset.text(), manifests));
        return List.copyOf(manifests);
    }

    /** Those of a directory; unknown when it has none, or one that is no YAML. */
    public static Evidence<List<Manifest>> of(Disk disk, Path directory) {
        List<Manifest> manifests = new ArrayList<>();
        try {
            Path place = directory.resolve(AssetLayout.MANIFESTS);
            for (String name : disk.list(place)) {
                Optional<String> text = disk.readText(place.resolve(name));
                text.ifPresent(content -> add(PREFIX + name, content, manifests));
            }
        } catch (ProblemException e) {
            return Evidence.unknown(e.describe());
        }
        return manifests.isEmpty()
                ? Evidence.unknown(directory + " has no " + PREFIX)
                : Evidence.known(List.copyOf(manifests));
    }

    private static void add(String where, String text, List<Manifest> manifests) {
        ManifestFile.manifests(text, where).forEach(object -> manifests.add(new Manifest(where, object)));
    }
}
