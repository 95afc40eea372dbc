package dev.ouroboros.keeper.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.api.testing.FakeApiServer.Fault;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.version.KubernetesVersion;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server of v1.21.0 after one of v1.20.2 stood in for it. */
final class NewestServerTest {
    private static final KubernetesVersion OLDER =
            KubernetesVersion.parse("v1.20.2").orElseThrow();

    private final List<String> said = new ArrayList<>();
    private Evidence<Health> principal = Evidence.known(new Health.Ready(Instant.EPOCH));
    private Cluster cluster;
    private NewestServer newest;

    @BeforeEach
    void begin(@TempDir Path directory) throws Exception {
        cluster = new Cluster(directory);
        newest = new NewestServer(
                cluster.client,
                cluster.guard,
                cluster.memory,
                () -> principal,
                cluster,
                (reason, message) -> said.add(reason.word() + (reason.isWarning() ? "!: " : ": ") + message));
        cluster.server.version("v1.21.0");
        cluster.guard.require();
        lists("apps/v1", "batch/v1", "example.com/v1");
        look();
        assertThat(cluster.memory.newestGroups()).containsExactly("apps/v1", "batch/v1", "example.com/v1");
    }

    @AfterEach
    void end() {
        cluster.close();
    }

    private void look() {
        cluster.later(Duration.ofSeconds(10));
        newest.look();
    }

    private void lists(String... groupVersions) {
        Json groups = Json.items(Arrays.stream(groupVersions)
                .map(text -> Json.object()
                        .with("name", Json.text(text.split("/", 2)[0]))
                        .with(
                                "versions",
                                Json.items(List.of(text).stream()
                                        .map(version -> Json.object().with("groupVersion", Json.text(version)))))));
        cluster.server.put(
                "/apis", FakeApiServer.object("v1", "APIGroupList", "", "all").with("groups", groups));
    }

    private void serves(String groupVersion) {
        cluster.server.put("/apis/" + groupVersion, FakeApiServer.object("v1", "APIResourceList", "", "all"));
    }

    private void olderStoodIn() {
        cluster.memory.standsIn(OLDER);
    }

    @Test
    void asksNothingWhenNoOlderServerStoodIn() {
        int before = cluster.server.requests().size();
        look();

        assertThat(cluster.server.requests()).hasSize(before);
        assertThat(newest.unverified()).isEmpty();
    }

    @Test
    void findsTheNewerServerWhole() {
        olderStoodIn();
        assertThat(newest.unverified()).contains("v1.20.2");

        look();

        assertThat(newest.unverified()).isEmpty();
        assertThat(said)
                .singleElement()
                .asString()
                .startsWith("NewerServerVerified: ")
                .contains("v1.21.0", "v1.20.2");
    }

    @Test
    void waitsForAServerOfTheNewestVersion() {
        olderStoodIn();
        cluster.server.version("v1.20.2");
        look();
        assertThat(newest.unverified()).isPresent();

        cluster.server.version("v1.21.0");
        look();
        assertThat(newest.unverified()).isEmpty();
    }

    @Test
    void waitsUntilThePrincipalHasBeenReadyForAWhile() {
        olderStoodIn();
        principal = Evidence.known(new Health.NotReady("[-]autoregister-completion failed"));
        look();
        principal = Evidence.known(new Health.Ready(cluster.instant().plusSeconds(5)));
        look();
        assertThat(newest.unverified()).isPresent();

        look();
        assertThat(newest.unverified()).isEmpty();
    }

    @Test
    void namesWhatTheOlderServerRemovedUntilItIsBack() {
        olderStoodIn();
        lists("apps/v1", "example.com/v1");
        serves("batch/v1");
        look();
        assertThat(newest.unverified()).isPresent();
        assertThat(said)
                .singleElement()
                .asString()
                .startsWith("NewerServerDamaged!: ")
                .contains("batch/v1 is not listed");

        lists("apps/v1", "batch/v1", "example.com/v1");
        look();
        assertThat(newest.unverified()).isEmpty();
    }

    /** As when a CustomResourceDefinition was deleted meanwhile. */
    @Test
    void doesNotMissWhatTheServerItselfHasNoMore() {
        olderStoodIn();
        lists("apps/v1", "batch/v1");
        look();

        assertThat(newest.unverified()).isEmpty();
    }

    @Test
    void noticesSecretsThatTheNewerServerCannotRead() {
        olderStoodIn();
        cluster.server.fault("GET /api/v1/namespaces/kube-system/secrets", new Fault.Status(500, Map.of()));
        look();

        assertThat(newest.unverified()).isPresent();
        assertThat(said).singleElement().asString().contains("Secrets cannot be read");
    }

    @Test
    void readsEverySecret() {
        for (int index = 0; index < 120; index++) {
            String name = "secret-" + index;
            cluster.server.put(
                    "/api/v1/namespaces/kube-system/secrets/" + name,
                    FakeApiServer.object("v1", "Secret", "kube-system", name));
        }
        olderStoodIn();
        look();

        assertThat(cluster.server.requests().stream().filter(request -> request.contains("/secrets")))
                .hasSize(3);
        assertThat(newest.unverified()).isEmpty();
    }

    @Test
    void concludesNothingFromAServerThatDoesNotAnswer() {
        olderStoodIn();
        cluster.server.fault("GET /apis", new Fault.Status(429, Map.of()));
        look();

        assertThat(newest.unverified()).isPresent();
        assertThat(said).isEmpty();
    }

    @Test
    void writesDownWhatANewerVersionListsWhenTheGuardHasSeenIt() throws Exception {
        cluster.server.version("v1.22.0");
        lists("apps/v1");
        cluster.later(Duration.ofSeconds(10));
        cluster.guard.require();
        look();

        assertThat(cluster.memory.newestGroups()).containsExactly("apps/v1");
    }
}
