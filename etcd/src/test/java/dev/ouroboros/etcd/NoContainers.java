package dev.ouroboros.etcd;

import dev.ouroboros.model.runtime.RuntimePod;
import dev.ouroboros.runtime.ContainerRuntime;
import dev.ouroboros.runtime.RuntimeVersion;
import java.util.List;

/** A runtime on a node where nothing runs. */
public final class NoContainers implements ContainerRuntime {
    @Override
    public RuntimeVersion version() {
        return new RuntimeVersion("test", "1", "v1");
    }

    @Override
    public List<RuntimePod> pods() {
        return List.of();
    }

    @Override
    public boolean hasImage(String reference) {
        return true;
    }
}
