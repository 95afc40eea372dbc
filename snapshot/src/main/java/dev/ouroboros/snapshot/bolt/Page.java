package dev.ouroboros.snapshot.bolt;

/**
 * Where a page lies: by its number, or inside of the entry of a small bucket.
 *
 * @param length of an inline page; others say themselves how many pages they span
 */
record Page(long number, long inlineOffset, long length) {
    static Page of(long number) {
        return new Page(number, -1, 0);
    }

    static Page inline(long offset, long length) {
        return new Page(0, offset, length);
    }

    boolean isInline() {
        return inlineOffset >= 0;
    }
}
