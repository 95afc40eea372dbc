package dev.ouroboros.steward;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.cluster.Metadata;
import dev.ouroboros.cluster.NodeObjects;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.StewardObjects;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.EtcdServersFlag;
import dev.ouroboros.model.manifest.InternalAddresses;
import dev.ouroboros.model.manifest.MountedFile;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.steward.decide.ControlPlaneObject;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

/** What the API says that the steward needs to know. */
final class WishSource {
    static final ApiPath OBJECT =
            ApiPath.of(StewardObjects.API_VERSION, StewardObjects.RESOURCE).named(StewardObjects.NAME);

    private static final String SYSTEM = "kube-system";
    private static final String ENCRYPTION = "encryption-provider-config";

    private final Api api;
    private final ClusterGuard guard;
    private final String nodeRole;
    private final AtomicReference<List<String>> etcdServers = new AtomicReference<>(List.of());

    WishSource(Api api, ClusterGuard guard, String nodeRole) {
        this.api = api;
        this.guard = guard;
        this.nodeRole = nodeRole;
    }

    /**
     * What was seen in one look.
     *
     * @param id UID of the cluster's namespace kube-system
     * @param object empty when there is none: then nothing is wished
     * @param nodes control-plane nodes by name, with their addresses
     * @param ready names of those that are ready
     * @param etcdServers URLs at which the API servers look for etcd
     * @param isRolledOut whether every API server does, and none still has the template of before
     * @param encryptionConfig text of the API servers' EncryptionConfiguration, if they have one; unknown where it is in no Secret, or no snapshot is to be saved
     */
    record Seen(
            String id,
            Optional<ControlPlaneObject> object,
            SortedMap<String, Set<String>> nodes,
            Set<String> ready,
            List<String> etcdServers,
            boolean isRolledOut,
            Evidence<Optional<String>> encryptionConfig) {
        Seen {
            nodes = Collections.unmodifiableSortedMap(new TreeMap<>(nodes));
            ready = Set.copyOf(ready);
            etcdServers = List.copyOf(etcdServers);
        }
    }

    /**
     * Looks.
     *
     * @throws ApiException when one of the questions has no answer
     * @throws ProblemException UNSUPPORTED_CLUSTER when the API servers' flags cannot be read
     */
    Seen look() throws ApiException {
        guard.require();
        String id = api.get(ApiPath.core("namespaces").named(SYSTEM))
                .at("metadata", "uid")
                .text()
                .orElse("");
        Optional<ControlPlaneObject> object = api.find(OBJECT).map(ControlPlaneObject::new);
        List<Json> nodes = api.get(ApiPath.core("nodes").with("labelSelector", nodeRole))
                .at("items")
                .items();
        Json server = api.get(ApiPath.of("apps/v1", SYSTEM, "daemonsets").named(Component.API_SERVER.id()));
        etcdServers.set(EtcdServersFlag.of(server));
        return new Seen(
                id,
                object,
                addresses(nodes),
                nodes.stream().filter(NodeObjects::isReady).map(Metadata::name).collect(Collectors.toSet()),
                etcdServers.get(),
                isRolledOut(server),
                object.flatMap(ControlPlaneObject::backup).isPresent()
                        ? encryptionConfig(server)
                        : Evidence.unknown("no snapshot is to be saved"));
    }

    /** Whether every API server is of the DaemonSet's present template, by the DaemonSet's own status. */
    private static boolean isRolledOut(Json daemonSet) {
        Json status = daemonSet.at("status");
        OptionalLong wanted = status.at("desiredNumberScheduled").integer();
        return status.at("observedGeneration").equals(daemonSet.at("metadata", "generation"))
                && wanted.isPresent()
                && status.at("updatedNumberScheduled").integer().equals(wanted)
                && status.at("numberAvailable").integer().equals(wanted);
    }

    /** URLs at which the API servers looked for etcd when they were last seen; none before the first look. */
    List<String> etcdServers() {
        return etcdServers.get();
    }

    private static SortedMap<String, Set<String>> addresses(List<Json> nodes) {
        SortedMap<String, Set<String>> addresses = new TreeMap<>();
        nodes.forEach(node ->
                addresses.put(Metadata.name(node), InternalAddresses.of(node).collect(Collectors.toSet())));
        return addresses;
    }

    private Evidence<Optional<String>> encryptionConfig(Json server) throws ApiException {
        List<MountedFile> files;
        try {
            files = MountedFile.all(server, Component.API_SERVER, ENCRYPTION);
        } catch (ProblemException e) {
            return Evidence.unknown(e.problems().getFirst().describe());
        }
        if (files.isEmpty()) {
            return Evidence.known(Optional.empty());
        }
        MountedFile file = files.getLast();
        Json secret;
        try {
            secret = api.get(ApiPath.core(SYSTEM, "secrets").named(file.secret()));
        } catch (ApiException e) {
            if (e.kind() == ApiException.Kind.NOT_FOUND || e.kind() == ApiException.Kind.FORBIDDEN) {
                // Snapshots are saved without the keys, and each says so.
                return Evidence.unknown(String.valueOf(e.getMessage()));
            }
            throw e;
        }
        return secret.at("data", file.key())
                .text()
                .map(encoded -> Evidence.known(
                        Optional.of(new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8))))
                .orElseGet(() -> Evidence.unknown("Secret " + file.secret() + " has no " + file.key()));
    }
}
