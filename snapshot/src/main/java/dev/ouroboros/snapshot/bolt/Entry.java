package dev.ouroboros.snapshot.bolt;

/**
 * A key and where its value lies. The key is not copied: entries live for the call that brings them.
 *
 * @param bucket whether the value is a bucket
 * @param page the page that holds it
 * @param index its place in the page
 */
@SuppressWarnings("ArrayRecordComponent") // there are millions, and none is kept
public record Entry(byte[] key, long valueOffset, long valueLength, boolean bucket, long page, int index) {
    /** For messages. */
    public String place() {
        return "page " + page + ", entry " + index + ", offset " + valueOffset;
    }
}
