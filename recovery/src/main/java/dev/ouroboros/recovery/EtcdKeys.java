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
import dev.ouroboros.render.pki.Issuer;
import dev.ouroboros.render.pki.Pem;
import dev.ouroboros.render.pki.Profile;
import java.net.URI;
import java.security.KeyPair;
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
    private static final List<String> ALL = Stream.concat(
                    CLIENT_FILES.stream(),
                    Stream.of(
                            AssetLayout.ETCD_CA_KEY,
                            AssetLayout.ETCD_SERVER_CERTIFICATE,
                            AssetLayout.ETCD_SERVER_KEY,
                            AssetLayout.ETCD_SERVER_CA_CERTIFICATE,
                            AssetLayout.ETCD_PEER_CERTIFICATE,
                            AssetLayout.ETCD_PEER_KEY,
                            AssetLayout.ETCD_PEER_CA_CERTIFICATE))
            .toList();

    /** Keys that a recovery made before; empty when one of them is missing. */
    static Optional<EtcdKeys> existing(Map<String, String> directory) {
        SortedMap<String, String> files = new TreeMap<>(directory);
        files.keySet().retainAll(ALL);
        return files.size() == ALL.size() ? Optional.of(new EtcdKeys(files)) : Optional.empty();
    }

    /** @param servers the API server's {@code --etcd-servers}, for whose hosts the certificates are */
    static EtcdKeys issue(Issuer issuer, List<String> servers) {
        SortedMap<String, String> files = new TreeMap<>();
        Credential authority = issuer.newAuthority("etcd-ca", "recovered");
        List<AlternativeName> names = Stream.concat(
                        servers.stream()
                                .map(server -> String.valueOf(URI.create(server).getHost())),
                        Stream.of("localhost", "127.0.0.1"))
                .flatMap(host -> AlternativeName.ofHost(host).stream())
                .distinct()
                .toList();
        leaf(
                files,
                issuer,
                authority,
                AssetLayout.ETCD_SERVER_CERTIFICATE,
                AssetLayout.ETCD_SERVER_KEY,
                Profile.server("etcd-server", names, Profile.Usage.SERVER, Profile.Usage.CLIENT));
        leaf(
                files,
                issuer,
                authority,
                AssetLayout.ETCD_PEER_CERTIFICATE,
                AssetLayout.ETCD_PEER_KEY,
                Profile.server("etcd-peer", names, Profile.Usage.SERVER, Profile.Usage.CLIENT));
        leaf(
                files,
                issuer,
                authority,
                AssetLayout.ETCD_CLIENT_CERTIFICATE,
                AssetLayout.ETCD_CLIENT_KEY,
                Profile.client("etcd-client"));
        files.put(AssetLayout.ETCD_CA_KEY, Pem.of(authority.privateKey()));
        String certificate = Pem.of(authority.certificate());
        for (String path : List.of(
                AssetLayout.ETCD_CA_CERTIFICATE,
                AssetLayout.ETCD_SERVER_CA_CERTIFICATE,
                AssetLayout.ETCD_PEER_CA_CERTIFICATE)) {
            files.put(path, certificate);
        }
        return new EtcdKeys(files);
    }

    private static void leaf(
            SortedMap<String, String> files,
            Issuer issuer,
            Credential authority,
            String certificatePath,
            String keyPath,
            Profile profile) {
        KeyPair keys = issuer.newKeys();
        files.put(certificatePath, Pem.of(issuer.issue(authority, profile, keys.getPublic())));
        files.put(keyPath, Pem.of(keys.getPrivate()));
    }

    /**
     * The cluster with an API server that uses these keys.
     *
     * @throws ProblemException UNSUPPORTED_CLUSTER when the API server does not read its keys for etcd from one Secret
     */
    ClusterObjects in(ClusterObjects objects) {
        List<RecoveredWorkload> workloads = new ArrayList<>();
        Map<ApiObject, Json.Fields> contents = new HashMap<>(objects.contents());
        for (RecoveredWorkload workload : objects.workloads()) {
            workloads.add(workload.component() == Component.API_SERVER ? changed(workload, contents) : workload);
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
