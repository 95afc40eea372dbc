package dev.ouroboros.keeper.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ControlPlaneNodesTest {
    private static final String LABEL = "node-role.kubernetes.io/master";
    private static final String A = "10.77.0.2";
    private static final String B = "10.77.0.3";
    private static final String C = "10.77.0.4";

    @TempDir
    private Path directory = Path.of("");

    @SuppressWarnings("NullAway.Init") // made before each test
    private Cluster cluster;

    private Set<String> away = Set.of();
    private Evidence<Integer> ready = Evidence.known(1);

    @BeforeEach
    void nodes() throws Exception {
        cluster = new Cluster(directory);
        node("a", A, true, "True");
        node("b", B, true, "Unknown");
        node("c", C, false, "True");
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private void node(String name, String address, boolean labelled, String ready) {
        Json.Fields object = FakeApiServer.object("v1", "Node", "", name);
        Json.Fields labels = labelled ? Json.object().with(LABEL, Json.text("")) : Json.object();
        Json.Fields metadata = ((Json.Fields) object.at("metadata")).with("labels", labels);
        Json addresses = Json.items(
                Stream.of(Json.object().with("type", Json.text("InternalIP")).with("address", Json.text(address))));
        Json conditions = Json.items(
                Stream.of(Json.object().with("type", Json.text("Ready")).with("status", Json.text(ready))));
        cluster.server.put(
                "/api/v1/nodes/" + name,
                object.with("metadata", metadata)
                        .with(
                                "status",
                                Json.object().with("addresses", addresses).with("conditions", conditions)));
    }

    private Evidence<Set<String>> addresses(Set<String> labels) {
        OtherServers others = new OtherServers(() -> ready, Set::of, () -> away);
        return new ControlPlaneNodes(cluster.client, cluster.guard, () -> labels, C, others).addresses();
    }

    @Test
    void areThoseWithTheLabel() {
        assertThat(addresses(Set.of(LABEL))).isEqualTo(Evidence.known(Set.of(A, B)));
    }

    @Test
    void areNotKnownWithoutALabel() {
        assertThat(addresses(Set.of())).isInstanceOf(Evidence.Unknown.class);
    }

    /** Neither the API's word, which may be late, nor this node's own view, which may be of a broken link, is enough. */
    @Test
    void oneIsGoneWhenNeitherTheClusterNorThisNodeHearsOfIt() {
        away = Set.of(A);
        assertThat(addresses(Set.of(LABEL))).as("its kubelet is heard of").isEqualTo(Evidence.known(Set.of(A, B)));
        away = Set.of(A, B);
        assertThat(addresses(Set.of(LABEL))).isEqualTo(Evidence.known(Set.of(A)));
    }

    /** Of IPv6 there are several texts for one address. */
    @Test
    void oneIsGoneHoweverItsAddressIsWritten() {
        node("b", "fd00::2", true, "Unknown");
        away = Set.of("fd00:0:0:0:0:0:0:2");
        assertThat(addresses(Set.of(LABEL))).isEqualTo(Evidence.known(Set.of(A)));
    }

    /** It gets its label back: until then the Service would lead to servers that do not serve. */
    @Test
    void thisOneIsAmongThemWhileNoOtherOneServes() {
        ready = Evidence.known(0);
        assertThat(addresses(Set.of(LABEL))).isEqualTo(Evidence.known(Set.of(A, B, C)));
        ready = Evidence.unknown("etcd elects");
        assertThat(addresses(Set.of(LABEL))).isEqualTo(Evidence.known(Set.of(A, B)));
    }
}
