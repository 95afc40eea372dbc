package dev.ouroboros.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.StreamSupport;

/** {@code ControlPlane/cluster} of a sandbox, and the members of etcd that it wishes. */
final class WishedEtcd {
    /** Three API servers are exchanged one after the other, each with its soak. */
    static final Duration LIMIT = Duration.ofMinutes(20);

    private final OuroProgram ouro;

    WishedEtcd(OuroProgram ouro) {
        this.ouro = ouro;
    }

    JsonNode object() throws IOException {
        return ouro.kubectlJson("get", "controlplane", "cluster");
    }

    String status() throws IOException {
        return object().path("status").toString();
    }

    /** A field of the condition Ready. */
    String ready(String field) throws IOException {
        return ready(object(), field);
    }

    private static String ready(JsonNode object, String field) {
        return StreamSupport.stream(object.path("status").path("conditions").spliterator(), false)
                .filter(each -> each.path("type").asText().equals("Ready"))
                .map(each -> each.path(field).asText())
                .findFirst()
                .orElse("");
    }

    /** What is done just now, as in {@code Add node-2}; empty when nothing is. */
    static String step(JsonNode object) {
        JsonNode change = object.path("status").path("etcd").path("change");
        return (change.path("step").asText() + " " + change.path("node").asText()).strip();
    }

    void scale(int size) {
        ouro.kubectl("scale", "controlplane/cluster", "--replicas=" + size);
    }

    /** Whether there are as many members as are wished now, and nothing is left to be done. */
    static boolean isSettled(JsonNode object, int size) {
        return object.path("status").path("observedGeneration").asLong()
                        == object.path("metadata").path("generation").asLong()
                && ready(object, "status").equals("True")
                && object.path("status").path("etcd").path("size").asInt() == size;
    }

    void awaitSize(int size) throws Exception {
        Await.until("etcd to have " + size + " members", LIMIT, this::status, () -> isSettled(object(), size));
    }

    /** As etcd's own tool tells them. */
    List<String> members() {
        return ouro.runIn(ouro.nodeName(), "etcdctl", "member", "list")
                .output()
                .strip()
                .lines()
                .toList();
    }
}
