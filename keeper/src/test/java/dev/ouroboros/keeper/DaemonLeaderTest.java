package dev.ouroboros.keeper;

import static dev.ouroboros.api.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.model.json.Json;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the keeper does with the Leases of leaders that ended on its node. */
final class DaemonLeaderTest {
    private static final String LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler";
    private static final Instant RENEWED = Instant.parse("2026-01-01T00:00:09Z");
    /** Each a second after the other. */
    private static final int MANY = 5;

    private static final String POD = "kube-scheduler-5c4b7-xk2wz";

    private KeeperWorld world;

    @BeforeEach
    void begin(@TempDir Path directory) throws Exception {
        world = new KeeperWorld(directory);
        world.pod(true);
        world.kubelet.runs(POD, "pod-2", "kube-scheduler", true);
        isLedBy(POD + "_3f", RENEWED);
    }

    @AfterEach
    void end() throws Exception {
        world.close();
    }

    private void isLedBy(String holder, Instant renewed) {
        Json.Fields spec = Json.object()
                .with("holderIdentity", Json.text(holder))
                .with("acquireTime", Json.text("2026-01-01T00:00:00.000000Z"))
                .with("renewTime", Json.text(renewed.toString()));
        world.principal.put(
                LEASE,
                FakeApiServer.object("coordination.k8s.io/v1", "Lease", "kube-system", "kube-scheduler")
                        .with("spec", spec));
    }

    private String holder() {
        return world.principal
                .get(LEASE)
                .flatMap(lease -> lease.at("spec", "holderIdentity").text())
                .orElseThrow();
    }

    private long requests(String verb) {
        return world.principal.requests().stream()
                .filter(request -> request.startsWith(verb + " " + LEASE))
                .count();
    }

    @Test
    void releasesTheLeaseOfAPodThatIsGone() throws Exception {
        world.startKeeper();
        eventually("a checkpoint", () -> world.lastGood().isPresent());
        assertThat(requests("GET")).as("nobody has ended").isZero();

        world.kubelet.stopped(POD);

        eventually("released", () -> holder().isEmpty());
        assertThat(requests("PUT")).isEqualTo(1);
    }

    /** Whoever renews after the container has ended is another process, whatever its name: it is not asked about again. */
    @Test
    void leavesALeaseThatIsRenewedSince() throws Exception {
        world.startKeeper();
        eventually("a checkpoint", () -> world.lastGood().isPresent());

        isLedBy(POD + "_3f", Instant.now().plusSeconds(3600));
        world.kubelet.stopped(POD);

        eventually("read", () -> requests("GET") > 0);
        decideOften();
        assertThat(requests("GET")).as("once is enough").isEqualTo(1);
        assertThat(holder()).isNotEmpty();
    }

    @Test
    void leavesTheLeaseOfALeaderElsewhere() throws Exception {
        isLedBy("kube-scheduler-5c4b7-other_9c", RENEWED);
        world.startKeeper();
        eventually("a checkpoint", () -> world.lastGood().isPresent());

        world.kubelet.stopped(POD);

        eventually("read", () -> requests("GET") > 0);
        decideOften();
        assertThat(requests("GET")).as("once is enough").isEqualTo(1);
        assertThat(requests("PUT")).isZero();
    }

    /** As in a cluster whose Role is from before. */
    @Test
    void asksSeldomForWhatItMayNotRead() throws Exception {
        world.principal.fault("GET " + LEASE, new FakeApiServer.Fault.Status(403, Map.of()));
        world.startKeeper();
        eventually("a checkpoint", () -> world.lastGood().isPresent());

        world.kubelet.stopped(POD);

        eventually("asked", () -> requests("GET") > 0);
        decideOften();
        assertThat(requests("GET")).as("not again for half a minute").isEqualTo(1);
    }

    @Test
    void whatItMayNotReadHidesNothingOfTheOther() throws Exception {
        String other = "kube-controller-manager-7d9f-abcde";
        world.principal.fault(
                "GET " + LEASE.replace("kube-scheduler", "kube-controller-manager"),
                new FakeApiServer.Fault.Status(403, Map.of()));
        world.kubelet.runs(other, "pod-3", "kube-controller-manager", true);
        world.startKeeper();
        eventually("a checkpoint", () -> world.lastGood().isPresent());

        world.kubelet.stopped(other);
        world.kubelet.stopped(POD);

        eventually("released", () -> holder().isEmpty());
        decideOften();
        assertThat(requests("PUT")).isEqualTo(1);
    }

    private void decideOften() throws InterruptedException {
        long before = decisions();
        eventually("many decisions", () -> decisions() >= before + MANY);
    }

    private long decisions() {
        return world.ask("/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith("ouroboros_keeper_decisions_total "))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(line.indexOf(' ') + 1)))
                .sum();
    }
}
