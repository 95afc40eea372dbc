package dev.ouroboros.status.source;

import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.status.seen.ApiSeen;
import dev.ouroboros.status.seen.NodeSeen;
import dev.ouroboros.status.seen.Seen;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Asks all sources at once. */
public final class StatusSource implements AutoCloseable {
    /** For one request to the API: a slow server is waited for, a hanging one is not. */
    public static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(10);

    private final Evidence<ApiLook> api;
    private final Evidence<NodeSource> node;
    private final InstantSource clock;

    /**
     * @param endpoint unknown when there is no kubeconfig, or one that cannot be used
     * @param node unknown when there is no node to look at
     * @param requestTimeout for one request to the API
     */
    public StatusSource(
            Evidence<Endpoint> endpoint,
            Evidence<NodePlace> node,
            Disk disk,
            InstantSource clock,
            Duration requestTimeout) {
        this.api = endpoint.map(known -> new ApiLook(known, requestTimeout));
        this.node = node.map(place -> new NodeSource(place, disk));
        this.clock = clock;
    }

    public Seen look() {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Evidence<ApiSeen>> fromApi = threads.submit(() -> api.map(ApiLook::look));
            Future<Evidence<NodeSeen>> fromNode = threads.submit(() -> node.map(NodeSource::look));
            return new Seen(clock.instant(), AwaitedAnswer.of(fromApi), AwaitedAnswer.of(fromNode));
        }
    }

    /** A node alone, without the API. */
    public static NodeSeen ofNode(NodePlace place, Disk disk) {
        return new NodeSource(place, disk).look();
    }

    @Override
    public void close() {
        if (api instanceof Known<ApiLook>(ApiLook source)) {
            source.close();
        }
    }
}
