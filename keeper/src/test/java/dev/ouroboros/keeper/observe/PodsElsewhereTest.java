package dev.ouroboros.keeper.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.api.testing.FakeApiServer.Fault;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.runtime.RuntimePod;
import dev.ouroboros.runtime.ContainerRuntime;
import dev.ouroboros.runtime.RuntimeVersion;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PodsElsewhereTest {
    private static final ComponentName SCHEDULER = new ComponentName("kube-system", "kube-scheduler");
    private static final String IMAGE = "localhost/scheduler:2";

    private final Set<String> images = new HashSet<>(Set.of(IMAGE));
    private final Set<String> archived = new HashSet<>();
    private Cluster cluster;
    private PodsElsewhere source;

    /** A runtime that has images and nothing else. */
    private final class OnlyImages implements ContainerRuntime {
        @Override
        public RuntimeVersion version() {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<RuntimePod> pods() {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean hasImage(String reference) {
            return images.contains(reference);
        }
    }

    @BeforeEach
    void begin(@TempDir Path directory) throws Exception {
        cluster = new Cluster(directory);
        Json deployment = FakeApiServer.object("apps/v1", "Deployment", "kube-system", "kube-scheduler")
                .with(
                        "spec",
                        Json.object()
                                .with(
                                        "selector",
                                        Json.object()
                                                .with(
                                                        "matchLabels",
                                                        Json.object().with("k8s-app", Json.text("kube-scheduler")))));
        source = new PodsElsewhere(
                cluster.client,
                cluster.guard,
                () -> Evidence.known(new TreeMap<>(Map.of(SCHEDULER.toString(), ControllerSeen.replicas(deployment)))),
                new OnlyImages(),
                _ -> archived,
                cluster,
                new Signal(InstantSource.system()));
        source.want(new TreeSet<>(Set.of(SCHEDULER)));
    }

    @AfterEach
    void end() {
        cluster.close();
    }

    private void pod(String name, String created, boolean ready, String image) {
        pod(name, created, ready, image, "5d9");
    }

    private void pod(String name, String created, boolean ready, String image, String template) {
        Json.Fields owner = Json.object()
                .with("kind", Json.text("ReplicaSet"))
                .with("name", Json.text("kube-scheduler-" + template))
                .with("controller", Json.bool(true));
        Json.Fields object = FakeApiServer.object("v1", "Pod", "kube-system", name);
        Json.Fields metadata = (Json.Fields) object.at("metadata");
        Json.Fields condition =
                Json.object().with("type", Json.text("Ready")).with("status", Json.text(ready ? "True" : "False"));
        Json.Fields container =
                Json.object().with("name", Json.text("kube-scheduler")).with("image", Json.text(image));
        cluster.server.put(
                "/api/v1/namespaces/kube-system/pods/" + name,
                object.with(
                                "metadata",
                                metadata.with("creationTimestamp", Json.text(created))
                                        .with("uid", Json.text("uid-of-" + name))
                                        .with("ownerReferences", Json.items(Stream.of(owner)))
                                        .with(
                                                "annotations",
                                                Json.object().with("ouroboros.dev/checkpoint", Json.text("true")))
                                        .with(
                                                "labels",
                                                Json.object()
                                                        .with("k8s-app", Json.text("kube-scheduler"))
                                                        .with("pod-template-hash", Json.text(template))))
                        .with("spec", Json.object().with("containers", Json.items(Stream.of(container))))
                        .with("status", Json.object().with("conditions", Json.items(Stream.of(condition)))));
    }

    private Optional<String> found() {
        return source.of(SCHEDULER).map(pod -> Optional.of(pod.pod().name())).orElse(Optional.empty());
    }

    @Test
    void findsTheYoungestThatIsReady() {
        pod("old", "2026-11-21T00:00:00Z", true, IMAGE);
        pod("young", "2026-11-21T00:10:00Z", true, IMAGE);
        pod("younger", "2026-11-21T00:20:00Z", false, IMAGE);

        source.look();

        assertThat(found()).hasValue("young");
        assertThat(source.known()).hasSize(1);
    }

    @Test
    void asksForThePodsOfItsDeploymentOnlyAndSeldom() {
        pod("young", "2026-11-21T00:10:00Z", true, IMAGE);
        source.look();
        source.look();
        cluster.later(Duration.ofSeconds(30));
        source.look();

        assertThat(cluster.server.requests())
                .filteredOn(request -> request.contains("/pods"))
                .hasSize(2)
                .allMatch(request -> request.contains("labelSelector=k8s-app%3Dkube-scheduler"));
    }

    @Test
    void doesNotKnowWhatThisNodeHasNoImageOf() {
        pod("young", "2026-11-21T00:10:00Z", true, "localhost/scheduler:3");

        source.look();

        assertThat(source.of(SCHEDULER))
                .isInstanceOfSatisfying(
                        Evidence.Unknown.class,
                        unknown -> assertThat(unknown.reason()).contains("localhost/scheduler:3"));
        images.add("localhost/scheduler:3");
        cluster.later(Duration.ofSeconds(30));
        source.look();
        assertThat(found()).hasValue("young");
    }

    @Test
    void takesAnImageThatIsKeptForTheCheckpoint() {
        pod("young", "2026-11-21T00:10:00Z", true, "localhost/scheduler:3");
        archived.add("localhost/scheduler:3");

        source.look();

        assertThat(found()).hasValue("young");
    }

    @Test
    void doesNotKnowWhichOfTwoTemplatesLeads() {
        pod("old", "2026-11-21T00:00:00Z", true, IMAGE, "5d9");
        pod("new", "2026-11-21T00:10:00Z", true, IMAGE, "7f2");

        source.look();

        assertThat(source.of(SCHEDULER)).isInstanceOf(Evidence.Unknown.class);
    }

    @Test
    void remembersAPodWhileTheApiDoesNotAnswer() {
        pod("young", "2026-11-21T00:10:00Z", true, IMAGE);
        source.look();
        cluster.server.fault("GET /api/v1/namespaces/kube-system/pods", new Fault.Status(500, Map.of()));
        cluster.later(Duration.ofSeconds(30));

        source.look();

        assertThat(found()).hasValue("young");
    }

    @Test
    void asksAgainAfterAnErrorAndForgetsWhatIsNotWanted() {
        pod("young", "2026-11-21T00:10:00Z", true, IMAGE);
        cluster.server.fault("GET /api/v1/namespaces/kube-system/pods", new Fault.Status(500, Map.of()));
        source.look();
        assertThat(source.of(SCHEDULER)).isInstanceOf(Evidence.Unknown.class);

        cluster.server.heal();
        cluster.later(Duration.ofSeconds(5));
        source.look();
        assertThat(found()).hasValue("young");

        source.want(new TreeSet<>());
        source.look();
        assertThat(found()).isEmpty();
        assertThat(source.all()).isEmpty();
    }
}
