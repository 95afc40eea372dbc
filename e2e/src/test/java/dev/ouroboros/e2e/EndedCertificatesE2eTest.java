package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ouroboros.node.process.Result;
import dev.ouroboros.sandbox.node.NodeLayout;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** A cluster that was off until everything it shows had ended. */
@Tag("e2e")
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class EndedCertificatesE2eTest {
    private static final Duration LIFETIME = Duration.ofMinutes(6);
    private static final String ASSETS = NodeLayout.ASSETS.toString();
    private static final String KUBELET = "/var/lib/kubelet/pki/kubelet-client-current.pem";

    private final OuroProgram ouro = new OuroProgram("e2e-ended");

    @BeforeAll
    void up() {
        ouro.down();
        ouro.up();
    }

    @AfterAll
    void down() {
        ouro.down();
    }

    private void patchControllerManager(String operation) {
        ouro.kubectl(
                "patch",
                "deployment",
                "kube-controller-manager",
                "-n",
                "kube-system",
                "--type=json",
                "-p",
                "[" + operation + "]");
        ouro.kubectl("rollout", "status", "deployment/kube-controller-manager", "-n", "kube-system");
    }

    /** The kubelet asks for its own, which the controller manager signs; it does so again with the token that it joined with. */
    private void letTheKubeletsEndSoon() throws Exception {
        patchControllerManager("{\"op\":\"add\",\"path\":\"/spec/template/spec/containers/0/command/-\",\"value\":"
                + "\"--cluster-signing-duration=" + LIFETIME.toMinutes() + "m\"}");
        ouro.inNode(
                "sh",
                "-c",
                "rm -f /var/lib/kubelet/pki/kubelet-client-* " + NodeLayout.KUBECONFIG + "; "
                        + NodeLayout.RESTART_KUBELET);
        Await.until(
                "the kubelet to have another certificate",
                () -> ouro.runIn(ouro.nodeName(), "test", "-e", KUBELET).exitCode() == 0);
    }

    @Test
    void oneCommandBringsItBack() throws Exception {
        ouro.kubectl("create", "configmap", "kept", "--from-literal=it=is");
        // Else none of them would ever end.
        ouro.kubectl(
                "patch",
                "controlplane",
                "cluster",
                "--type=merge",
                "-p",
                "{\"spec\":{\"certificates\":{\"renew\":false}}}");
        letTheKubeletsEndSoon();
        List<String> renew = ouro.command("exec", ouro.nodeName(), "--", "ouro", "certificates", "renew");
        renew.addAll(List.of("--all", "--lifetime", LIFETIME.toMinutes() + "m", "--asset-dir", ASSETS));
        ouro.run(renew, Duration.ofMinutes(15)).orThrow();
        ouro.inNode("ouro", "certificates", "renew-member", "--all", "--lifetime", "1m");
        ouro.inNode(
                "ouro",
                "certificates",
                "renew-kubeconfig",
                ASSETS + "/auth/kubeconfig",
                "--asset-dir",
                ASSETS,
                "--lifetime",
                "1m");
        // Some are due, and their authority's key is not in the cluster: that is a finding.
        Result listed = ouro.run("certificates", "-o", "json");
        Instant all = StreamSupport.stream(
                        new ObjectMapper()
                                .readTree(listed.output())
                                .path("certificates")
                                .spliterator(),
                        false)
                .map(one -> Instant.parse(one.path("notAfter").asText()))
                .max(Instant::compareTo)
                .orElseThrow();
        assertThat(listed.exitCode()).isEqualTo(3);
        ouro.runPlain("node", "off", "--name", ouro.sandbox(), ouro.nodeName()).orThrow();
        Await.until(
                "everything to have ended",
                Duration.ofMinutes(15),
                all::toString,
                () -> Instant.now().isAfter(all));
        ouro.runPlain("node", "on", "--name", ouro.sandbox(), ouro.nodeName()).orThrow();

        Instant begun = Instant.now();
        ouro.startInNode("--renew-certificates", "--kubelet-restart-command", NodeLayout.RESTART_KUBELET)
                .orThrow();
        ouro.awaitConvergence();
        System.err.printf(
                "back after %d s%n", Duration.between(begun, Instant.now()).toSeconds());

        assertThat(ouro.kubectl("get", "nodes")).contains(" Ready ");
        assertThat(ouro.kubectl("get", "configmap", "kept", "-o", "jsonpath={.data.it}"))
                .isEqualTo("is");
        assertThat(StreamSupport.stream(
                        ouro.json("certificates").path("certificates").spliterator(), false))
                .allSatisfy(one -> assertThat(Instant.parse(one.path("notAfter").asText()))
                        .isAfter(Instant.now().plus(Duration.ofDays(360))));
    }
}
