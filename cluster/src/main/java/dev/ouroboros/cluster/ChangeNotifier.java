package dev.ouroboros.cluster;

import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.Objects;
import java.util.function.Function;

/** Tells that something of what is watched may have changed. */
final class ChangeNotifier<T> implements ResourceEventHandler<T> {
    private final Runnable changed;
    private final Function<T, Object> aspect;

    /** @param aspect what counts: an update that leaves it as it is is not told */
    private ChangeNotifier(Runnable changed, Function<T, Object> aspect) {
        this.changed = changed;
        this.aspect = aspect;
    }

    /**
     * Begins to watch. A list or watch that fails is tried again until the informer is stopped: an API server may not be there
     * yet.
     */
    static <T> SharedIndexInformer<T> start(SharedIndexInformer<T> informer, Runnable changed) {
        return start(informer, changed, object -> object);
    }

    static <T> SharedIndexInformer<T> start(
            SharedIndexInformer<T> informer, Runnable changed, Function<T, Object> aspect) {
        informer.addEventHandler(new ChangeNotifier<>(changed, aspect));
        informer.exceptionHandler((isStarted, failure) -> true);
        informer.start();
        return informer;
    }

    @Override
    public void onAdd(T object) {
        changed.run();
    }

    @Override
    public void onUpdate(T before, T after) {
        if (!Objects.equals(aspect.apply(before), aspect.apply(after))) {
            changed.run();
        }
    }

    @Override
    public void onDelete(T object, boolean stateUnknown) {
        changed.run();
    }
}
