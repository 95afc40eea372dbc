package dev.ouroboros.cluster;

import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.List;

/** Tells, from any thread, whenever something may have changed, until it is closed. An API server need not be there yet. */
public final class InformerWatch implements AutoCloseable {
    private final List<SharedIndexInformer<?>> informers;

    InformerWatch(SharedIndexInformer<?>... informers) {
        this.informers = List.of(informers);
    }

    @Override
    public void close() {
        informers.forEach(SharedIndexInformer::stop);
    }
}
