package dev.ouroboros.recovery;

import dev.ouroboros.model.checkpoint.Checkpoint;
import dev.ouroboros.model.component.Component;
import java.net.URI;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
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
 * @param controlPlane what the bootstrap manifests were made of
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
        Map<Component, Checkpoint> controlPlane,
        List<String> notes) {
    public RecoveredCluster {
        files = files.stream().sorted(Comparator.comparing(AssetFile::path)).toList();
        etcdServers = List.copyOf(etcdServers);
        images = new TreeSet<>(images);
        nodes = List.copyOf(nodes);
        controlPlane = Collections.unmodifiableSortedMap(new TreeMap<>(controlPlane));
        notes = List.copyOf(notes);
    }
}
