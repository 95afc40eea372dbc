package dev.ouroboros.recovery;

import dev.ouroboros.model.component.Component;
import java.net.URI;
import java.util.Map;
import java.util.Optional;

/**
 * What a person asks of a recovery.
 *
 * @param adminKubeconfig text of an administrator's kubeconfig; empty to make one
 * @param server where clients reach the API; empty for where the cluster's own kubeconfigs lead
 * @param newEtcdKeys whether etcd's own keys were lost with its machine and are to be made anew
 * @param joins whether kubelets are to join with a new bootstrap token
 * @param workloads which one runs a component, as in {@code kube-system/kube-scheduler}, where several do
 * @param existing text files of the directory from an earlier run, by path: what was made then is kept
 */
public record RecoveryRequest(
        Optional<String> adminKubeconfig,
        Optional<URI> server,
        boolean newEtcdKeys,
        boolean joins,
        Map<Component, String> workloads,
        Map<String, String> existing) {
    public RecoveryRequest {
        workloads = Map.copyOf(workloads);
        existing = Map.copyOf(existing);
    }

    /** The same beside these files. */
    RecoveryRequest keeping(Map<String, String> files) {
        return new RecoveryRequest(adminKubeconfig, server, newEtcdKeys, joins, workloads, files);
    }

    /** Does not print the kubeconfig. */
    @Override
    public String toString() {
        return "new etcd keys: " + newEtcdKeys + ", joins: " + joins;
    }
}
