package dev.ouroboros.keeper.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.LeaderLeases;
import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.keeper.decide.Leading;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.runtime.RuntimeContainer;
import dev.ouroboros.model.runtime.RuntimePod;
import dev.ouroboros.runtime.ContainerRuntime;
import dev.ouroboros.runtime.RuntimeVersion;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who leads, by Leases that are read from an API server and by what a runtime has; the clock goes as a test says. */
final class LeaderSourceTest {
    private static final String NODE = "node-1";
    private static final String HOST = "the-machine";
    private static final Instant HOLDERS_CLOCK = Instant.parse("2020-01-01T00:00:00Z");

    @TempDir
    private Path directory = Path.of("");

    private final Pods pods = new Pods();

    @SuppressWarnings("NullAway.Init") // made before each test
    private Cluster cluster;

    @SuppressWarnings("NullAway.Init") // made before each test
    private RuntimeSource runtime;

    @SuppressWarnings("NullAway.Init") // made before each test
    private LeaderSource source;

    private int renewals;

    private static final class Pods implements ContainerRuntime {
        List<RuntimePod> all = List.of();
        boolean hangs;

        @Override
        public RuntimeVersion version() {
            throw new UnsupportedOperationException("nobody asks for it here");
        }

        @Override
        public List<RuntimePod> pods() {
            if (hangs) {
                throw ProblemException.of(ErrorCode.TIMEOUT, "runtime", "hangs", "", "wait");
            }
            return all;
        }

        @Override
        public boolean hasImage(String reference) {
            return true;
        }
    }

    @BeforeEach
    void aNode() throws Exception {
        cluster = new Cluster(directory);
        Signal changed = new Signal(cluster);
        runtime = new RuntimeSource(pods, NODE, changed);
        source = new LeaderSource(
                runtime,
                pods,
                cluster.guard,
                new LeaderLeases(cluster.client),
                NODE,
                Set.of(NODE, HOST),
                new LeaderSource.Clocks(cluster, cluster),
                changed);
        source.watch(true);
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private void lease(Component component, String holder) {
        renewals++;
        cluster.server.put(
                "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/" + component.id(),
                FakeApiServer.object("coordination.k8s.io/v1", "Lease", "kube-system", component.id())
                        .with(
                                "spec",
                                Json.object()
                                        .with("holderIdentity", Json.text(holder))
                                        .with("acquireTime", Json.text(HOLDERS_CLOCK.toString()))
                                        .with(
                                                "renewTime",
                                                Json.text(HOLDERS_CLOCK
                                                        .plusSeconds(renewals)
                                                        .toString()))));
    }

    private void look(Duration later) {
        cluster.later(later);
        runtime.refresh();
        source.refresh();
    }

    /** Somebody renews both Leases each five seconds for that long, and they are looked at each time. */
    private void renewFor(Duration time, String holder) {
        for (long second = 0; second <= time.toSeconds(); second += 5) {
            lease(Component.SCHEDULER, holder);
            lease(Component.CONTROLLER_MANAGER, holder);
            look(Duration.ofSeconds(5));
        }
    }

    private Evidence<Leading> scheduler() {
        return source.leading(Component.SCHEDULER);
    }

    @Test
    void oneLookIsNoEvidence() {
        renewFor(Duration.ZERO, "other-pod_1");

        assertThat(scheduler()).isInstanceOf(Evidence.Unknown.class);
    }

    @Test
    void whoRenewsAndWasNeverHereLeadsElsewhereUntilItIsSilent() {
        renewFor(Duration.ofSeconds(5), "other-pod_1");
        assertThat(scheduler()).isEqualTo(Evidence.known(new Leading.Elsewhere()));

        look(Duration.ofSeconds(10));
        assertThat(scheduler()).isEqualTo(Evidence.known(new Leading.Elsewhere()));
        look(Duration.ofSeconds(5));
        assertThat(scheduler()).isEqualTo(Evidence.known(new Leading.Nobody()));
    }

    /** The Node may have another name than the machine, whose name an understudy has, in the node's network. */
    @Test
    void anUnderstudyOfThisNodeIsHereWhateverItsNodeIsCalled() {
        renewFor(Duration.ofSeconds(5), "The-Machine_1");

        assertThat(scheduler().is(leading -> leading instanceof Leading.Here)).isTrue();
    }

    /** Its last renewals are as young as those of one that lives. */
    @Test
    void aPodThatHasJustEndedHereIsNotElsewhere() {
        pods.all = List.of(pod("kube-scheduler-x", RuntimeContainer.State.RUNNING));
        renewFor(Duration.ofSeconds(5), "kube-scheduler-x_1");
        assertThat(scheduler().is(leading -> leading instanceof Leading.Here)).isTrue();

        pods.all = List.of(pod("kube-scheduler-x", RuntimeContainer.State.EXITED));
        look(Duration.ofSeconds(5));
        assertThat(scheduler().is(leading -> leading instanceof Leading.Elsewhere))
                .isFalse();
        pods.all = List.of();
        look(Duration.ofSeconds(5));
        assertThat(scheduler().is(leading -> leading instanceof Leading.Elsewhere))
                .isFalse();
    }

    @Test
    void nothingIsKnownWhileTheRuntimeHangs() {
        renewFor(Duration.ofSeconds(5), "other-pod_1");
        pods.hangs = true;
        look(Duration.ofSeconds(1));

        assertThat(scheduler()).isInstanceOf(Evidence.Unknown.class);
    }

    @Test
    void countsAreKeptOnceAControllerManagerHasLedForTwoMinutes() {
        renewFor(Duration.ofSeconds(115), "other-pod_1");
        assertThat(source.countsAreKept()).isEqualTo(Evidence.known(false));

        renewFor(Duration.ofSeconds(10), "other-pod_1");
        assertThat(source.countsAreKept()).isEqualTo(Evidence.known(true));

        renewFor(Duration.ofSeconds(10), "another-pod_1");
        assertThat(source.countsAreKept()).isEqualTo(Evidence.known(false));
    }

    /** An owner's Role may allow one of the two. */
    @Test
    void oneLeaseThatCannotBeReadHidesNotTheOther() {
        cluster.server.fault(
                "GET /apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager",
                new FakeApiServer.Fault.Status(403, Map.of()));
        renewFor(Duration.ofSeconds(5), "other-pod_1");

        assertThat(scheduler()).isEqualTo(Evidence.known(new Leading.Elsewhere()));
        assertThat(source.countsAreKept()).isInstanceOf(Evidence.Unknown.class);
    }

    @Test
    void nothingIsKnownOfWhatNobodyLooksAt() {
        renewFor(Duration.ofSeconds(5), "other-pod_1");
        source.watch(false);
        look(Duration.ofSeconds(1));

        assertThat(scheduler()).isInstanceOf(Evidence.Unknown.class);
        assertThat(source.countsAreKept()).isInstanceOf(Evidence.Unknown.class);
    }

    private RuntimePod pod(String name, RuntimeContainer.State state) {
        return new RuntimePod(
                "kube-system",
                name,
                "uid",
                false,
                RuntimePod.State.READY,
                HOLDERS_CLOCK,
                0,
                List.of(new RuntimeContainer(
                        "kube-scheduler", "image", state, 0, HOLDERS_CLOCK, Optional.<RuntimeContainer.Exit>empty())));
    }
}
