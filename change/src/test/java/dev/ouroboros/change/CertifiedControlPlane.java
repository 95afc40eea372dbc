package dev.ouroboros.change;

import static dev.ouroboros.change.FakeCluster.json;

import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureDriver;
import dev.ouroboros.node.testing.SilentListener;
import dev.ouroboros.render.cluster.AlternativeName;
import dev.ouroboros.render.cluster.KeyAlgorithm;
import dev.ouroboros.render.pki.Issuer;
import dev.ouroboros.render.pki.Pem;
import dev.ouroboros.render.pki.Profile;
import dev.ouroboros.render.pki.RenewalPolicy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A control plane whose workloads show certificates of two authorities, of which the cluster has one's key. */
final class CertifiedControlPlane {
    static final Instant BEGIN = Instant.parse("2026-11-29T10:00:00Z");
    static final String MANAGER = "/apis/apps/v1/namespaces/kube-system/deployments/kube-controller-manager";
    static final String SCHEDULER = "/apis/apps/v1/namespaces/kube-system/deployments/kube-scheduler";
    static final String STEWARD = "/apis/apps/v1/namespaces/kube-system/daemonsets/ouroboros-steward";
    static final String AGENT = "/apis/apps/v1/namespaces/kube-system/daemonsets/ouroboros-node-agent";
    private static final String SETTLED =
            "{'observedGeneration': 1, 'desiredNumberScheduled': 1, 'updatedNumberScheduled': 1, 'numberReady': 1,"
                    + " 'replicas': 1, 'updatedReplicas': 1, 'availableReplicas': 1}";

    final FakeCluster cluster = new FakeCluster();
    final SecureRandom random = new SecureRandom();
    private final Issuer issuer = new Issuer(KeyAlgorithm.ECDSA_P256, InstantSource.fixed(BEGIN), random);
    final Credential authority = issuer.newAuthority("kubernetes-ca", "test");
    final Credential frontProxy = issuer.newAuthority("front-proxy-ca", "test");
    Instant now = BEGIN;

    /** Whose front proxy's authority the steward has. */
    static CertifiedControlPlane withSteward() {
        CertifiedControlPlane made = new CertifiedControlPlane();
        made.workload(STEWARD, "DaemonSet", "ouroboros-steward", made.pair("front-proxy-ca", made.frontProxy));
        // All nodes are of the control plane.
        made.workload(
                AGENT,
                "DaemonSet",
                "ouroboros-node-agent",
                Map.of("kubeconfig", kubeconfig(made.leaf(made.authority, Profile.client("node-agent")))));
        made.cluster.put(
                AGENT,
                ((Json.Fields) made.cluster.read(AGENT))
                        .with("status", json("{'observedGeneration': 1, 'desiredNumberScheduled': 0}")));
        return made;
    }

    CertifiedControlPlane() {
        Credential serving = leaf(
                authority,
                Profile.server("kube-apiserver", List.of(new AlternativeName.Dns("kubernetes")), Profile.Usage.SERVER));
        Map<String, String> server = pair("apiserver", serving);
        server.computeIfPresent("apiserver.crt", (_, text) -> text + Pem.of(authority.certificate()));
        server.putAll(pair("front-proxy-client", leaf(frontProxy, Profile.client("front-proxy-client"))));
        server.put("ca.crt", Pem.of(authority.certificate()));
        workload(FakeCluster.DAEMON_SET, "DaemonSet", "kube-apiserver", server);
        Map<String, String> manager = pair("ca", authority);
        manager.put("kubeconfig", kubeconfig(leaf(authority, Profile.client("system:kube-controller-manager"))));
        workload(MANAGER, "Deployment", "kube-controller-manager", manager);
        workload(
                SCHEDULER,
                "Deployment",
                "kube-scheduler",
                Map.of("kubeconfig", asJson(kubeconfig(leaf(authority, Profile.client("system:kube-scheduler"))))));
    }

    Credential leaf(Credential signer, Profile profile) {
        KeyPair keys = issuer.newKeys();
        return new Credential(issuer.issue(signer, profile, keys.getPublic()), keys.getPrivate());
    }

    private Map<String, String> pair(String name, Credential credential) {
        return new TreeMap<>(Map.of(
                name + ".crt", Pem.of(credential.certificate()), name + ".key", Pem.of(credential.privateKey())));
    }

    static String kubeconfig(Credential credential) {
        return "users:\n- name: someone\n  user:\n    client-certificate-data: "
                + base64(Pem.of(credential.certificate())) + "\n    client-key-data: "
                + base64(Pem.of(credential.privateKey())) + "\n";
    }

    /** As the keeper has its own. */
    private static String asJson(String kubeconfig) {
        return kubeconfig
                .replace("users:\n- name: someone\n  user:\n    client", "{\"users\":[{\"user\":{\"client")
                .replaceAll("-data: (\\S+)\n", "-data\":\"$1\",")
                .replaceAll(" +client", "\"client")
                .replaceFirst(",$", "}}]}");
    }

    static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private void workload(String path, String kind, String name, Map<String, String> files) {
        Json.Fields data = Json.object();
        for (Map.Entry<String, String> file : new TreeMap<>(files).entrySet()) {
            data = data.with(file.getKey(), Json.text(base64(file.getValue())));
        }
        Json.Fields secret = (Json.Fields) json(
                "{'immutable': true, 'metadata': {'namespace': 'kube-system', 'name': '" + name + "-0123456789'}}");
        cluster.put("/api/v1/namespaces/kube-system/secrets/" + name + "-0123456789", secret.with("data", data));
        cluster.put(
                path,
                json("{'kind': '" + kind + "', 'metadata': {'namespace': 'kube-system', 'name': '" + name
                        + "', 'generation': 1}, 'spec': {'template': {'spec': {'containers': [{'name': '" + name
                        + "', 'command': ['" + name + "']}], 'volumes': [{'name': 's', 'secret': {'secretName': '"
                        + name
                        + "-0123456789'}}]}}}, 'status': " + SETTLED + "}"));
    }

    /** Files of the Secret that a workload's template mounts. */
    Json mounted(String workload) {
        String name = cluster.read(workload)
                .at("spec", "template", "spec", "volumes")
                .items()
                .getFirst()
                .at("secret", "secretName")
                .text()
                .orElseThrow();
        return cluster.read("/api/v1/namespaces/kube-system/secrets/" + name);
    }

    String file(String workload, String file) {
        return new String(
                Base64.getDecoder()
                        .decode(mounted(workload).at("data", file).text().orElseThrow()),
                StandardCharsets.UTF_8);
    }

    X509Certificate certificate(String workload, String file) {
        return Pem.certificate(file(workload, file)).orElseThrow();
    }

    CertificateRenewal renewal(Optional<Path> assets) {
        Patience patience = new Patience(new SilentListener(), Duration.ofSeconds(2), Duration.ofMillis(10), ticking());
        return renewal(assets, patience, patience);
    }

    /** Time goes on while something is waited for. */
    private InstantSource ticking() {
        Instant begun = InstantSource.system().instant();
        return () -> now.plus(Duration.between(begun, InstantSource.system().instant()));
    }

    InstantSource clock() {
        return () -> now;
    }

    CertificateRenewal renewal(Optional<Path> assets, Patience patience, ProcedureDriver driver) {
        return new CertificateRenewal(
                cluster,
                assets.map(directory -> new AssetCopy(new LocalDisk(), directory)),
                RenewalPolicy.STANDARD,
                new SilentListener(),
                random,
                patience,
                driver,
                clock());
    }
}
