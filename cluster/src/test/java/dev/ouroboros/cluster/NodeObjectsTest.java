package dev.ouroboros.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.evidence.Evidence;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class NodeObjectsTest {
    private static final String NODES = "/api/v1/nodes";
    private static final String BOOT = "boot-2";

    private static String node(String boot, String ready, String message) {
        return """
                {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "blue", "uid": "u-1"}, "spec": {"podCIDR": "10.2.1.0/24"},
                 "status": {"nodeInfo": {"bootID": "%s"}, "conditions": [
                  {"type": "MemoryPressure", "status": "False"}, {"type": "Ready", "status": "%s", "message": "%s"}]}}""".formatted(boot, ready, message);
    }

    private static Evidence<Optional<String>> whyNotReady(String node) throws Exception {
        try (LoopbackApi api = new LoopbackApi();
                ClusterClient client = api.client()) {
            api.on("GET", NODES + "/blue", 200, node);
            return new NodeObjects(client).whyNotReady("blue", BOOT);
        }
    }

    @Test
    void aNodeIsReadyAsItsMachineRunsNow() throws Exception {
        assertThat(whyNotReady(node(BOOT, "True", ""))).isEqualTo(Evidence.known(Optional.empty()));
    }

    @Test
    void oneThatWasReadyBeforeItsMachineWasBootedIsNot() throws Exception {
        assertThat(whyNotReady(node("boot-1", "True", "")))
                .isEqualTo(Evidence.known(Optional.of("its kubelet has not said anything since it was booted")));
    }

    @Test
    void whatItsKubeletLacksIsSaid() throws Exception {
        assertThat(whyNotReady(node(BOOT, "False", "no CNI configuration")))
                .isEqualTo(Evidence.known(Optional.of("no CNI configuration")));
    }

    @Test
    void whatIsNotThereIsNotReadyAndWhatCannotBeAskedIsUnknown() throws Exception {
        try (LoopbackApi api = new LoopbackApi();
                ClusterClient client = api.client()) {
            NodeObjects nodes = new NodeObjects(client);
            assertThat(nodes.whyNotReady("blue", BOOT))
                    .isEqualTo(Evidence.known(Optional.of("there is no such Node yet")));
            api.refuse("GET", NODES + "/blue", 503, "etcd is away");
            assertThat(nodes.whyNotReady("blue", BOOT)).isInstanceOf(Evidence.Unknown.class);
        }
    }

    @Test
    void aNodeIsRemovedOnce() throws Exception {
        AtomicInteger deleted = new AtomicInteger();
        try (LoopbackApi api = new LoopbackApi();
                ClusterClient client = api.client()) {
            api.on("GET", NODES + "/blue", 200, node(BOOT, "True", ""))
                    .on("DELETE", NODES + "/blue", 200, node(BOOT, "True", ""));
            api.after("DELETE", NODES + "/blue", deleted::incrementAndGet);
            NodeObjects nodes = new NodeObjects(client);

            assertThat(nodes.remove("blue")).isTrue();
            assertThat(nodes.remove("green")).isFalse();
        }
        assertThat(deleted).hasValue(1);
    }

    @Test
    void aTokenIsASecretOfItsOwnKind() throws Exception {
        AtomicInteger created = new AtomicInteger();
        String secrets = "/api/v1/namespaces/kube-system/secrets";
        try (LoopbackApi api = new LoopbackApi();
                ClusterClient client = api.client()) {
            api.on("POST", secrets, 201, "{\"kind\": \"Secret\", \"apiVersion\": \"v1\"}");
            api.after("POST", secrets, created::incrementAndGet);

            new BootstrapTokens(client).create("abcdef", "0123456789abcdef", Instant.EPOCH, "For the new rack.");
        }
        assertThat(created).hasValue(1);
    }
}
