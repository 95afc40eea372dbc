package dev.ouroboros.runtime.cri;

import dev.ouroboros.model.runtime.RuntimeContainer;
import dev.ouroboros.model.runtime.RuntimePod;
import dev.ouroboros.runtime.protobuf.MalformedMessageException;
import dev.ouroboros.runtime.protobuf.MessageReader;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The message {@code PodSandbox}, as much of it as is used. */
record PodSandbox(
        String id,
        String namespace,
        String name,
        String uid,
        int attempt,
        RuntimePod.State state,
        Instant createdAt,
        Map<String, String> annotations) {
    /** Where the kubelet has the pod from: {@code api}, {@code file} or {@code http}. */
    private static final String SOURCE_ANNOTATION = "kubernetes.io/config.source";

    private static final Set<String> STATIC_SOURCES = Set.of("file", "http");

    static PodSandbox read(MessageReader message) throws MalformedMessageException {
        String id = "";
        PodName podName = new PodName("", "", "", 0);
        RuntimePod.State state = RuntimePod.State.READY;
        long createdAt = 0;
        Map<String, String> annotations = new HashMap<>();
        while (message.next()) {
            switch (message.field()) {
                case 1 -> id = message.text();
                case 2 -> podName = PodName.read(message.message());
                case 3 -> state = message.number() == 0 ? RuntimePod.State.READY : RuntimePod.State.NOT_READY;
                case 4 -> createdAt = message.number();
                case 6 -> message.entryInto(annotations);
                default -> {}
            }
        }
        return new PodSandbox(
                id,
                podName.namespace(),
                podName.name(),
                podName.uid(),
                podName.attempt(),
                state,
                Nanoseconds.toInstant(createdAt),
                annotations);
    }

    RuntimePod with(List<RuntimeContainer> containers) {
        boolean isStatic = STATIC_SOURCES.contains(annotations.getOrDefault(SOURCE_ANNOTATION, ""));
        return new RuntimePod(namespace, name, uid, isStatic, state, createdAt, attempt, containers);
    }

    /** The message {@code PodSandboxMetadata}. */
    private record PodName(String namespace, String name, String uid, int attempt) {
        static PodName read(MessageReader message) throws MalformedMessageException {
            String name = "";
            String uid = "";
            String namespace = "";
            int attempt = 0;
            while (message.next()) {
                switch (message.field()) {
                    case 1 -> name = message.text();
                    case 2 -> uid = message.text();
                    case 3 -> namespace = message.text();
                    case 4 -> attempt = (int) message.number();
                    default -> {}
                }
            }
            return new PodName(namespace, name, uid, attempt);
        }
    }
}
