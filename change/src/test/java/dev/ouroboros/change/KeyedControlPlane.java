package dev.ouroboros.change;

import static dev.ouroboros.change.FakeCluster.json;

import dev.ouroboros.model.asset.HashedName;
import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.MountedFile;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureDriver;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.render.pki.Pem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A control plane whose templates mount keys from Secrets, and the asset directory that has a copy of them. */
final class KeyedControlPlane {
    static final String SECRETS = "/api/v1/namespaces/kube-system/secrets/";
    static final String AGGREGATION = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
    private static final String PUBLISHED = "requestheader-client-ca-file";
    static final String MANAGER = "/apis/apps/v1/namespaces/kube-system/deployments/kube-controller-manager";
    /** With one key, {@code key1}. */
    static final String ENCRYPTION = """
            resources:
            - resources:
              - secrets
              providers:
              - aescbc:
                  keys:
                  - name: key1
                    secret: MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=
              - identity: {}
            """;

    private static final String AUTHORITY = "our authority\n";
    private static final String SETTLED =
            "{'observedGeneration': 1, 'desiredNumberScheduled': 1, 'updatedNumberScheduled': 1, 'numberReady': 1,"
                    + " 'replicas': 1, 'updatedReplicas': 1, 'availableReplicas': 1}";

    final FakeCluster cluster = new FakeCluster();
    final Path assets;
    InstantSource clock = InstantSource.system();

    private KeyedControlPlane(Path assets) throws IOException {
        this.assets = assets;
        Files.createDirectories(assets.resolve("tls"));
        write("ca.crt", AUTHORITY);
    }

    /** Its API server encrypts Secrets in etcd. */
    static KeyedControlPlane encrypting(Path assets) throws IOException {
        KeyedControlPlane made = new KeyedControlPlane(assets);
        made.cluster.lists.put(
                "/api/v1",
                json("{'resources': [{'name': 'secrets', 'namespaced': true, 'verbs': ['get', 'list', 'update']}]}"));
        made.secret("kube-apiserver", "'encryption.yaml': '" + base64(ENCRYPTION) + "'");
        made.workload(
                FakeCluster.DAEMON_SET,
                "DaemonSet",
                "kube-apiserver",
                "'--encryption-provider-config=/etc/k/encryption.yaml'");
        made.write("encryption-config.yaml", ENCRYPTION);
        return made;
    }

    /**
     * It signs ServiceAccount tokens.
     *
     * @param privateKey in PEM
     * @param publicKey in PEM
     */
    static KeyedControlPlane signing(Path assets, String privateKey, String publicKey) throws IOException {
        KeyedControlPlane made = new KeyedControlPlane(assets);
        made.secret("kube-apiserver", "'sa.key': '" + base64(privateKey) + "', 'sa.pub': '" + base64(publicKey) + "'");
        made.secret("kube-controller-manager", "'sa.key': '" + base64(privateKey) + "'");
        made.workload(
                FakeCluster.DAEMON_SET,
                "DaemonSet",
                "kube-apiserver",
                "'--service-account-signing-key-file=/etc/k/sa.key', '--service-account-key-file=/etc/k/sa.pub'");
        made.workload(
                MANAGER, "Deployment", "kube-controller-manager", "'--service-account-private-key-file=/etc/k/sa.key'");
        made.write("service-account.key", privateKey);
        made.write("service-account.pub", publicKey);
        return made;
    }

    /** Its API server shows aggregated ones a certificate of this authority, and tells them, once it runs with another template, of all authorities that it ever trusted. */
    static KeyedControlPlane frontProxying(
            Path assets, Credential authority, Credential leaf, X509Certificate... others) throws IOException {
        KeyedControlPlane made = new KeyedControlPlane(assets);
        made.secret(
                "kube-apiserver",
                made.entry(
                                "front-proxy-ca.crt",
                                Stream.concat(Stream.of(authority.certificate()), Stream.of(others))
                                        .map(Pem::of)
                                        .collect(Collectors.joining()))
                        + ", "
                        + made.entry("front-proxy-client.crt", Pem.of(leaf.certificate())) + ", "
                        + made.entry("front-proxy-client.key", Pem.of(leaf.privateKey())));
        made.write("front-proxy-ca.key", Pem.of(authority.privateKey()));
        made.workload(
                FakeCluster.DAEMON_SET,
                "DaemonSet",
                "kube-apiserver",
                "'--client-ca-file=/etc/k/ca.crt', '--requestheader-client-ca-file=/etc/k/front-proxy-ca.crt',"
                        + " '--proxy-client-cert-file=/etc/k/front-proxy-client.crt',"
                        + " '--proxy-client-key-file=/etc/k/front-proxy-client.key'");
        made.cluster.put(
                AGGREGATION,
                json("{'metadata': {'name': 'extension-apiserver-authentication'}, 'data': {'client-ca-file': 'x'}}"));
        String before = made.mountedBy(FakeCluster.DAEMON_SET);
        made.render();
        made.cluster.objects.remove(SECRETS + before);
        made.publishAll();
        made.cluster.carriedOut = made::publishAll;
        return made;
    }

    private String entry(String file, String text) throws IOException {
        write(file, text);
        return "'" + file + "': '" + base64(text) + "'";
    }

    /** As API servers do, which never take out what has not ended. */
    private void publishAll() {
        Json.Fields map = (Json.Fields) cluster.read(AGGREGATION);
        Json.Fields data = (Json.Fields) map.at("data");
        String all = Stream.concat(
                        Pem.certificates(data.at(PUBLISHED).text().orElse("")),
                        Pem.certificates(mounted(FakeCluster.DAEMON_SET, "front-proxy-ca.crt")))
                .distinct()
                .map(Pem::of)
                .collect(Collectors.joining());
        cluster.put(AGGREGATION, map.with("data", data.with(PUBLISHED, Json.text(all))));
    }

    /** Whom aggregated API servers believe. */
    List<X509Certificate> published() {
        return Pem.certificates(
                        cluster.read(AGGREGATION).at("data", PUBLISHED).text().orElse(""))
                .toList();
    }

    private void write(String file, String text) throws IOException {
        Files.writeString(assets.resolve("tls").resolve(file), text);
    }

    /** Gives the API server's template what its asset directory says, in a Secret that is named by its content. */
    void render() throws IOException {
        SortedMap<String, String> texts = new TreeMap<>();
        for (String file :
                List.of("ca.crt", "front-proxy-ca.crt", "front-proxy-client.crt", "front-proxy-client.key")) {
            texts.put(file, outside(file));
        }
        Json.Fields data = Json.object();
        for (Map.Entry<String, String> text : texts.entrySet()) {
            data = data.with(text.getKey(), Json.text(base64(text.getValue())));
        }
        String name = HashedName.of("kube-apiserver", texts);
        cluster.put(
                SECRETS + name,
                ((Json.Fields) json("{'metadata': {'namespace': 'kube-system', 'name': '" + name + "'}}"))
                        .with("data", data));
        cluster.put(
                FakeCluster.DAEMON_SET,
                MountedFile.withSecret(cluster.read(FakeCluster.DAEMON_SET), mountedBy(FakeCluster.DAEMON_SET), name));
    }

    private void secret(String component, String data) {
        String name = component + "-0123456789";
        cluster.put(
                SECRETS + name,
                json("{'metadata': {'namespace': 'kube-system', 'name': '" + name + "'}, 'data': {'ca.crt': '"
                        + base64(AUTHORITY) + "', " + data + "}}"));
    }

    private void workload(String path, String kind, String name, String flags) {
        cluster.put(
                path,
                json("{'kind': '" + kind + "', 'metadata': {'namespace': 'kube-system', 'name': '" + name
                        + "', 'generation': 1}, 'spec': {'template': {'spec': {'containers': [{'name': '" + name
                        + "', 'command': ['" + name + "', " + flags
                        + "], 'volumeMounts': [{'name': 's', 'mountPath': '/etc/k'}]}],"
                        + " 'volumes': [{'name': 's', 'secret': {'secretName': '" + name
                        + "-0123456789'}}]}}}, 'status': " + SETTLED + "}"));
    }

    static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** What the pods of a workload's template mount. */
    String mounted(String workload, String key) {
        String text = cluster.read(SECRETS + mountedBy(workload))
                .at("data", key)
                .text()
                .orElseThrow();
        return new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8);
    }

    private String mountedBy(String workload) {
        return cluster.read(workload)
                .at("spec", "template", "spec", "volumes")
                .items()
                .getFirst()
                .at("secret", "secretName")
                .text()
                .orElseThrow();
    }

    /** A file of the asset directory's {@code tls}. */
    String outside(String file) throws IOException {
        return Files.readString(assets.resolve("tls").resolve(file));
    }

    /** The data of the Secret that the API server's template mounts. */
    Json secret() {
        return cluster.read(SECRETS + mountedBy(FakeCluster.DAEMON_SET)).at("data");
    }

    KeyRotations rotations(ProcedureListener listener, Patience patience, ProcedureDriver driver) {
        return rotations(Optional.of(assets), listener, patience, driver);
    }

    KeyRotations rotations(
            Optional<Path> directory, ProcedureListener listener, Patience patience, ProcedureDriver driver) {
        return new KeyRotations(
                cluster,
                directory.map(path -> new AssetCopy(new LocalDisk(), path)),
                listener,
                new SecureRandom(),
                patience,
                driver,
                clock);
    }
}
