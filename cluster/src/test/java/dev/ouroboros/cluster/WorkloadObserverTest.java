package dev.ouroboros.cluster;

import static dev.ouroboros.api.testing.Eventually.eventually;

import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.manifest.WorkloadReference;
import dev.ouroboros.model.start.SelfHostedWorkload;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class WorkloadObserverTest {
    private static final WorkloadReference API_SERVER =
            new WorkloadReference("DaemonSet", "kube-system", "kube-apiserver");
    private static final WorkloadReference SCHEDULER =
            new WorkloadReference("Deployment", "kube-system", "kube-scheduler");
    private static final String APPS = "/apis/apps/v1/namespaces/kube-system/";
    private static final String PODS = "/api/v1/namespaces/kube-system/pods/";

    private FakeApiServer server;
    private ClusterClient client;
    private WorkloadObserver observer;

    @SuppressWarnings("NullAway.Init") // begin() sets them before each test.
    WorkloadObserverTest() {}

    @BeforeEach
    void begin() throws Exception {
        server = new FakeApiServer(new TestAuthority());
        client = ClusterClient.connect(Endpoint.of(
                server.uri(), List.of(server.authority().certificate()), Optional.empty(), Optional.empty()));
        put(APPS + "daemonsets/kube-apiserver", """
                {"metadata": {"name": "kube-apiserver", "namespace": "kube-system", "uid": "set-1", "generation": 2},
                 "spec": {"selector": {"matchLabels": {"k8s-app": "kube-apiserver"}}},
                 "status": {"observedGeneration": 2, "desiredNumberScheduled": 1}}""");
        put(APPS + "deployments/kube-scheduler", """
                {"metadata": {"name": "kube-scheduler", "namespace": "kube-system", "uid": "deployment-1", "generation": 1},
                 "spec": {"replicas": 2, "selector": {"matchLabels": {"k8s-app": "kube-scheduler"}}},
                 "status": {"observedGeneration": 1}}""");
        put(APPS + "controllerrevisions/kube-apiserver-new", """
                {"metadata": {"name": "kube-apiserver-new", "namespace": "kube-system",
                  "labels": {"controller-revision-hash": "new"}, "ownerReferences": [{"uid": "set-1"}]}, "revision": 2}""");
        observe(FormerLife.before(Optional.empty()));
    }

    private void observe(FormerLife former) {
        observer = new WorkloadObserver(client, List.of(API_SERVER, SCHEDULER), "node-1", former, () -> {});
    }

    @AfterEach
    void end() {
        observer.close();
        client.close();
        server.close();
    }

    private void put(String path, String object) throws Exception {
        server.put(path, (Json.Fields) JsonText.read(object));
    }

    private void pod(String name, String workload, String hash, String status) throws Exception {
        pod(name, workload, hash, status, "node-1");
    }

    private void pod(String name, String workload, String hash, String status, String node) throws Exception {
        put(PODS + name, """
                {"metadata": {"name": "%s", "namespace": "kube-system", "uid": "uid-of-%1$s", "creationTimestamp": "2026-11-21T11:59:59Z",
                  "labels": {"k8s-app": "%s", "controller-revision-hash": "%s"}, "ownerReferences": [{"uid": "set-1"}]},
                 "spec": {"nodeName": "%s"}, "status": %s}""".formatted(name, workload, hash, node, status));
    }

    private void eventuallySees(String what, WorkloadReference workload, SelfHostedWorkload expected) throws Exception {
        eventually(
                what,
                () -> observer.observe()
                        .is(all -> all.stream()
                                .anyMatch(seen -> seen.name().equals(workload.path()) && seen.equals(expected))));
    }

    private static SelfHostedWorkload of(
            WorkloadReference workload,
            int ready,
            int desired,
            int begun,
            int restarts,
            boolean outdated,
            String detail) {
        List<SelfHostedWorkload.UnreadyContainer> unready = detail.isEmpty()
                ? List.of()
                : List.of(new SelfHostedWorkload.UnreadyContainer("kube-system", "a", workload.name(), ""));
        return new SelfHostedWorkload(workload.path(), ready, desired, begun, restarts, outdated, detail, unready);
    }

    @Test
    void countsThePodsThatAreReadyAndSaysOfTheOthersWhyTheyAreNot() throws Exception {
        eventuallySees("nothing runs yet", API_SERVER, of(API_SERVER, 0, 1, 0, 0, false, ""));
        pod("a", "kube-apiserver", "new", """
                {"containerStatuses": [{"name": "kube-apiserver", "ready": false, "restartCount": 3,
                  "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off"}}}]}""");
        eventuallySees(
                "it crashes",
                API_SERVER,
                of(API_SERVER, 0, 1, 1, 3, false, "kube-apiserver CrashLoopBackOff: back-off"));

        pod("a", "kube-apiserver", "new", """
                {"conditions": [{"type": "Ready", "status": "True"}],
                 "containerStatuses": [{"name": "kube-apiserver", "ready": true, "restartCount": 3, "state": {"running": {}}}]}""");

        eventuallySees("it is ready", API_SERVER, of(API_SERVER, 1, 1, 1, 0, false, ""));
        eventuallySees("one of two would be enough", SCHEDULER, of(SCHEDULER, 0, 1, 0, 0, false, ""));
    }

    /** A restored etcd, or one whose other machines are off, tells of Nodes that nobody is to wait for. */
    @Test
    void onlyThisNodesPodOfADaemonSetCounts() throws Exception {
        put(APPS + "daemonsets/kube-apiserver", """
                {"metadata": {"name": "kube-apiserver", "namespace": "kube-system", "uid": "set-1", "generation": 2},
                 "spec": {"selector": {"matchLabels": {"k8s-app": "kube-apiserver"}}},
                 "status": {"observedGeneration": 2, "desiredNumberScheduled": 3}}""");
        String ready = "{\"conditions\": [{\"type\": \"Ready\", \"status\": \"True\"}]}";
        pod("b", "kube-apiserver", "new", ready, "node-2");
        eventuallySees("another's is there", API_SERVER, of(API_SERVER, 0, 1, 0, 0, false, ""));

        pod("a", "kube-apiserver", "new", ready);
        eventuallySees("its own is there", API_SERVER, of(API_SERVER, 1, 1, 0, 0, false, ""));
    }

    @Test
    void knowsAPodThatWasMadeFromAnotherTemplate() throws Exception {
        pod("a", "kube-apiserver", "old", "{\"conditions\": [{\"type\": \"Ready\", \"status\": \"True\"}]}");

        eventuallySees("it is outdated", API_SERVER, of(API_SERVER, 1, 1, 0, 0, true, ""));
    }

    /** What a restored etcd says of a machine that is gone. */
    @Test
    void podsOfAFormerLifeDoNotCount() throws Exception {
        pod("a", "kube-apiserver", "new", "{\"conditions\": [{\"type\": \"Ready\", \"status\": \"True\"}]}");
        observer.close();
        observe(FormerLife.before(Optional.of(Instant.parse("2026-11-21T12:00:01Z"))));

        eventuallySees("it has none", API_SERVER, of(API_SERVER, 0, 1, 0, 0, false, ""));
    }

    @Test
    void isUnknownWhileNoServerAnswers() throws Exception {
        eventually("seen", () -> observer.observe() instanceof Evidence.Known);
        server.die();
        eventually("unknown", () -> observer.observe() instanceof Evidence.Unknown);
        server.listen();
        eventually("seen again", () -> observer.observe() instanceof Evidence.Known);
    }
}
