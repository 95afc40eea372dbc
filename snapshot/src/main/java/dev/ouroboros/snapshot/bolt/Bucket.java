package dev.ouroboros.snapshot.bolt;

import java.nio.charset.StandardCharsets;

/**
 * A bucket of the file's first level.
 *
 * @param root its first page; 0 when it is small and lies inside of its entry
 * @param inlineOffset where it lies then
 */
@SuppressWarnings("ArrayRecordComponent") // made once, and given to nobody who changes it
public record Bucket(byte[] rawName, long root, long inlineOffset, long inlineLength) {
    public String name() {
        return new String(rawName, StandardCharsets.UTF_8);
    }
}
