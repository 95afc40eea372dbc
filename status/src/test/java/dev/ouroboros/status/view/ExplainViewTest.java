package dev.ouroboros.status.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.status.StatusScene;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ExplainViewTest {
    private static final Json STATE = StatusScene.json("""
        {"components": {"kube-system/kube-apiserver": {"role": "API_SERVER", "condition": "UNDERSTUDY_SERVES",
           "description": "the understudy serves", "waitsFor": "the principal: does not listen",
           "since": "2026-03-01T02:58:00Z"}},
         "unknown": {"runtime": "the container runtime does not answer"},
         "change": {"state": "Replacing", "message": "the new principal", "progress": "12 s of 120 s"}}\
        """);
    private static final Json DECISIONS = StatusScene.json("""
        {"decisions": [
          {"at": "2026-03-01T02:57:58.123Z", "component": "kube-system/kube-apiserver", "action": "save-candidate",
           "detail": "revision 1", "because": "the pod is ready", "evidence": "pod 1", "outcome": "done"},
          {"at": "2026-03-01T02:57:59.123Z", "component": "kube-system/kube-apiserver", "action": "start-understudy",
           "detail": "revision 1", "because": "no container of the principal runs",
           "evidence": "principal: does not listen; its containers: absent", "outcome": "disk is full"},
          {"at": "2026-03-01T02:58:00Z", "component": "keeper", "action": "point-front", "detail": "to the understudy",
           "because": "the understudy is ready and the principal is not", "evidence": "understudy: ready",
           "outcome": "done"}]}\
        """);

    @Test
    void tellsWhatItWaitsForWhatComesNextAndWhyItDidWhatItDid() {
        assertThat(ExplainView.of(
                        STATE,
                        DECISIONS,
                        ExplainView.names(STATE),
                        1,
                        _ -> Optional.of("Error: unknown flag: --nonsense"),
                        StatusScene.NOW))
                .isEqualTo("""
                    kube-system/kube-apiserver: the understudy serves, for 2m
                      waits for  the principal: does not listen
                      next       gives way when the principal has been ready without interruption
                      its log    Error: unknown flag: --nonsense
                      change     Replacing: the new principal
                                 12 s of 120 s
                      2026-03-01 02:57:59Z  start-understudy, revision 1
                        because   no container of the principal runs
                        evidence  principal: does not listen; its containers: absent
                        failed    disk is full

                    keeper: the front, the node and itself
                      not known  runtime: the container runtime does not answer
                      2026-03-01 02:58:00Z  point-front, to the understudy
                        because   the understudy is ready and the principal is not
                        evidence  understudy: ready
                    """);
    }

    private static final String WAYS = """
        "balancer": {"servers": ["10.2.0.2:6443"], "dead": ["10.2.0.3:6443"], "doors": ["10.2.0.1:6443"],
           "others": {"10.2.0.2:6443": "ready", "10.2.0.3:6443": "away"},
           "reason": "the own API server is not ready", "trouble": "nft: no such table"},
         "podRoutes": {"troubles": ["somebody else made a route to 10.1.2.0/24, which stays"]}\
        """;

    private static final String SHOWN = """
          clients    led to 10.2.0.2:6443: the own API server is not ready
          server     10.2.0.2:6443 ready
          server     10.2.0.3:6443 away
          trouble    nft: no such table
          pod routes somebody else made a route to 10.1.2.0/24, which stays
        """;

    @Test
    void saysWhereClientsOfTheNodeAreLedAndWhatIsWrongWithIt() {
        Json keeper = StatusScene.json("{\"components\": {}, " + WAYS + "}");
        assertThat(ExplainView.of(keeper, Json.object(), List.of("keeper"), 1, _ -> Optional.empty(), StatusScene.NOW))
                .isEqualTo("keeper: the front, the node and itself\n" + SHOWN
                        + "  did        nothing since this keeper began\n");
        assertThat(ExplainView.ofAgent(StatusScene.json("{\"node\": \"four\", " + WAYS + "}")))
                .startsWith("node-agent: leads clients of this node")
                .endsWith(SHOWN);
        assertThat(ExplainView.ofAgent(StatusScene.json("{\"balancer\": {\"others\": {}, \"servers\": []}}")))
                .as("it knows of none")
                .endsWith("  clients    led nowhere\n");
        ExplainView.requireNoComponent(Optional.empty(), "four");
        Refusal.of(() -> ExplainView.requireNoComponent(Optional.of("etcd"), "four"), ErrorCode.NOT_FOUND)
                .lineContains(
                        "node four has an agent and no keeper: nobody keeps 'etcd' there", "a control-plane node");
    }

    @Test
    void aComponentIsNamedWithOrWithoutItsNamespace() {
        assertThat(ExplainView.named("kube-apiserver", STATE))
                .isEqualTo("kube-system/kube-apiserver")
                .isEqualTo(ExplainView.named("kube-system/kube-apiserver", STATE));
        Refusal.of(() -> ExplainView.named("apiserver", STATE), ErrorCode.NOT_FOUND)
                .lineContains("the keeper keeps no 'apiserver'", "kube-system/kube-apiserver, keeper");
        Json twins = StatusScene.json("""
            {"components": {"one/dns": {"role": "OTHER"}, "two/dns": {"role": "OTHER"}}}\
            """);
        Refusal.of(() -> ExplainView.named("dns", twins), ErrorCode.NOT_FOUND)
                .lineContains("'dns' is in several namespaces", "one/dns, two/dns");
    }

    /** Found on a virtual machine: the API server panicked at every Lease, and explain said that the change waits for one. */
    @Test
    void saysWhatIsTriedAndFails() {
        Json state = StatusScene.json("""
            {"components": {"kube-system/kube-apiserver": {"condition": "SERVING", "description": "the principal serves"},
                            "kube-system/kube-scheduler": {"condition": "SERVING", "description": "the principal serves"}},
             "failing": {"hold-lease": "UNREACHABLE: closed the connection without an answer",
                         "promote kube-system/kube-scheduler, revision 1": "the disk is full"},
             "change": {"state": "Waiting", "message": "for the Lease"}}\
            """);

        assertThat(explained(state, "kube-system/kube-apiserver"))
                .contains("fails      hold-lease: UNREACHABLE: closed the connection without an answer")
                .doesNotContain("promote");
        assertThat(explained(state, "kube-system/kube-scheduler"))
                .contains("fails      promote kube-system/kube-scheduler, revision 1: the disk is full")
                .doesNotContain("hold-lease");
        assertThat(explained(state, "keeper")).contains("hold-lease").doesNotContain("promote");
    }

    private static String explained(Json state, String name) {
        return ExplainView.of(state, Json.object(), List.of(name), 1, _ -> Optional.empty(), StatusScene.NOW);
    }

    @Test
    void saysThatEtcdIsToBlame() {
        Json state = StatusScene.json("""
            {"components": {"kube-system/kube-apiserver": {"condition": "DOUBTFUL", "description": "?",
               "waitsFor": "the principal: not ready ([-]etcd failed: reason withheld\\nreadyz check failed)"}}}\
            """);
        assertThat(ExplainView.of(
                        state,
                        Json.object(),
                        List.of("kube-system/kube-apiserver"),
                        1,
                        _ -> Optional.empty(),
                        StatusScene.NOW))
                .contains("next       nothing: without etcd no other API server would serve either")
                .contains("did        nothing since this keeper began");
    }
}
