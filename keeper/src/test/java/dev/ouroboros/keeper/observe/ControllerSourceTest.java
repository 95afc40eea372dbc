package dev.ouroboros.keeper.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.testing.FakeApiServer.Fault;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ControllerSourceTest {
    private static final ComponentName DNS = new ComponentName("dns", "resolver");

    private final List<String> forbidden = new ArrayList<>();
    private Cluster cluster;
    private ControllerSource source;

    @BeforeEach
    void begin(@TempDir Path directory) throws Exception {
        cluster = new Cluster(directory);
        source = new ControllerSource(
                cluster.client, cluster.guard, cluster, new Signal(InstantSource.system()), forbidden::add);
        source.want(Set.of(DNS));
    }

    @AfterEach
    void end() {
        cluster.close();
    }

    private Optional<ControllerSeen> found() {
        assertThat(source.of(DNS)).isInstanceOf(Evidence.Known.class);
        return source.of(DNS).orElse(Optional.empty());
    }

    private long requests() {
        return cluster.server.requests().stream()
                .filter(request -> request.contains("/namespaces/dns/"))
                .count();
    }

    @ParameterizedTest
    @ValueSource(strings = {"daemonsets", "deployments", "statefulsets", "replicasets"})
    void findsAControllerOfAnyKind(String kind) {
        cluster.controller("dns", kind, "resolver", 3);

        source.look();

        assertThat(found()).hasValueSatisfying(controller -> {
            assertThat(controller.asks()).isTrue();
            assertThat(controller.onEachNode()).isEqualTo(kind.equals("daemonsets"));
        });
    }

    @Test
    void knowsThatThereIsNoneOnlyWhenThereIsNoneOfAnyKind() {
        source.look();
        assertThat(found()).isEmpty();
        assertThat(requests()).isEqualTo(4);

        cluster.server.fault("GET " + Cluster.path("dns", "statefulsets", "resolver"), new Fault.Status(500, Map.of()));
        cluster.later(Duration.ofSeconds(10));
        source.look();
        assertThat(source.of(DNS)).isInstanceOf(Evidence.Unknown.class);
    }

    @Test
    void asksAgainForWhatItFoundAndNothingElse() {
        cluster.controller("dns", "replicasets", "resolver", 1);
        source.look();
        long first = requests();
        source.look();
        assertThat(requests()).isEqualTo(first);

        cluster.later(Duration.ofSeconds(30));
        source.look();
        assertThat(requests()).isEqualTo(first + 1);

        cluster.server.delete(Cluster.path("dns", "replicasets", "resolver"));
        cluster.later(Duration.ofSeconds(30));
        source.look();
        assertThat(found()).isEmpty();
    }

    @Test
    void saysEachTimeWhichNamespaceMayNotBeRead() {
        cluster.server.fault("GET /apis/apps", new Fault.Status(403, Map.of()));
        source.look();
        source.look();

        assertThat(source.of(DNS)).isInstanceOf(Evidence.Unknown.class);
        assertThat(source.all().get("controller dns/resolver")).isEqualTo(source.of(DNS));
        assertThat(forbidden).containsExactly("dns");

        cluster.server.heal();
        cluster.controller("dns", "deployments", "resolver", 1);
        cluster.later(Duration.ofSeconds(30));
        source.look();
        assertThat(found()).isPresent();
        assertThat(forbidden).containsExactly("dns");
    }

    @Test
    void forgetsWhatNobodyAsksFor() {
        source.look();
        source.want(Set.of());
        source.look();

        assertThat(source.of(DNS)).isInstanceOf(Evidence.Unknown.class);
        assertThat(source.all()).isEmpty();
    }
}
