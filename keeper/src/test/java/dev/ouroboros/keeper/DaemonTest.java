package dev.ouroboros.keeper;

import static dev.ouroboros.api.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.api.testing.FakeApiServer.Fault;
import dev.ouroboros.keeper.testing.FakeKubelet.Answer;
import dev.ouroboros.model.json.Json;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The whole keeper on a node whose parts fail as a test says: what it does, and that no fault costs last-good. */
final class DaemonTest {
    private KeeperWorld world;

    @BeforeEach
    void begin(@TempDir Path directory) throws Exception {
        world = new KeeperWorld(directory);
    }

    @AfterEach
    void end() throws Exception {
        world.close();
    }

    @Test
    void savesProvesAndArchivesAHealthyPod() throws Exception {
        world.settle();

        assertThat(world.kubelet.archived()).containsExactly(KeeperWorld.IMAGE);
        assertThat(world.kubelet.synced()).as("saved and proven").isEqualTo(2);
        assertThat(world.hasUnderstudy()).isFalse();
        // What was done is told a moment after it can be seen on the disk.
        eventually("both are told", () -> {
            String decisions = world.ask("/decisions").body();
            return decisions.contains("save-candidate") && decisions.contains("POD_STAYED_HEALTHY");
        });
    }

    @Test
    void startsTheUnderstudyAndGivesWayWhenThePrincipalIsBack() throws Exception {
        world.settle();

        world.principalDies();
        eventually("the understudy serves", () -> world.condition().equals("UNDERSTUDY_SERVES"));
        assertThat(world.hasUnderstudy()).isTrue();
        assertThat(world.front.calls()).contains("understudy");

        world.principalComesBack();
        eventually("the understudy is gone", () -> !world.hasUnderstudy());
        eventually("serving", () -> world.condition().equals("SERVING"));
        assertThat(world.front.calls()).endsWith("principal");
        eventually(
                "an Event",
                () -> world.principal.requests().stream()
                        .anyMatch(request -> request.startsWith("POST /api/v1/namespaces/default/events")));
    }

    /** Its kubelet, too: it makes the understudy's mirror pod first. */
    @Test
    void cutsAnApiServerThatHangsOffFromItsClients() throws Exception {
        world.settle();

        world.principal.freeze();
        eventually("the understudy serves", () -> world.condition().equals("UNDERSTUDY_SERVES"));
        List<String> calls = world.front.calls();
        assertThat(calls.indexOf("cut off")).isNotNegative().isLessThan(calls.indexOf("understudy"));
        assertThat(world.ask("/decisions").body()).contains("PRINCIPAL_IS_SILENT");

        world.principal.thaw();
        eventually("serving", () -> world.condition().equals("SERVING"));
        assertThat(world.front.calls()).contains("let through").endsWith("principal");
    }

    /** Its handshakes are no help to who waits for an answer. */
    @Test
    void cutsAnApiServerOffThatShakesHandsAndAnswersNothing() throws Exception {
        world.settle();

        world.principal.fault("", new Fault.Hang());
        eventually("the understudy serves", () -> world.condition().equals("UNDERSTUDY_SERVES"));
        List<String> calls = world.front.calls();
        assertThat(calls.indexOf("cut off")).isNotNegative().isLessThan(calls.indexOf("understudy"));
        assertThat(world.ask("/decisions").body()).contains("PRINCIPAL_IS_SILENT");

        world.principal.heal();
        eventually("serving", () -> world.condition().equals("SERVING"));
        assertThat(world.front.calls()).contains("let through").endsWith("principal");
    }

    /** To the kubelet one of the same content would be a container that crashed, and wait for longer each time. */
    @Test
    void startsEachUnderstudyAsAPodOfItsOwn() throws Exception {
        world.settle();
        world.principalDies();
        eventually("the understudy serves", () -> world.condition().equals("UNDERSTUDY_SERVES"));
        String first = world.understudyManifest();
        world.principalComesBack();
        eventually("serving", () -> world.condition().equals("SERVING"));

        world.principalDies();
        eventually("the understudy serves", () -> world.condition().equals("UNDERSTUDY_SERVES"));

        assertThat(world.understudyManifest()).isNotEqualTo(first);
    }

    @Test
    void startsTheUnderstudyWithNothingButItsDisk() throws Exception {
        world.settle();
        world.stopKeeper();
        world.principalDies();
        world.kubelet.stopped(KeeperWorld.POD);

        world.startKeeper();

        eventually("the understudy serves", () -> world.condition().equals("UNDERSTUDY_SERVES"));
    }

    @Test
    void bringsAnImageBackThatIsGoneFromTheNode() throws Exception {
        world.settle();
        world.kubelet.collectImages();

        world.principalDies();

        eventually("the understudy serves", () -> world.condition().equals("UNDERSTUDY_SERVES"));
        assertThat(world.kubelet.restored()).contains(KeeperWorld.IMAGE);
    }

    static List<Fault> faults() {
        return List.of(
                new Fault.Status(403, Map.of()),
                new Fault.Status(429, Map.of("Retry-After", "1")),
                new Fault.Status(500, Map.of()),
                new Fault.Garbage("<html>not here</html>"),
                new Fault.Cut(),
                new Fault.Hang());
    }

    @ParameterizedTest
    @MethodSource("faults")
    void doesNothingOnAnApiThatDoesNotAnswer(Fault fault) throws Exception {
        world.settle();
        Optional<String> before = world.lastGood();
        for (String method : List.of("GET /api", "PATCH", "POST", "DELETE")) {
            world.principal.fault(method, fault);
        }
        world.principal.cutConnections();
        eventually("unknown", () -> world.ask("/metrics").body().contains("source_known{source=\"api-pods\"} 0"));

        outlastGraces();

        assertThat(world.lastGood()).isEqualTo(before);
        assertThat(world.hasUnderstudy()).isFalse();
        world.principal.heal();
        eventually("known", () -> world.ask("/metrics").body().contains("source_known{source=\"api-pods\"} 1"));
    }

    @Test
    void believesNoServerOfAnotherCluster() throws Exception {
        world.settle();
        Optional<String> before = world.lastGood();
        world.principal.die();
        Json.Fields ours = world.principal.get("/api/v1/namespaces/kube-system").orElseThrow();
        world.principal.delete("/api/v1/namespaces/kube-system");
        world.principal.put(
                "/api/v1/namespaces/kube-system", FakeApiServer.object("v1", "Namespace", "", "kube-system"));
        world.removeDaemonSet();
        world.principal.delete("/api/v1/namespaces/kube-system/pods/" + KeeperWorld.POD);
        world.principal.listen();
        eventually("noticed", () -> world.ask("/metrics").body().contains("ouroboros_keeper_foreign_cluster 1"));

        outlastGraces();

        assertThat(world.lastGood()).isEqualTo(before);
        world.principal.put("/api/v1/namespaces/kube-system", ours);
    }

    @Test
    void keepsLastGoodWhenTheDiskIsFull() throws Exception {
        world.settle();
        Optional<String> before = world.lastGood();
        world.disk.full(true);
        world.secret("key", "second");
        eventually("it tries", () -> world.ask("/state").body().contains("No space left on device"));

        assertThat(world.lastGood()).isEqualTo(before);
        assertThat(world.ask("/healthz").statusCode()).isEqualTo(200);

        world.disk.full(false);
        eventually("the new one is proven", () -> !world.lastGood().equals(before));
    }

    @Test
    void keepsLastGoodWhenAKeyVanishesFromASecret() throws Exception {
        world.settle();
        Optional<String> before = world.lastGood();

        world.secret("another-key", "second");

        eventually("a refusal", () -> world.ask("/decisions").body().contains("report-refusal"));
        assertThat(world.lastGood()).isEqualTo(before);
        eventually(
                "an Event",
                () -> world.principal.requests().stream()
                        .anyMatch(request -> request.startsWith("POST /api/v1/namespaces/kube-system/events")));
    }

    @Test
    void remembersAPodCheckpointerThatNoApiServerTellsOf() throws Exception {
        world.settle();
        world.podCheckpointer();
        eventually("it leaves the pods alone", () -> world.condition().equals("PASSIVE"));
        world.stopKeeper();
        world.principalDies();

        world.startKeeper();
        eventually("it looks", () -> world.condition().equals("PASSIVE"));
        outlastGraces();

        assertThat(world.condition()).isEqualTo("PASSIVE");
        assertThat(world.hasUnderstudy()).isFalse();
    }

    @Test
    void saysOnceWhichNamespaceMayNotBeReadAndWhatToDo() throws Exception {
        world.settle();
        world.podInANamespaceThatMayNotBeRead("dns");

        eventually("an Event", () -> !world.events("NamespaceNotReadable").isEmpty());

        assertThat(world.events("NamespaceNotReadable"))
                .singleElement()
                .asString()
                .contains("kubectl create rolebinding ouroboros:keeper-namespace --namespace=dns");
        eventually(
                "its controller is unknown",
                () -> world.state()
                        .at("unknown", "controller dns/resolver")
                        .text()
                        .isPresent());
        assertThat(world.state().at("components", "dns/resolver", "belongs")).isEqualTo(Json.text("true"));
    }

    /** Nobody makes its pod, or places it, and there is no checkpoint of it: people ask why. */
    @Test
    void saysWhatTheControlPlaneLacksOfWhichThereIsNeitherPodNorCheckpoint() throws Exception {
        world.settle();
        world.schedulerDeployment(1);
        eventually("nothing can help it", () -> scheduler("condition").equals("HELPLESS"));
        assertThat(scheduler("waitsFor")).contains("a checkpoint").contains("'ouro start'");

        world.schedulerDeployment(0);
        eventually("it is not wanted", () -> scheduler("condition").equals("SWITCHED_OFF"));
        assertThat(scheduler("waitsFor")).contains("its replicas");
    }

    private String scheduler(String field) {
        return world.state()
                .at("components", "kube-system/kube-scheduler", field)
                .text()
                .orElse("");
    }

    @Test
    void namesWhatItDoesNotKnowWithTheReason() throws Exception {
        world.settle();
        eventually("nothing", () -> world.state().at("unknown").fields().isEmpty());
        world.kubelet.answer(Answer.FAILS);
        world.principal.fault("GET /api", new Fault.Status(403, Map.of()));
        world.principal.cutConnections();

        eventually(
                "everything",
                () -> world.state()
                        .at("unknown")
                        .fields()
                        .keySet()
                        .containsAll(List.of(
                                "runtime",
                                "api-pods",
                                "api-daemonsets",
                                "api-deployments",
                                "api-node",
                                "api-endpoints")));

        Json unknown = world.state().at("unknown");
        assertThat(unknown.at("runtime").text().orElse("")).contains("does not answer");
        assertThat(unknown.at("api-pods").text().orElse("")).contains("403");
    }

    @Test
    void verifiesTheNewerServerAfterAnOlderOneStoodIn() throws Exception {
        world.settle();
        world.principal.version("v1.21.0");
        eventually(
                "the newer version is remembered",
                () -> world.remembered("newestApiServer").equals("v1.21.0"));

        world.principalDies();
        eventually("the older one serves", () -> world.condition().equals("UNDERSTUDY_SERVES"));
        assertThat(world.remembered("standIn")).isEqualTo("v1.20.2");
        assertThat(world.state().at("unverifiedAfter")).isEqualTo(Json.text("v1.20.2"));

        world.principalComesBack();
        eventually("an Event", () -> !world.events("NewerServerVerified").isEmpty());
        assertThat(world.remembered("standIn")).isEmpty();
        assertThat(world.hasUnderstudy()).isFalse();
    }

    @Test
    void savesAChangedSecret() throws Exception {
        world.settle();
        Optional<String> before = world.lastGood();

        world.secret("key", "second");

        eventually("the new one is proven", () -> !world.lastGood().equals(before));
    }

    @Test
    void worksOnWhileTheRuntimeHangs() throws Exception {
        world.settle();
        world.kubelet.answer(Answer.HANGS);
        world.principal.die();

        eventually("the understudy serves", () -> world.condition().equals("UNDERSTUDY_SERVES"));
        assertThat(world.ask("/readyz").body()).contains("runtime");
        assertThat(world.ask("/healthz").statusCode()).isEqualTo(200);
    }

    @Test
    void doesNotMindAWallClockThatJumps() throws Exception {
        world.settle();
        Optional<String> before = world.lastGood();
        world.wallClock.set(InstantSource.offset(InstantSource.system(), Duration.ofDays(-4000)));
        Thread.sleep(Duration.ofSeconds(1));
        world.wallClock.set(InstantSource.offset(InstantSource.system(), Duration.ofDays(4000)));

        assertThat(world.condition()).isEqualTo("SERVING");
        assertThat(world.hasUnderstudy()).isFalse();
        assertThat(world.lastGood()).isEqualTo(before);
    }

    @Test
    void reapsRejectedPods() throws Exception {
        world.settle();
        world.rejectedPod("kube-scheduler-7d4b9c-abcde", false);
        world.rejectedPod("kube-apiserver-ng7tk", true);

        eventually("it is gone", () -> !world.hasPod("kube-scheduler-7d4b9c-abcde"));
        eventually("so is one that was being deleted", () -> !world.hasPod("kube-apiserver-ng7tk"));
    }

    @Test
    void makesTheServiceLeadHere() throws Exception {
        world.settle();
        eventually(
                "Endpoints",
                () -> world.principal
                        .get("/api/v1/namespaces/default/endpoints/kubernetes")
                        .isPresent());
        world.principal.delete("/api/v1/namespaces/default/endpoints/kubernetes");
        eventually(
                "Endpoints again",
                () -> world.principal
                        .get("/api/v1/namespaces/default/endpoints/kubernetes")
                        .isPresent());
    }

    @Test
    void servesMetricsByConvention() throws Exception {
        world.settle();
        String metrics = world.ask("/metrics").body();

        assertThat(metrics.lines().filter(line -> line.startsWith("# HELP")).count())
                .isEqualTo(metrics.lines()
                        .filter(line -> line.startsWith("# TYPE"))
                        .count());
        assertThat(metrics)
                .contains("ouroboros_keeper_component_condition{namespace=\"kube-system\",name=\"kube-apiserver\","
                        + "condition=\"serving\"} 1\n");
        assertThat(metrics.lines()).allMatch(line -> line.startsWith("# ") || line.matches("[a-z_]+(\\{[^}]*})? \\S+"));
        assertThat(world.ask("/nothing").statusCode()).isEqualTo(404);
    }

    /** Longer than every grace after which something is retired, restarted or finished. */
    private static void outlastGraces() throws InterruptedException {
        Thread.sleep(KeeperWorld.QUICK.retireGrace().plus(KeeperWorld.QUICK.failover()));
    }
}
