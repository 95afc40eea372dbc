package dev.ouroboros.keeper;

import static dev.ouroboros.api.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.model.json.Json;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the keeper does with the Leases of leaders that ended on its node. */
final class DaemonLeaderTest {
    private static final String LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler";
    private static final String POD = "kube-scheduler-5c4b7-xk2wz";

    private KeeperWorld world;

    @BeforeEach
    void begin(@TempDir Path directory) throws Exception {
        world = new KeeperWorld(directory);
        world.pod(true);
        world.kubelet.runs(POD, "pod-2", "kube-scheduler", true);
        isLedBy(POD + "_3f", 0);
    }

    @AfterEach
    void end() throws Exception {
        world.close();
    }

    private void isLedBy(String holder, int renewals) {
        Json.Fields spec = Json.object()
                .with("holderIdentity", Json.text(holder))
                .with("acquireTime", Json.text("2026-01-01T00:00:00.000000Z"))
                .with(
                        "renewTime",
                        Json.text(Instant.parse("2026-01-01T00:00:09Z")
                                .plusSeconds(renewals)
                                .toString()));
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

    @Test
    void leavesALeaseThatIsRenewed() throws Exception {
        world.startKeeper();
        eventually("a checkpoint", () -> world.lastGood().isPresent());

        world.kubelet.stopped(POD);

        for (int renewals = 1; renewals <= 4; renewals++) {
            long before = requests("GET");
            isLedBy(POD + "_3f", renewals);
            eventually("read again and again", () -> requests("GET") >= before + 2);
        }
        assertThat(holder()).isNotEmpty();
        assertThat(requests("PUT")).isZero();
    }

    @Test
    void leavesTheLeaseOfALeaderElsewhere() throws Exception {
        isLedBy("kube-scheduler-5c4b7-other_9c", 0);
        world.startKeeper();
        eventually("a checkpoint", () -> world.lastGood().isPresent());

        world.kubelet.stopped(POD);

        eventually("read", () -> requests("GET") > 0);
        long read = requests("GET");
        assertThat(requests("GET")).as("once is enough").isEqualTo(read);
        assertThat(requests("PUT")).isZero();
    }
}
