package dev.ouroboros.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.node.disk.LocalDisk;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NodeLeaseTest {
    private static final String NAME = "one-at-a-time";
    private static final String PATH = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/" + NAME;

    @TempDir
    private Path directory = Path.of("");

    @SuppressWarnings("NullAway.Init") // begin() sets it before each test.
    private FakeApiServer server;

    @SuppressWarnings("NullAway.Init") // begin() sets it before each test.
    private ApiClient client;

    private Instant now = Instant.parse("2026-11-30T12:00:00Z");

    @BeforeEach
    void begin() throws Exception {
        server = new FakeApiServer(new TestAuthority());
        client = new ApiClient(
                new LocalDisk(), server.writeKubeconfig(directory.resolve("kubeconfig")), Optional.empty(), "test");
    }

    @AfterEach
    void end() {
        client.close();
        server.close();
    }

    private NodeLease of(String node, Api api) {
        return new NodeLease(
                api, new ClusterGuard(client, new ProcessClusterMemory(), () -> now), NAME, node, () -> now, () -> now);
    }

    private NodeLease of(String node) {
        return of(node, client);
    }

    /** Asks as the client does; b takes the Lease right after it was read. */
    private Api whereAnotherIsFaster() {
        return (Api) Proxy.newProxyInstance(
                Api.class.getClassLoader(), new Class<?>[] {Api.class}, (_, method, given) -> {
                    try {
                        Object answer = method.invoke(client, given);
                        if (method.getName().equals("find")) {
                            isTakenByB();
                        }
                        return answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private void isTakenByB() {
        server.put(
                PATH,
                FakeApiServer.object("coordination.k8s.io/v1", "Lease", "kube-system", NAME)
                        .with("spec", Json.object().with("holderIdentity", Json.text("b"))));
    }

    private String holder() {
        return server.get(PATH)
                .flatMap(lease -> lease.at("spec", "holderIdentity").text())
                .orElse("");
    }

    @Test
    void isHeldRenewedAndGivenUp() throws Exception {
        NodeLease lease = of("a");
        assertThat(lease.look()).isInstanceOf(NodeLease.Seen.Free.class);
        lease.hold();
        assertThat(lease.look()).isEqualTo(new NodeLease.Seen.Mine(false));
        assertThat(of("b").look()).isEqualTo(new NodeLease.Seen.OfAnother("a"));
        now = now.plusSeconds(10);
        assertThat(lease.look()).isEqualTo(new NodeLease.Seen.Mine(true));
        lease.hold();
        assertThat(lease.look()).isEqualTo(new NodeLease.Seen.Mine(false));
        lease.release();
        assertThat(of("b").look()).isInstanceOf(NodeLease.Seen.Free.class);
    }

    @Test
    void oneThatIsNotRenewedIsFreeForWhoHasSeenThatForLongEnough() throws Exception {
        of("a").hold();
        NodeLease other = of("b");
        assertThat(other.look()).isEqualTo(new NodeLease.Seen.OfAnother("a"));
        now = now.plus(Duration.ofSeconds(41));
        other.hold();
        assertThat(holder()).isEqualTo("b");
    }

    /** Between what was judged and what is written there may be another one's turn. */
    @Test
    void whoWasSlowerWritesOverNobody() throws Exception {
        NodeLease slow = of("a", whereAnotherIsFaster());
        assertThatThrownBy(slow::hold).as("there was none").isInstanceOf(ApiException.class);
        assertThat(holder()).isEqualTo("b");

        server.put(PATH, server.get(PATH).orElseThrow().with("spec", Json.object()));
        assertThatThrownBy(slow::hold).as("nobody held it").isInstanceOf(ApiException.class);
        assertThat(holder()).isEqualTo("b");
    }

    @Test
    void whoGivesItUpLeavesItToWhoHasTakenIt() throws Exception {
        of("a").hold();
        assertThatThrownBy(of("a", whereAnotherIsFaster())::release).isInstanceOf(ApiException.class);
        assertThat(holder()).isEqualTo("b");
    }
}
