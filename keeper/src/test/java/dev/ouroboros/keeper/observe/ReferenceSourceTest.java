package dev.ouroboros.keeper.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.model.checkpoint.ApiObject;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReferenceSourceTest {
    private static final ApiObject KEYS = new ApiObject(ApiObject.Kind.SECRET, "kube-system", "keys");
    private static final String PATH = "/api/v1/namespaces/kube-system/secrets/keys";

    @SuppressWarnings("NullAway.Init") // begin() sets it before each test.
    private Cluster cluster;

    @SuppressWarnings("NullAway.Init") // begin() sets it before each test.
    private ReferenceSource source;

    @SuppressWarnings("NullAway.Init") // begin() sets it before each test.
    private Supplier<Duration> turn;

    private Set<String> pods = Set.of("uid-1");

    @BeforeEach
    void begin(@TempDir Path directory) throws Exception {
        cluster = new Cluster(directory);
        source = new ReferenceSource(
                cluster.client,
                cluster.guard,
                () -> Set.of(KEYS),
                () -> pods,
                cluster,
                new Signal(cluster),
                namespace -> {});
        source.start(new Lookouts() {
            @Override
            public void repeat(String name, Supplier<Duration> look) {}

            @Override
            public void repeatAndWhenRestEnds(String name, Supplier<Duration> look) {
                turn = look;
            }

            @Override
            public void follow(String name, Runnable look) {}

            @Override
            public void close() {}
        });
        isThere("one");
    }

    @AfterEach
    void end() throws Exception {
        cluster.close();
    }

    private void isThere(String key) {
        cluster.server.put(
                PATH,
                FakeApiServer.object("v1", "Secret", "kube-system", "keys")
                        .with("immutable", Json.bool(true))
                        .with("data", Json.object().with("key", Json.text(key))));
    }

    private List<String> read() {
        assertThat(turn.get()).isPositive();
        return source.of(KEYS) instanceof Evidence.Known<Optional<Json>>(Optional<Json> found)
                ? found.flatMap(secret -> secret.at("data", "key").text()).stream()
                        .toList()
                : List.of("unknown");
    }

    /** Who wants to change it deletes it and makes another one of its name. */
    @Test
    void anImmutableOneIsReadAgainForAPodThatWasNotThereBeforeAndNowAndThen() {
        assertThat(read()).containsExactly("one");
        isThere("two");
        cluster.later(Duration.ofMinutes(1));
        assertThat(read()).containsExactly("one");

        pods = Set.of("uid-1", "uid-2");
        assertThat(read()).containsExactly("two");
        cluster.server.delete(PATH);
        pods = Set.of("uid-2");
        assertThat(read()).as("a pod that has gone reads nothing").containsExactly("two");

        cluster.later(Duration.ofMinutes(4));
        assertThat(read()).containsExactly("two");
        cluster.later(Duration.ofMinutes(1));
        assertThat(read()).isEmpty();
    }
}
