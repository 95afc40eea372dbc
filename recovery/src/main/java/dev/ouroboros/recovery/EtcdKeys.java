package dev.ouroboros.recovery;

import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.checkpoint.ApiObject;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.MountedFile;
import dev.ouroboros.model.manifest.SecretFiles;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.render.cluster.AlternativeName;
import dev.ouroboros.render.pki.Fitness;
import dev.ouroboros.render.pki.Issuer;
import dev.ouroboros.render.pki.Pem;
import dev.ouroboros.render.pki.Profile;
import java.net.URI;
import java.security.KeyPair;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * New keys for etcd. The keys of etcd's servers and of its CA are in no object of the cluster: when etcd's machine is lost, they are too.
 * So there is a new CA, with a new client certificate for the API server in a new Secret, as after any change of the API server's files.
 *
 * @param files below {@code tls/}, under the names that render gives them, by path
 */
record EtcdKeys(SortedMap<String, String> files) {
    private static final List<String> FLAGS = List.of("etcd-cafile", "etcd-certfile", "etcd-keyfile");
    private static final List<String> CLIENT_FILES =
            List.of(AssetLayout.ETCD_CA_CERTIFICATE, AssetLayout.ETCD_CLIENT_CERTIFICATE, AssetLayout.ETCD_CLIENT_KEY);
    /**
     * Those that an earlier recovery made, as far as they are good: its authority, and each leaf that says what it must, and for some time yet. What is not is made anew.
     *
     * @param directory of the earlier one
     * @param servers the API server's {@code --etcd-servers}, for whose hosts the certificates are
     */
    static EtcdKeys of(Map<String, String> directory, Issuer issuer, List<String> servers, Instant now) {
        SortedMap<String, String> files = new TreeMap<>();
        Optional<Credential> kept = credential(directory, AssetLayout.ETCD_CA_CERTIFICATE, AssetLayout.ETCD_CA_KEY)
                .filter(known -> Fitness.refuseAuthority(known, now).isEmpty());
        Credential authority = kept.orElseGet(() -> issuer.newAuthority("etcd-ca", "recovered"));
        files.put(
                AssetLayout.ETCD_CA_KEY,
                kept.map(_ -> directory.getOrDefault(AssetLayout.ETCD_CA_KEY, ""))
                        .orElseGet(() -> Pem.of(authority.privateKey())));
        String certificate = Pem.of(authority.certificate());
        for (String path : List.of(
                AssetLayout.ETCD_CA_CERTIFICATE,
                AssetLayout.ETCD_SERVER_CA_CERTIFICATE,
                AssetLayout.ETCD_PEER_CA_CERTIFICATE)) {
            files.put(path, certificate);
        }
        for (Leaf leaf : leaves(servers)) {
            boolean isGood = credential(directory, leaf.certificate(), leaf.key())
                    .filter(known -> Fitness.outdated(known.certificate(), authority, leaf.profile(), now)
                            .isEmpty())
                    .isPresent();
            if (isGood) {
                files.put(leaf.certificate(), directory.getOrDefault(leaf.certificate(), ""));
                files.put(leaf.key(), directory.getOrDefault(leaf.key(), ""));
            } else {
                files.putAll(leaf.issue(issuer, authority));
            }
        }
        return new EtcdKeys(files);
    }

    private static Optional<Credential> credential(Map<String, String> directory, String certificate, String key) {
        return Pem.credential(directory.getOrDefault(certificate, ""), directory.getOrDefault(key, ""));
    }

    /**
     * One that etcd, or its client, shows.
     *
     * @param certificate path of its file
     * @param key path of its file
     */
    private record Leaf(String certificate, String key, Profile profile) {
        Map<String, String> issue(Issuer issuer, Credential authority) {
            KeyPair keys = issuer.newKeys();
            return Map.of(
                    certificate,
                    Pem.of(issuer.issue(authority, profile, keys.getPublic())),
                    key,
                    Pem.of(keys.getPrivate()));
        }
    }

    private static List<Leaf> leaves(List<String> servers) {
        List<AlternativeName> names = Stream.concat(
                        servers.stream()
                                .map(server -> String.valueOf(URI.create(server).getHost())),
                        Stream.of("localhost", "127.0.0.1"))
                .flatMap(host -> AlternativeName.ofHost(host).stream())
                .distinct()
                .toList();
        return List.of(
                new Leaf(
                        AssetLayout.ETCD_SERVER_CERTIFICATE,
                        AssetLayout.ETCD_SERVER_KEY,
                        Profile.server("etcd-server", names, Profile.Usage.SERVER, Profile.Usage.CLIENT)),
                new Leaf(
                        AssetLayout.ETCD_PEER_CERTIFICATE,
                        AssetLayout.ETCD_PEER_KEY,
                        Profile.server("etcd-peer", names, Profile.Usage.SERVER, Profile.Usage.CLIENT)),
                new Leaf(
                        AssetLayout.ETCD_CLIENT_CERTIFICATE,
                        AssetLayout.ETCD_CLIENT_KEY,
                        Profile.client("etcd-client")));
    }

    /**
     * The cluster with an API server that uses these keys.
     *
     * @param server which one it is: another one may be another cluster's
     * @throws ProblemException UNSUPPORTED_CLUSTER when the API server does not read its keys for etcd from one Secret
     */
    ClusterObjects in(ClusterObjects objects, RecoveredWorkload server) {
        List<RecoveredWorkload> workloads = new ArrayList<>();
        Map<ApiObject, Json.Fields> contents = new HashMap<>(objects.contents());
        for (RecoveredWorkload workload : objects.workloads()) {
            workloads.add(workload.equals(server) ? changed(workload, contents) : workload);
        }
        return new ClusterObjects(
                objects.origin(),
                workloads,
                contents,
                new HashSet<>(objects.forgotten()),
                objects.accounts(),
                objects.kubeconfigs(),
                objects.nodes(),
                objects.problems(),
                objects.damage());
    }

    private RecoveredWorkload changed(RecoveredWorkload workload, Map<ApiObject, Json.Fields> contents) {
        Map<String, String> changed = new HashMap<>();
        String secret = "";
        for (int at = 0; at < FLAGS.size(); at++) {
            MountedFile file = MountedFile.one(workload.object(), Component.API_SERVER, FLAGS.get(at));
            if (!secret.isEmpty() && !secret.equals(file.secret())) {
                throw refused(
                        workload,
                        "--" + FLAGS.get(at) + " is of Secret " + file.secret() + ", other flags' files of " + secret);
            }
            secret = file.secret();
            changed.put(file.key(), files.getOrDefault(CLIENT_FILES.get(at), ""));
        }
        ApiObject reference = new ApiObject(ApiObject.Kind.SECRET, workload.namespace(), secret);
        Json.Fields old = contents.get(reference);
        if (old == null) {
            throw new IllegalStateException("the parts of the cluster were made without " + reference);
        }
        SecretFiles made = new SecretFiles(old).with(changed);
        if (!(made.object() instanceof Json.Fields object)) {
            throw new IllegalStateException("a Secret is an object");
        }
        contents.put(new ApiObject(ApiObject.Kind.SECRET, workload.namespace(), made.name()), object);
        return new RecoveredWorkload(
                workload.component(),
                MountedFile.withSecret(workload.object(), secret, made.name()),
                workload.deleted());
    }

    private static ProblemException refused(RecoveredWorkload workload, String what) {
        return new ProblemException(new Problem(
                ErrorCode.UNSUPPORTED_CLUSTER,
                workload.path(),
                what,
                "one Secret volume with the API server's keys for etcd",
                "recover without new keys for etcd, and give your etcd certificates that this cluster trusts"));
    }

    /** Does not print the keys. */
    @Override
    public String toString() {
        return "keys of etcd: " + files.keySet();
    }
}
