package dev.ouroboros.render;

import dev.ouroboros.render.cluster.ClusterSpec;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a run of render did. Paths are relative to the directory.
 *
 * @param written files that are new or differ from before
 * @param unchanged files that were right already
 * @param removed manifests of an earlier run that are not part of the cluster any more
 * @param reissued why certificates were issued again, by path
 * @param keepOutside files without which a lost cluster cannot be recovered
 * @param firstExpiry when the first certificate ends, and which
 * @param advice what else a person should know
 */
public record RenderReport(
        ClusterSpec cluster,
        Path directory,
        List<String> written,
        List<String> unchanged,
        List<String> removed,
        SortedMap<String, String> reissued,
        List<String> keepOutside,
        Expiry firstExpiry,
        List<String> advice) {
    /** End of a certificate. */
    public record Expiry(String path, Instant at) {}

    public RenderReport {
        written = List.copyOf(written);
        unchanged = List.copyOf(unchanged);
        removed = List.copyOf(removed);
        reissued = new TreeMap<>(reissued);
        keepOutside = List.copyOf(keepOutside);
        advice = List.copyOf(advice);
    }
}
