package dev.ouroboros.snapshot.bolt;

import java.util.Optional;

/**
 * Finds the size of a file's pages without its meta pages: a page begins with its own number, so a number that divides its offset
 * into a size that pages may have speaks for that size. The size that most pages speak for is taken.
 */
final class PageSizes {
    private static final int HEADER = 16;
    /** So many pages that agree leave no doubt. */
    private static final int ENOUGH = 1000;

    private PageSizes() {}

    /** Empty when no page of any size is found. */
    static Optional<Integer> find(FileView file) {
        int[] votes = new int[Integer.SIZE];
        int most = 0;
        for (long offset = MetaPage.SMALLEST_PAGE;
                offset <= file.size() - HEADER && votes[most] < ENOUGH;
                offset += MetaPage.SMALLEST_PAGE) {
            int power = power(file, offset);
            if (power >= 0 && ++votes[power] > votes[most]) {
                most = power;
            }
        }
        return votes[most] == 0 ? Optional.empty() : Optional.of(1 << most);
    }

    private static int power(FileView file, long offset) {
        try {
            long number = file.unsignedLong(offset);
            if (number < 1 || offset % number != 0) {
                return -1;
            }
            long size = offset / number;
            return size >= MetaPage.SMALLEST_PAGE
                            && size <= MetaPage.LARGEST_PAGE
                            && Long.bitCount(size) == 1
                            && LeafScan.isHeader(file, offset, number)
                    ? Long.numberOfTrailingZeros(size)
                    : -1;
        } catch (DamageException e) {
            throw new IllegalStateException("within the file", e);
        }
    }
}
