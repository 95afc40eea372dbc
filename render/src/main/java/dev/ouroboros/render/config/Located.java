package dev.ouroboros.render.config;

/**
 * A value of the input and where a person wrote it.
 *
 * @param where file, line and field, or the flag
 */
public record Located(String value, String where) {}
