package dev.ouroboros.core.upgrade;

/**
 * Something that changes and of which a plan says nothing.
 *
 * @param object where it stands
 * @param what nobody has judged
 */
public record Unjudged(String object, String what) {}
