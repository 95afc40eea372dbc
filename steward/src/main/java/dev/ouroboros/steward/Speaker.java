package dev.ouroboros.steward;

/** Tells people, as with an Event. */
@FunctionalInterface
interface Speaker {
    /** @param reason in CamelCase */
    void say(boolean warning, String reason, String message);
}
