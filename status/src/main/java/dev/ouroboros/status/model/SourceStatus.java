package dev.ouroboros.status.model;

/**
 * Somebody who was asked.
 *
 * @param text what it answered, or why it is not known
 * @param next the next thing to try; empty for nothing
 */
public record SourceStatus(String name, boolean known, String text, String next) {}
