package dev.ouroboros.snapshot.bolt;

/**
 * What a scan went through.
 *
 * @param leaves pages with entries, in use or not
 * @param overwritten those of them that end before their length, because other pages took their place or the file ends
 */
public record ScannedPages(long leaves, long overwritten) {}
