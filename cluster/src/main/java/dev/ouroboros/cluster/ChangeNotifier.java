package dev.ouroboros.cluster;

import io.fabric8.kubernetes.client.informers.ResourceEventHandler;

/** Tells that something of what is watched may have changed. */
record ChangeNotifier<T>(Runnable changed) implements ResourceEventHandler<T> {
    @Override
    public void onAdd(T object) {
        changed.run();
    }

    @Override
    public void onUpdate(T before, T after) {
        changed.run();
    }

    @Override
    public void onDelete(T object, boolean stateUnknown) {
        changed.run();
    }
}
