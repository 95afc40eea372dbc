package dev.ouroboros.e2e;

import static dev.ouroboros.e2e.ApiServerChange.DAEMON_SET;
import static dev.ouroboros.e2e.ApiServerChange.IMAGE;
import static dev.ouroboros.e2e.ApiServerChange.SYSTEM;
import static dev.ouroboros.e2e.ControlPlane.API_SERVER;
import static dev.ouroboros.e2e.ControlPlane.PROXY;
import static dev.ouroboros.e2e.ControlPlane.UNDERSTUDY_PORT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ouroboros.e2e.Node.Running;
import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.version.KubernetesVersion;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/** Changes of the API server that end in every other way, undone, interrupted, killed, powered off, or under another kube-proxy. Longer than {@link ChangeCases}. */
@Tag("e2e")
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class ChangeFaultsE2eTest {
    private static final String SECRETS = "/etc/kubernetes/secrets/";

    private final OuroProgram ouro = new OuroProgram("e2e-change-faults");
    private ControlPlane plane;
    private ApiServerChange change;

    @BeforeAll
    void up() throws Exception {
        plane = ApiServerChange.clusterWithShortTimes(ouro);
        change = new ApiServerChange(ouro, plane);
    }

    @AfterAll
    void down() throws Exception {
        plane.printDecisions();
        plane.close();
        ouro.down();
    }

    @Test
    @Order(1)
    void aFlagIsChangedAndTakenBack() throws Exception {
        try (Availability availability = Availability.of(ouro.kubeconfig())) {
            change.changed(() -> change.patch(ApiServerChange.add("--v=3")));
            assertThat(change.served()).contains("--v=3");

            change.changed(() -> ouro.kubectl("rollout", "undo", DAEMON_SET, SYSTEM));
            assertThat(change.served()).doesNotContain("--v=3");
            availability.requireNoFailedRequest();
        }
    }

    @Test
    @Order(2)
    void anImageIsChanged() throws Exception {
        String image =
                plane.pods(API_SERVER).getFirst().at("/spec/containers/0/image").asText();
        ouro.inNode("ctr", "--namespace=k8s.io", "images", "tag", image, IMAGE + "same-under-another-name");
        try (Availability availability = Availability.of(ouro.kubeconfig())) {
            change.changed(() -> change.setImage("same-under-another-name"));
            availability.requireNoFailedRequest();
        }
    }

    @Test
    @Order(3)
    void anImageThatIsNowhereNeverGetsTraffic() throws Exception {
        assertThat(change.failing(() -> change.setImage("no-such-image"))).contains("no-such-image");
    }

    @Test
    @Order(4)
    void aCertificateOfAnotherAuthorityNeverGetsTraffic() throws Exception {
        String why = change.failing(() -> change.patch(
                ApiServerChange.add("--tls-cert-file=" + SECRETS + "front-proxy-client.crt"),
                ApiServerChange.add("--tls-private-key-file=" + SECRETS + "front-proxy-client.key")));

        assertThat(why).contains("certificate").doesNotContain("no-such-flag");
    }

    /** As its owner does it: the old one is removed from the asset directory and render makes another. */
    @Test
    @Order(5)
    void aNewServingCertificateIsTakenUp() throws Exception {
        String certificate = OuroProgram.ASSETS + "/tls/apiserver.crt";
        ouro.inNode("rm", certificate, OuroProgram.ASSETS + "/tls/apiserver.key");
        String document = "/var/lib/ouroboros/sandboxes/" + ouro.nodeName() + "/cluster.yaml";
        assertThat(ouro.runPlain(
                                "render",
                                "--config",
                                document,
                                "--asset-dir",
                                ouro.nodeFile(OuroProgram.ASSETS).toString())
                        .exitCode())
                .isZero();
        String manifest = OuroProgram.ASSETS + "/manifests/kube-apiserver-secret.yaml";
        String secret = ouro.kubectlJson("apply", "--server-side", "--filename", manifest)
                .at("/metadata/name")
                .asText();

        try (Availability availability = Availability.of(ouro.kubeconfig())) {
            change.changed(() -> change.patch("{\"op\":\"replace\",\"path\":\"" + secretVolume()
                    + "/secret/secretName\",\"value\":\"" + secret + "\"}"));
            availability.requireNoFailedRequest();
        }
        // Its authority stands behind it.
        assertThat(ouro.inNode("cat", certificate)).startsWith(new ServingCertificate(ouro).pem());
    }

    @Test
    @Order(6)
    void aCandidateThatCrashesAfterItWasReadyNeverGetsTraffic() throws Exception {
        String why = change.failing(() -> {
            change.patch(ApiServerChange.add("--v=4"));
            while (!change.annotation("state").equals("Failed")) {
                Optional<Running> candidate = candidateThatAnswers();
                if (candidate.isPresent()) {
                    Thread.sleep(5_000);
                    ouro.inNode("kill", "-KILL", candidate.get().id());
                }
                Thread.sleep(200);
            }
        });

        assertThat(why).contains("the candidate");
    }

    @Test
    @Order(7)
    void aChangeIsFinishedByTheKeeperThatComesAfterOneThatWasKilled() throws Exception {
        int limit = 500;
        for (String step : ApiServerChange.STEPS) {
            String before = change.principal();
            String flag = "--max-requests-inflight=" + limit++;
            try (Availability availability = Availability.of(ouro.kubeconfig())) {
                change.taken(() -> change.patch(ApiServerChange.add(flag)));
                change.awaitStep(step);
                ouro.inNode("kill", "-KILL", workingKeeper().id());
                change.awaitState("Done");
                assertThat(change.principal()).isNotEqualTo(before);
                availability.requireNoFailedRequest();
            }
            assertThat(change.served()).contains(flag);
        }
    }

    @Test
    @Order(8)
    void aPowerCutAtAnyStepOfAChangeEndsInTheNewState() throws Exception {
        int limit = 300;
        for (String step : ApiServerChange.STEPS) {
            String flag = "--max-mutating-requests-inflight=" + limit++;
            change.powerCutAt(step, () -> change.patch(ApiServerChange.add(flag)));
            assertThat(change.served()).contains(flag);
        }
    }

    /** Debian's Kubernetes has no such mode: {@code -Douroboros.binaries} names one that has. */
    @Test
    @Order(9)
    void aFlagIsChangedUnderKubeProxyInNftablesMode() throws Exception {
        String version =
                ouro.kubectlJson("version").at("/serverVersion/gitVersion").asText();
        VersionFacts facts = VersionFacts.of(KubernetesVersion.parse(version).orElseThrow());
        assumeTrue(facts.proxyModes().contains("nftables"), version + " has no nftables mode");
        Set<String> before = plane.podIds(PROXY);
        plane.addWords(PROXY, "command", "--proxy-mode=nftables");
        plane.awaitOthers(PROXY, before);
        assertThat(ouro.inNode("nft", "list", "tables")).contains("table ip kube-proxy");

        try (Availability availability = Availability.of(ouro.kubeconfig());
                NamespaceProbe inPod = NamespaceProbe.inPod(ouro, plane.node())) {
            change.changed(() -> change.patch(ApiServerChange.add("--v=5")));
            availability.requireNoFailedRequest();
            inPod.requireNoFailedRequest();
        }
    }

    /** Path of the template's volume that is a Secret. */
    private String secretVolume() throws IOException {
        JsonNode volumes = ouro.kubectlJson("get", DAEMON_SET, SYSTEM).at("/spec/template/spec/volumes");
        for (int index = 0; index < volumes.size(); index++) {
            if (volumes.path(index).has("secret")) {
                return "/spec/template/spec/volumes/" + index;
            }
        }
        throw new AssertionError("the template mounts no Secret: " + volumes);
    }

    private Optional<Running> candidateThatAnswers() throws IOException {
        boolean answers = plane.node()
                .ask("https://127.0.0.1:" + UNDERSTUDY_PORT + "/readyz", "--insecure")
                .isPresent();
        return answers ? plane.node().apiServers(UNDERSTUDY_PORT).stream().findFirst() : Optional.empty();
    }

    private Running workingKeeper() throws IOException {
        return plane.node().processes("java").stream()
                .filter(process -> process.words().stream().anyMatch(word -> word.contains("/opt/keeper/")))
                .findFirst()
                .orElseThrow();
    }
}
