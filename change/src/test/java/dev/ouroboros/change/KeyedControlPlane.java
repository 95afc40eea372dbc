package dev.ouroboros.change;

import static dev.ouroboros.change.FakeCluster.json;

import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureDriver;
import dev.ouroboros.node.procedure.ProcedureListener;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Optional;

/** A control plane whose templates mount keys from Secrets, and the asset directory that has a copy of them. */
final class KeyedControlPlane {
    static final String SECRETS = "/api/v1/namespaces/kube-system/secrets/";
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

    private void write(String file, String text) throws IOException {
        Files.writeString(assets.resolve("tls").resolve(file), text);
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
        String name = cluster.read(workload)
                .at("spec", "template", "spec", "volumes")
                .items()
                .getFirst()
                .at("secret", "secretName")
                .text()
                .orElseThrow();
        String text = cluster.read(SECRETS + name).at("data", key).text().orElseThrow();
        return new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8);
    }

    /** A file of the asset directory's {@code tls}. */
    String outside(String file) throws IOException {
        return Files.readString(assets.resolve("tls").resolve(file));
    }

    KeyRotations rotations(ProcedureListener listener, Patience patience, ProcedureDriver driver) {
        return new KeyRotations(
                cluster,
                Optional.of(new AssetCopy(new LocalDisk(), assets)),
                listener,
                new SecureRandom(),
                patience,
                driver,
                InstantSource.system());
    }
}
