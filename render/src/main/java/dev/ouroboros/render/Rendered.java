package dev.ouroboros.render;

import dev.ouroboros.model.asset.Asset;
import dev.ouroboros.render.cluster.ClusterSpec;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A cluster's assets in memory. Paths are relative to the directory whose keys they were made with.
 *
 * @param assets all of them, in the order of their paths
 * @param different assets that the directory lacks, or has with another content
 * @param obsolete manifests of the directory that are not part of the cluster any more
 * @param edited those of the different and obsolete ones that a person edited
 * @param reissued why certificates were issued again, by path
 */
public record Rendered(
        ClusterSpec cluster,
        List<Asset> assets,
        List<String> different,
        List<String> obsolete,
        List<String> edited,
        SortedMap<String, String> reissued) {
    public Rendered {
        assets = List.copyOf(assets);
        different = List.copyOf(different);
        obsolete = List.copyOf(obsolete);
        edited = List.copyOf(edited);
        reissued = new TreeMap<>(reissued);
    }

    /** Whether the directory differs from what was rendered. */
    public boolean differs() {
        return !different.isEmpty() || !obsolete.isEmpty();
    }
}
