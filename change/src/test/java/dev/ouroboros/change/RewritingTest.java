package dev.ouroboros.change;

import static dev.ouroboros.change.FakeCluster.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.testing.SilentListener;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class RewritingTest {
    private static final String SECRET = "/api/v1/namespaces/shop/secrets/";

    private final FakeCluster cluster = new FakeCluster();
    private final Rewriting rewriting =
            new Rewriting(cluster, new Patience(new SilentListener(), Duration.ofSeconds(1), InstantSource.system()));

    @BeforeEach
    void fill() {
        String verbs = "'verbs': ['get', 'list', 'update']";
        cluster.lists.put(
                "/api/v1",
                json("{'resources': [{'name': 'secrets', 'namespaced': true, " + verbs
                        + "}, {'name': 'secrets/status', 'namespaced': true, " + verbs
                        + "}, {'name': 'bindings', 'namespaced': true, 'verbs': ['create']}]}"));
        cluster.lists.put(
                "/apis", json("{'groups': [{'name': 'shop.io', 'preferredVersion': {'groupVersion': 'shop.io/v2'}}]}"));
        cluster.lists.put(
                "/apis/shop.io/v2", json("{'resources': [{'name': 'carts', 'namespaced': false, " + verbs + "}]}"));
        for (String name : List.of("a", "b", "c")) {
            cluster.put(SECRET + name, json("{'metadata': {'namespace': 'shop', 'name': '" + name + "'}}"));
        }
        cluster.put("/apis/shop.io/v2/carts/one", json("{'metadata': {'name': 'one'}}"));
    }

    @Test
    void writesWhatIsStoredWithAnotherKeyOnceAndNothingElse() {
        cluster.stale.add(SECRET + "b");

        assertThat(rewriting.run(List.of("secrets"))).isEqualTo(3);
        assertThat(cluster.writes).containsExactly(SECRET + "b");
    }

    @Test
    void refusesToBelieveAnObjectThatIsWrittenAnewEachTime() {
        cluster.restless.add(SECRET + "c");

        assertThatThrownBy(() -> rewriting.run(List.of("secrets")))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining(SECRET + "c");
    }

    @Test
    void findsResourcesOfGroupsAndAllOfThem() {
        assertThat(rewriting.run(List.of("carts.shop.io"))).isEqualTo(1);
        assertThat(rewriting.run(List.of("*.shop.io"))).isEqualTo(1);
        assertThat(rewriting.run(List.of("*.*"))).isEqualTo(4);
        assertThat(rewriting.run(List.of("*."))).isEqualTo(3);
        assertThat(rewriting.run(List.of("nobody.knows"))).isZero();
    }

    @Test
    void goesOnWhenTheServerIsAwayForAMoment() {
        cluster.failures = 1;

        assertThat(rewriting.run(List.of("secrets"))).isEqualTo(3);
    }
}
