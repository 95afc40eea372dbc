package dev.ouroboros.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.e2e.Node.Running;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;

/** A workload that asks for a checkpoint and refers to everything that a pod can refer to. */
final class Keepsake {
    static final String NAME = "keepsake";

    private final OuroProgram ouro;
    private final ControlPlane plane;

    Keepsake(OuroProgram ouro, ControlPlane plane) {
        this.ouro = ouro;
        this.plane = plane;
    }

    interface Deed {
        void done() throws Exception;
    }

    void apply(String namespace) throws IOException {
        String image = ControlPlane.keeperImage(ouro);
        try (InputStream resource = Objects.requireNonNull(Keepsake.class.getResourceAsStream("keepsake.yaml"))) {
            String manifest = new String(resource.readAllBytes(), StandardCharsets.UTF_8)
                    .replace("NAMESPACE", namespace)
                    .replace("IMAGE", image);
            Files.writeString(plane.node().file("/tmp/keepsake.yaml"), manifest);
        }
        ouro.kubectl("apply", "-f", "/tmp/keepsake.yaml");
    }

    void patch(String operation) {
        ouro.kubectl("patch", "deployment", NAME, "-n", "kube-system", "--type=json", "--patch", "[" + operation + "]");
    }

    void patchSecret(String merge) {
        ouro.kubectl("patch", "secret", NAME, "-n", "kube-system", "--type=merge", "--patch", merge);
    }

    /** With so many keys that a checkpoint takes its time to be written. */
    void fillConfigMap(int keys) throws IOException {
        ObjectNode map = JsonNodeFactory.instance.objectNode();
        ObjectNode data = map.putObject("data");
        for (int key = 0; key < keys; key++) {
            data.put("key-%04d".formatted(key), "la ".repeat(50));
        }
        Files.writeString(plane.node().file("/tmp/keepsake-patch.json"), map.toString());
        ouro.inNode(
                "sh",
                "-c",
                "kubectl patch configmap " + NAME + " -n kube-system --type=merge"
                        + " --patch \"$(cat /tmp/keepsake-patch.json)\"");
    }

    /** Its new pod finds no node. */
    void cordonAndDelete() {
        ouro.kubectl("cordon", ouro.nodeName());
        ouro.kubectl("delete", "pods", "-n", "kube-system", "--selector", "k8s-app=" + NAME);
    }

    void uncordon() {
        ouro.kubectl("uncordon", ouro.nodeName());
    }

    void whileItHasNoPlace(Deed deed) throws Exception {
        whileItHasNoPlace(() -> {}, deed);
    }

    /**
     * @param before its pod goes
     * @param deed while only its understudy runs
     */
    void whileItHasNoPlace(Deed before, Deed deed) throws Exception {
        before.done();
        cordonAndDelete();
        try {
            Await.until("its understudy runs", () -> plane.keeperOf(NAME).toString(), this::understudyRuns);
            deed.done();
        } finally {
            uncordon();
        }
        plane.awaitOthers(NAME, Set.of());
    }

    boolean understudyRuns() throws IOException {
        return plane.node().hasUnderstudyOf(NAME)
                && plane.keeperOf(NAME).path("understudyRuns").asText().equals("RUNNING");
    }

    /** The process of one of its two containers. */
    Running process(String container) throws IOException {
        return plane.node().processes("flock").stream()
                .filter(process -> process.has("/hold/" + container))
                .findFirst()
                .orElseThrow();
    }

    /** A file of its last good checkpoint. */
    Path saved(String file) throws IOException {
        return plane.node().file(Node.CHECKPOINTS + NAME + "/generations/" + plane.lastGood(NAME) + "/files/" + file);
    }

    static int restarts(JsonNode pod) {
        int most = 0;
        for (JsonNode container : pod.path("status").path("containerStatuses")) {
            most = Math.max(most, container.path("restartCount").asInt());
        }
        return most;
    }
}
