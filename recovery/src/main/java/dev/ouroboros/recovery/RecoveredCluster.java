package dev.ouroboros.recovery;

import java.net.URI;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What came of a recovery.
 *
 * @param files of the asset directory, in the order of their paths
 * @param server the API endpoint
 * @param etcdServers where the API server looks for etcd
 * @param serviceRange {@code --service-cluster-ip-range}
 * @param version of the API server, by the tag of its image
 * @param images that the control plane runs
 * @param nodes names of the cluster's nodes
 * @param notes what a person should know
 */
public record RecoveredCluster(
        List<AssetFile> files,
        URI server,
        List<String> etcdServers,
        String serviceRange,
        Optional<String> version,
        SortedSet<String> images,
        List<String> nodes,
        List<String> notes) {
    public RecoveredCluster {
        files = files.stream().sorted(Comparator.comparing(AssetFile::path)).toList();
        etcdServers = List.copyOf(etcdServers);
        images = new TreeSet<>(images);
        nodes = List.copyOf(nodes);
        notes = List.copyOf(notes);
    }
}
