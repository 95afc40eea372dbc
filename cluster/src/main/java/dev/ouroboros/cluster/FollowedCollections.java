package dev.ouroboros.cluster;

import dev.ouroboros.api.ApiPath;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.api.ProcessClusterMemory;
import dev.ouroboros.api.Reflector;
import dev.ouroboros.api.ReflectorThread;
import dev.ouroboros.model.json.Json;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Collections of one cluster that are followed until this is closed. An API server need not be there yet. */
public final class FollowedCollections implements AutoCloseable {
    /** Enough for the largest clusters. */
    private static final Reflector.Size SIZE = new Reflector.Size(500, 200_000);

    private final ClusterClient client;
    private final ClusterGuard guard;
    private final Runnable changed;
    private final List<ReflectorThread> threads = new ArrayList<>();

    /** @param changed called from any thread whenever something may have changed */
    public FollowedCollections(ClusterClient client, Runnable changed) {
        this.client = client;
        this.guard = new ClusterGuard(client.api(), new ProcessClusterMemory(), InstantSource.system());
        this.changed = changed;
    }

    /**
     * Begins to follow one.
     *
     * @param name for the log
     * @param keep what to keep of an object: a change of anything else is not told
     */
    public <T> Reflector<T> follow(String name, ApiPath collection, Function<Json, T> keep) {
        Reflector<T> reflector =
                new Reflector<>(name, client.api(), guard, collection, keep, changed, Reflector.Times.DEFAULT, SIZE);
        threads.add(new ReflectorThread(name, reflector));
        return reflector;
    }

    @Override
    public void close() {
        threads.forEach(ReflectorThread::close);
    }
}
