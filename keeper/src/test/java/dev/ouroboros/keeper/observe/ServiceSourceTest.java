package dev.ouroboros.keeper.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.KubernetesServiceEndpoints;
import dev.ouroboros.keeper.observe.ServiceSource.Membership;
import dev.ouroboros.model.evidence.Evidence;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class ServiceSourceTest {
    private static final String OWN = "10.77.0.2";
    private static final String OTHER = "10.77.0.3";

    private final AtomicReference<Set<String>> controlPlane = new AtomicReference<>(Set.of(OWN, OTHER));
    private final AtomicReference<Membership> membership =
            new AtomicReference<>(new Membership(true, Set.of(), Set.of(), Set.of()));

    private Cluster cluster;
    private LookoutThreads threads;
    private ServiceSource source;

    @BeforeEach
    void begin(@TempDir Path directory) throws Exception {
        cluster = new Cluster(directory);
        serviceWith(OTHER).write();
        KubernetesServiceEndpoints service = serviceWith(OWN);
        service.write();
        Signal changed = new Signal(cluster);
        ApiSources api = new ApiSources(cluster.client, cluster.guard, "node", changed);
        source = new ServiceSource(service, cluster.guard, api, membership::get, cluster, changed);
        threads = new LookoutThreads(changed);
        api.start(threads);
        while (!(api.endpoints() instanceof Evidence.Known)) {
            Thread.onSpinWait();
        }
        source.look();
        assertThat(source.value()).isEqualTo(Evidence.known(true));
    }

    private KubernetesServiceEndpoints serviceWith(String address) {
        return new KubernetesServiceEndpoints(
                cluster.client, address, 6443, () -> Evidence.known(controlPlane.get()), () -> true);
    }

    @AfterEach
    void end() throws Exception {
        threads.close();
        cluster.close();
    }

    /** Its own keeper went with its label, before it could take it out. */
    @Test
    void aNodeThatLostItsLabelIsTakenOutWhileItsServerIsNotReady() {
        membership.set(new Membership(true, Set.of(), Set.of(OTHER), Set.of()));
        source.look();
        assertThat(source.value()).as("it has its label still").isEqualTo(Evidence.known(true));
        controlPlane.set(Set.of(OWN));
        cluster.later(Duration.ofSeconds(19));
        source.look();
        assertThat(source.value()).isEqualTo(Evidence.known(true));
        cluster.later(Duration.ofSeconds(1));
        source.look();
        assertThat(source.value()).isEqualTo(Evidence.known(false));
    }

    @Test
    void whileAllAreReadyTheNodesAreReadSeldom() {
        controlPlane.set(Set.of(OWN));
        cluster.later(Duration.ofSeconds(299));
        source.look();
        assertThat(source.value()).isEqualTo(Evidence.known(true));
        cluster.later(Duration.ofSeconds(1));
        source.look();
        assertThat(source.value()).isEqualTo(Evidence.known(false));
    }
}
