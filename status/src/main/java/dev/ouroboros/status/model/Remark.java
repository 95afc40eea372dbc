package dev.ouroboros.status.model;

/**
 * Something that a person should know before it is asked for.
 *
 * @param grade how bad it is
 * @param about what
 * @param text what is so
 * @param next the next thing to do; empty for nothing
 */
public record Remark(ComponentHealth.Grade grade, String about, String text, String next) {}
