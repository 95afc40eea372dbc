package dev.ouroboros.upgrade.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.change.decide.KubeletManner;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.kubelet.KubeletReport;
import dev.ouroboros.model.kubelet.KubeletWish;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.node.testing.SilentListener;
import dev.ouroboros.upgrade.decide.Release;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class KubeletsUpgradeTest {
    private static final String NODE = "/api/v1/nodes/n1";
    private static final KubeletManner AT_ONCE = new KubeletManner(Duration.ZERO, true);
    private static final String WISH =
            "{\"program\":{\"version\":\"v1.36.2\",\"digest\":\"%s\"}}".formatted("0f".repeat(32));

    private final FakeApiServer server;

    KubeletsUpgradeTest() throws Exception {
        server = new FakeApiServer(new TestAuthority());
    }

    @AfterEach
    void close() {
        server.close();
    }

    private ClusterClient client() {
        return ClusterClient.connect(Endpoint.of(
                server.uri(), List.of(server.authority().certificate()), Optional.empty(), Optional.empty()));
    }

    private static KubeletsUpgrade kubelets(ClusterClient client) {
        return new KubeletsUpgrade(client, new SilentListener(), Duration.ofSeconds(10), InstantSource.system());
    }

    private static UpgradeOrder.Kubelets wanted(String version) {
        return new UpgradeOrder.Kubelets(
                KubernetesVersion.parse(version).orElseThrow(),
                () -> {
                    throw new AssertionError("no node is told");
                },
                AT_ONCE);
    }

    /** A node of which this was wished, and before that nothing; it says at once of either that it runs. */
    private void node(String wish) throws MalformedJson {
        Json.Fields annotations = Json.object();
        if (!wish.isEmpty()) {
            KubeletReport report = new KubeletReport(KubeletReport.State.RUNNING, "", "base", "base", "");
            annotations = annotations
                    .with(KubeletWish.ANNOTATION, Json.text(wish))
                    .with(
                            KubeletWish.BEFORE_ANNOTATION,
                            Json.text("{\"begun\":\"2026-11-21T00:00:00Z\",\"digest\":\"d\",\"before\":\"\"}"))
                    .with(KubeletReport.ANNOTATION, Json.text(JsonText.text(report.json())));
        }
        Json.Fields node = FakeApiServer.object("v1", "Node", "", "n1");
        server.put(
                NODE,
                node.with("metadata", ((Json.Fields) node.at("metadata")).with("annotations", annotations))
                        .with("status", JsonText.read("""
                                {"nodeInfo": {"kubeletVersion": "v1.36.2"},
                                 "conditions": [{"type": "Ready", "status": "True"}]}
                                """)));
    }

    @Test
    void aKubeletOfAnotherVersionThanTheTargetIsRefusedBeforeAnythingIsChanged() {
        try (ClusterClient client = client()) {
            Refusal.of(
                    () -> kubelets(client).require(wanted("1.36.1"), Optional.of(Release.parse("1.36.2"))),
                    ErrorCode.BAD_USAGE,
                    "--kubelet",
                    "is a kubelet 1.36.1",
                    "--no-kubelets");
        }
    }

    @Test
    void whileAnOlderVersionIsEmulatedKubeletsStay() {
        try (ClusterClient client = client()) {
            kubelets(client).forward(wanted("1.36.2"), Release.parse("1.36.2 as 1.35"));
        }
        assertThat(server.requests()).noneMatch(request -> request.contains("/nodes"));
    }

    /** It is told when the command is run again with the node back; until then it is within the skew policy, or the next plan says so. */
    @Test
    void aNodeThatIsOffKeepsItsKubeletAndHoldsUpNoOther() throws Exception {
        node("");
        Json.Fields node = server.get(NODE).orElseThrow();
        server.put(NODE, node.with("status", JsonText.read("""
                        {"nodeInfo": {"kubeletVersion": "v1.36.1"}, "conditions": [{"type": "Ready", "status": "Unknown"}]}
                        """)));
        HeardWords heard = new HeardWords();
        try (ClusterClient client = client()) {
            new KubeletsUpgrade(client, heard, Duration.ofSeconds(10), InstantSource.system())
                    .forward(wanted("1.36.2"), Release.parse("1.36.2"));
        }
        assertThat(heard.words)
                .contains(
                        "kubelets are v1.36.2; node n1 is not Ready, and keeps v1.36.1 until the same command is run again");
        assertThat(server.get(NODE)
                        .orElseThrow()
                        .at("metadata", "annotations", KubeletWish.ANNOTATION)
                        .isNull())
                .isTrue();
    }

    private static final class HeardWords implements ProcedureListener {
        private final List<String> words = new ArrayList<>();

        @Override
        public void did(String what) {
            words.add(what);
        }

        @Override
        public void waits(String why, Duration since) {}
    }

    @Test
    void aNewerKubeletThatWePutThereGetsBackWhatItsNodeHad() throws Exception {
        node(WISH);
        try (ClusterClient client = client()) {
            kubelets(client).back(Release.parse("1.36.1"), AT_ONCE);
        }
        assertThat(server.get(NODE)
                        .orElseThrow()
                        .at("metadata", "annotations", KubeletWish.ANNOTATION)
                        .isNull())
                .isTrue();
    }

    @Test
    void aNewerKubeletOfSomebodyElsesIsNamedWhereTheServersBecomeAnOlderMinorVersion() throws Exception {
        node("");
        try (ClusterClient client = client()) {
            kubelets(client).back(Release.parse("1.36.1"), AT_ONCE);
            Refusal.of(
                    () -> kubelets(client).back(Release.parse("1.35.0"), AT_ONCE),
                    ErrorCode.CHANGE_REFUSED,
                    "Node n1",
                    "its kubelet is v1.36.2",
                    "put the one of before back");
        }
    }
}
