package dev.ouroboros.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A cluster that passes is an end-to-end test's; these are those that must not pass. */
final class AcceptanceCheckTest {
    private static final String NAMESPACE = "/api/v1/namespaces/kube-system";
    private static final String MAPS = NAMESPACE + "/configmaps";
    private static final String PODS = NAMESPACE + "/pods";
    private static final String MAP = """
            {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "ouroboros-acceptance", "namespace": "kube-system"},
             "data": {"written-by": "%s"}}""";
    private static final String POD = """
            {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "ouroboros-acceptance", "namespace": "kube-system"},
             "status": {"phase": "Failed"}}""";

    private LoopbackApi api;

    @SuppressWarnings("NullAway.Init") // start() sets it before each test.
    AcceptanceCheckTest() {}

    /** All that is written is there, as it was written. */
    @BeforeEach
    void start() throws Exception {
        String map = MAP.formatted("ouro start").replace("\n", "");
        api = new LoopbackApi()
                .on("WATCH", MAPS, 200, "{\"type\": \"ADDED\", \"object\": " + map + "}\n")
                .on("POST", MAPS, 201, map)
                .on("GET", MAPS + "/ouroboros-acceptance", 200, map);
    }

    @AfterEach
    void stop() {
        api.close();
    }

    private void assertFails(ErrorCode code, String where, String what, String next) {
        try (ClusterClient client = api.client()) {
            assertThat(new AcceptanceCheck(client, Duration.ofSeconds(3)).run())
                    .hasValueSatisfying(problem -> assertProblem(problem, code, where, what, next));
        }
    }

    private static void assertProblem(Problem problem, ErrorCode code, String where, String what, String next) {
        assertThat(problem.code()).as(problem.describe()).isEqualTo(code);
        assertThat(problem.where()).isEqualTo("acceptance check" + where);
        assertThat(problem.what()).contains(what);
        assertThat(problem.next()).contains(next);
    }

    @Test
    void anApiThatRefusesTheUser() {
        api.refuse("DELETE", MAPS + "/ouroboros-acceptance", 403, "you may not");
        assertFails(ErrorCode.API_REFUSED, "", "you may not", "kubectl auth can-i --list");
    }

    @Test
    void anApiThatReadsSomethingElseThanWasWritten() {
        api.on("GET", MAPS + "/ouroboros-acceptance", 200, MAP.formatted("somebody else"));
        assertFails(
                ErrorCode.COMPONENT_FAILED, ", reading what was just written", "somebody else", "pods in kube-system");
    }

    @Test
    void aWatchThatReportsNothing() {
        api.on("WATCH", MAPS, 200, "");
        assertFails(ErrorCode.COMPONENT_FAILED, ", watching", "did not report an object", "pods in kube-system");
    }

    @Test
    void aClusterWithoutAScheduler() {
        assertFails(
                ErrorCode.COMPONENT_FAILED,
                ", finding an image to run",
                "there is no Deployment kube-system/kube-scheduler",
                "pods in kube-system");
    }

    @Test
    void aPodThatFails() {
        api.on("GET", "/apis/apps/v1/namespaces/kube-system/deployments/kube-scheduler", 200, """
                        {"kind": "Deployment", "apiVersion": "apps/v1", "metadata": {"name": "kube-scheduler"},
                         "spec": {"template": {"spec": {"containers": [{"name": "kube-scheduler", "image": "image"}]}}}}""")
                .on("POST", PODS, 201, POD)
                .after("POST", PODS, () -> api.on("GET", PODS + "/ouroboros-acceptance", 200, POD))
                .on("GET", PODS + "/ouroboros-acceptance/log", 200, "no such library");
        assertFails(
                ErrorCode.COMPONENT_FAILED,
                ", running a pod",
                "it ended as Failed and said: no such library",
                "pods in kube-system");
    }
}
