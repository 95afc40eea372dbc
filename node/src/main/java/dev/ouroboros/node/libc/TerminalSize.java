package dev.ouroboros.node.libc;

/** In characters; a terminal that does not know says 0. */
public record TerminalSize(int rows, int columns) {}
