package dev.ouroboros.sandbox.up;

import java.time.Duration;

/** What {@code ouro up} does, as it happens. */
public sealed interface UpEvent {
    /** A step begins. */
    record StepStarted(String title) implements UpEvent {}

    /** A step ended well. */
    record StepDone(String title, Duration took) implements UpEvent {}

    /** Something a step says. */
    record Said(String line) implements UpEvent {}

    /** Something a person should know that stops nothing. */
    record Warned(String line) implements UpEvent {}
}
