package dev.ouroboros.keeper.observe;

import dev.ouroboros.api.ApiClient;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.keeper.testing.FailingDisk;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.node.disk.LocalDisk;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.stream.Stream;

/** An API server, what a keeper asks it with, and a clock that goes as a test says. */
final class Cluster implements InstantSource, AutoCloseable {
    final FakeApiServer server;
    final ApiClient client;
    final FailingDisk disk = new FailingDisk(new LocalDisk());
    final Path stateFile;
    final NodeMemory memory;
    final ClusterGuard guard;
    private Instant now = Instant.parse("2026-11-21T00:00:00Z");

    Cluster(Path directory) throws Exception {
        server = new FakeApiServer(new TestAuthority());
        Path kubeconfig = server.writeKubeconfig(directory.resolve("kubeconfig"));
        client = new ApiClient(new LocalDisk(), kubeconfig, Optional.empty(), "test");
        stateFile = directory.resolve("state.json");
        memory = new NodeMemory(disk.disk(), stateFile);
        guard = new ClusterGuard(client, memory, this);
    }

    @Override
    public Instant instant() {
        return now;
    }

    void later(Duration duration) {
        now = now.plus(duration);
    }

    /** A controller whose pods ask for a checkpoint, and are selected to no node in particular. */
    void controller(String namespace, String kind, String name, long replicas) {
        Json.Fields annotations = Json.object().with("ouroboros.dev/checkpoint", Json.text("true"));
        Json.Fields container = Json.object().with("name", Json.text(name)).with("image", Json.text("localhost/it:1"));
        Json.Fields template = Json.object()
                .with("metadata", Json.object().with("annotations", annotations))
                .with("spec", Json.object().with("containers", Json.items(Stream.of(container))));
        server.put(
                path(namespace, kind, name),
                FakeApiServer.object("apps/v1", kind, namespace, name)
                        .with(
                                "spec",
                                Json.object()
                                        .with("replicas", Json.number(replicas))
                                        .with("template", template)));
    }

    static String path(String namespace, String kind, String name) {
        return "/apis/apps/v1/namespaces/" + namespace + "/" + kind + "/" + name;
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
