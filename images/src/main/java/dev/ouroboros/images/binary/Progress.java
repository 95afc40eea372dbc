package dev.ouroboros.images.binary;

/** Hears what is going on, a line at a time, as a person should read it. */
@FunctionalInterface
public interface Progress {
    void say(String line);
}
