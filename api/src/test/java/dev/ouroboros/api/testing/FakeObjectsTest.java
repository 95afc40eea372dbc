package dev.ouroboros.api.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.testing.FakeObjects.Changes;
import dev.ouroboros.api.testing.FakeObjects.Selector;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What tests take for etcd loses nothing: it once did, under load, and keepers waited for ever. */
final class FakeObjectsTest {
    private static final int WRITES = 5_000;
    private static final String PODS = "/api/v1/namespaces/kube-system/pods";

    @Test
    @Timeout(60)
    void aWatcherThatNeverWaitsSeesEveryChange() throws Exception {
        FakeObjects objects = new FakeObjects();
        CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
            for (int write = 0; write < WRITES; write++) {
                objects.put(PODS + "/one", FakeApiServer.object("v1", "Pod", "kube-system", "one"));
            }
        });
        Selector pods = new Selector(PODS, "", "");
        int seen = 0;
        long version = 0;
        while (!writer.isDone() || version < objects.version()) {
            Changes changes = objects.after(version, pods, 0);
            seen += changes.items().size();
            version = changes.reached();
        }
        writer.join();
        assertThat(seen).isEqualTo(WRITES);
    }
}
