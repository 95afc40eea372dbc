package dev.ouroboros.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.ouroboros.api.ApiPath;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.net.Cidr;
import dev.ouroboros.model.net.NodeCidrs;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is said when an API server refuses, has not what is asked for, or is none. */
final class ApiFailuresTest {
    private static final String SECRET = "/api/v1/namespaces/kube-system/secrets/keys";

    private LoopbackApi api;
    private ClusterClient client;

    @SuppressWarnings("NullAway.Init") // start() sets both before each test.
    ApiFailuresTest() {}

    @BeforeEach
    void start() throws Exception {
        api = new LoopbackApi();
        client = api.client();
    }

    @AfterEach
    void stop() {
        client.close();
        api.close();
    }

    @Test
    void namesTheObjectThatIsNotThere() {
        Refusal.of(
                () -> new ClusterReader(client).require(SECRET),
                ErrorCode.NOT_FOUND,
                SECRET,
                "the server has no such object",
                "kubectl get --raw " + SECRET);
    }

    @Test
    void saysThatAProxyMayAnswerInPlaceOfAnApiServer() {
        api.on("GET", SECRET, 200, "<html>log in</html>").on("PUT", SECRET, 200, "<html>log in</html>");
        Refusal.of(
                () -> new ClusterReader(client).require(SECRET),
                ErrorCode.API_UNAVAILABLE,
                SECRET,
                "is not JSON",
                "a proxy may be before it");
        Refusal.of(
                () -> new ClusterWriter(client).replace(SECRET, Json.object()),
                ErrorCode.API_UNAVAILABLE,
                SECRET,
                "is not JSON",
                "a proxy may be before it");
    }

    @Test
    void namesEveryObjectThatTheServerRefuses() {
        api.refuse("PATCH", "/api/v1/namespaces/kube-system/configmaps/a", 422, "data is invalid")
                .refuse("PATCH", "/api/v1/namespaces/kube-system/configmaps/b", 403, "you may not");
        assertThatThrownBy(() -> new Applier(client).apply(configMaps("a", "b"), _ -> {}))
                .isInstanceOfSatisfying(ProblemException.class, failure -> {
                    List<Problem> refused = failure.problems();
                    assertThat(refused).extracting(Problem::code).containsOnly(ErrorCode.API_REFUSED);
                    assertThat(refused)
                            .extracting(Problem::where)
                            .containsExactly("ConfigMap kube-system/a", "ConfigMap kube-system/b");
                    assertThat(refused.getFirst().next())
                            .isEqualTo("mend what the server names, and run the same command again");
                    assertThat(refused.getLast().next()).contains("kubectl auth can-i --list", "auth/kubeconfig");
                });
    }

    /** It decides whether data may be discarded. */
    @Test
    void onlyWhoeverCannotBeThereOrCannotReadIsNoCluster() throws Exception {
        api.refuse("GET", SECRET, 503, "etcd is away");
        assertThat(showsNoCluster(client)).isTrue();
        api.refuse("GET", SECRET, 401, "unauthorized");
        assertThat(showsNoCluster(client)).as("another user").isFalse();
        try (ClusterClient distrusting = ClusterClient.connect(Endpoint.of(
                api.url(), List.of(new TestAuthority().certificate()), Optional.empty(), Optional.empty()))) {
            assertThat(showsNoCluster(distrusting)).as("another authority").isFalse();
        }
        CountDownLatch answered = new CountDownLatch(1);
        api.after("GET", SECRET, () -> await(answered));
        Endpoint endpoint = Endpoint.of(api.url(), List.of(api.authority()), Optional.empty(), Optional.empty());
        try (ClusterClient hasty = ClusterClient.connect(endpoint, Duration.ofMillis(300))) {
            assertThat(showsNoCluster(hasty)).as("a slow one").isFalse();
        }
        answered.countDown();
        api.close();
        try (ClusterClient late = ClusterClient.connect(endpoint)) {
            assertThat(showsNoCluster(late)).as("nobody listens").isTrue();
        }
    }

    private static boolean showsNoCluster(ClusterClient asked) {
        ClusterReader reader = new ClusterReader(asked);
        return ClusterClient.showsNoCluster(catchThrowableOfType(ProblemException.class, () -> reader.require(SECRET)));
    }

    /** On a slow machine each round of all of them took the time that the missing one needed. */
    @Test
    void whatIsInPlaceIsNotSentAgain() {
        AtomicInteger sent = new AtomicInteger();
        api.on("PATCH", "/api/v1/namespaces/kube-system/configmaps/a", 200, "{}")
                .after("PATCH", "/api/v1/namespaces/kube-system/configmaps/a", sent::incrementAndGet);
        api.refuse("PATCH", "/api/v1/namespaces/kube-system/configmaps/b", 503, "too busy");
        Applier applier = new Applier(client);
        for (int round = 0; round < 2; round++) {
            assertThatThrownBy(() -> applier.apply(configMaps("a", "b"), _ -> {}))
                    .isInstanceOf(ProblemException.class);
        }
        assertThat(sent).hasValue(1);
    }

    /** The server is still thinking. */
    @Test
    void saysThatItWasInterrupted() {
        CountDownLatch answered = new CountDownLatch(1);
        api.after("PATCH", "/api/v1/namespaces/kube-system/configmaps/a", () -> await(answered));
        Thread.currentThread().interrupt();
        Refusal.of(
                () -> new Applier(client).apply(configMaps("a"), _ -> {}),
                ErrorCode.TIMEOUT,
                "apply",
                "interrupted",
                "run the same command again");
        assertThat(Thread.interrupted()).as("is still to be seen by the caller").isTrue();
        answered.countDown();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static NodeRegistration node(ClusterClient client, NodeCidrs cidrs) {
        return new NodeRegistration(client, "own", Set.of("master"), cidrs, FormerLife.before(Optional.empty()));
    }

    private static List<Json> configMaps(String... names) {
        return Stream.of(names)
                .<Json>map(name -> Json.object()
                        .with("apiVersion", Json.text("v1"))
                        .with("kind", Json.text("ConfigMap"))
                        .with(
                                "metadata",
                                Json.object()
                                        .with("name", Json.text(name))
                                        .with("namespace", Json.text("kube-system"))))
                .toList();
    }

    @Test
    void asksForALargerPodNetworkWhenNoBlockIsLeft() {
        NodeCidrs one = new NodeCidrs(List.of(new NodeCidrs.Range(Cidr.parse("10.2.0.0/24"), 24)));
        api.on("GET", "/api/v1/nodes", 200, """
                {"kind": "NodeList", "apiVersion": "v1", "items": [
                 {"metadata": {"name": "other"}, "spec": {"podCIDR": "10.2.0.0/24", "podCIDRs": ["10.2.0.0/24"]}},
                 {"metadata": {"name": "own"}, "spec": {}}]}""");
        Refusal.of(
                () -> node(client, one).admit(),
                ErrorCode.API_REFUSED,
                "Node own",
                "no pod addresses are left",
                "give the cluster a larger pod CIDR");
    }

    /** While it is watched, a refusal is what is not known; it must say why, since the user sees it when a phase takes too long. */
    @Test
    void whatCannotBeObservedIsUnknownWithTheReason() {
        api.refuse("GET", "/api/v1/nodes", 403, "no nodes")
                .refuse("GET", "/api/v1/namespaces/default/endpoints/kubernetes", 403, "no endpoints")
                .refuse(
                        "GET",
                        "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager",
                        403,
                        "no leases");
        assertUnknown(node(client, NodeCidrs.none()).observe(), "Node own: no nodes", "kubectl auth can-i --list");
        assertUnknown(
                client.looking(
                        "Endpoints default/kubernetes",
                        () -> client.api().get(new ApiPath("/api/v1/namespaces/default/endpoints/kubernetes"))),
                "Endpoints default/kubernetes: no endpoints",
                "kubectl auth can-i --list");
        assertUnknown(
                new TemporaryLeaders(client, "own", Set.of()).leading(),
                "Leases in kube-system: no leases",
                "kubectl auth can-i --list");
    }

    private static void assertUnknown(Evidence<?> evidence, String... parts) {
        assertThat(evidence)
                .isInstanceOfSatisfying(
                        Evidence.Unknown.class,
                        unknown -> assertThat(unknown.reason()).contains(parts));
    }
}
