package dev.ouroboros.sim;

import dev.ouroboros.model.json.Json;
import java.util.Arrays;

/** How a program made from a template behaves; set by a flag of its command, so that its checkpoint behaves alike. */
enum Behaviour {
    GOOD,
    /** It does not know one of its flags. */
    CRASHES_AT_ONCE,
    /** After it was ready for longer than a debounce. */
    CRASHES_LATER,
    /** Crashes later as a principal only: its understudy is well. */
    SLY,
    NEVER_READY,
    /** Its encryption keys are the wrong ones: it is ready, but cannot list Secrets. */
    CANNOT_READ_SECRETS;

    static final String FLAG = "--simulated=";

    String flag() {
        return FLAG + name();
    }

    /** Whether it may ever be kept as last-good. */
    boolean servesForLong() {
        return this == GOOD;
    }

    static Behaviour of(Json pod) {
        return pod.at("spec", "containers").items().stream()
                .flatMap(container -> container.at("command").items().stream())
                .flatMap(word -> word.text().stream())
                .filter(word -> word.startsWith(FLAG))
                .findFirst()
                .flatMap(word -> Arrays.stream(values())
                        .filter(behaviour -> behaviour.flag().equals(word))
                        .findFirst())
                .orElse(GOOD);
    }
}
