package dev.ouroboros.sim;

import dev.ouroboros.core.json.Json;
import java.util.Arrays;

/** How a program behaves that is made from a template; said by a flag of its command, so that a checkpoint of it behaves alike. */
enum Behaviour {
    GOOD,
    /** A flag that it does not know. */
    CRASHES_AT_ONCE,
    /** After it was ready for longer than a debounce. */
    CRASHES_LATER,
    /** As a principal only: its understudy is well. */
    SLY,
    NEVER_READY,
    /** Its encryption keys are others: it is ready, and cannot list Secrets. */
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
