package dev.ouroboros.model.manifest;

import dev.ouroboros.model.json.Json;
import java.util.Optional;
import java.util.stream.Stream;

/** Why a container of a pod does not run, in the words of the kubelet and of the program that ended. */
public final class PodTrouble {
    private static final String BACK_OFF = "CrashLoopBackOff";

    private PodTrouble() {}

    /** @return empty when nothing is known to be wrong with the pod */
    public static Optional<String> of(Json pod) {
        return Stream.of("initContainerStatuses", "containerStatuses")
                .flatMap(list -> pod.at("status", list).items().stream())
                .flatMap(container -> Stream.of("waiting", "terminated")
                        .map(state -> container.at("state", state))
                        .filter(state -> !state.isNull() && !state.at("reason").equals(Json.text("Completed")))
                        .map(state -> words(state, container.at("lastState", "terminated", "message"))))
                .findFirst()
                .or(() -> pod.at("status", "message").text());
    }

    /** The container's last message tells more than the kubelet's back-off time. */
    private static String words(Json state, Json lastMessage) {
        String reason = state.at("reason").text().orElse("not running");
        return lastMessage
                .text()
                .filter(message -> reason.equals(BACK_OFF) && !message.isBlank())
                .or(() -> state.at("message").text())
                .map(message -> reason + ": " + message.strip())
                .orElse(reason);
    }
}
