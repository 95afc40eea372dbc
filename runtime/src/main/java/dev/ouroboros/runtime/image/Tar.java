package dev.ouroboros.runtime.image;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/** The tar format (POSIX ustar), as much of it as regular files with short names need. */
final class Tar {
    static final int BLOCK = 512;

    private static final int NAME_LENGTH = 100;
    private static final int SIZE_OFFSET = 124;
    private static final int CHECKSUM_OFFSET = 148;
    private static final int CHECKSUM_LENGTH = 8;
    private static final int TYPE_OFFSET = 156;

    private Tar() {}

    /** One file's header. */
    record Entry(String name, long size) {}

    /** The header of a file that root owns and all may read, of 1970: the same content gives the same archive. */
    static byte[] header(Entry entry) {
        byte[] header = new byte[BLOCK];
        put(header, 0, entry.name());
        put(header, NAME_LENGTH, "0000644\0" + "0000000\0".repeat(2));
        put(header, SIZE_OFFSET, "%011o\0%011o\0".formatted(entry.size(), 0));
        put(header, CHECKSUM_OFFSET, " ".repeat(CHECKSUM_LENGTH) + "0");
        put(header, 257, "ustar\00000");
        put(header, CHECKSUM_OFFSET, "%06o\0 ".formatted(sum(header)));
        return header;
    }

    /** What follows a file of this size up to the next block. */
    static byte[] padding(long size) {
        return new byte[(int) ((BLOCK - size % BLOCK) % BLOCK)];
    }

    /** The end of an archive. */
    static byte[] end() {
        return new byte[2 * BLOCK];
    }

    /** Size of a file with header and padding. */
    static long sizeWithHeader(long size) {
        return BLOCK + size + padding(size).length;
    }

    /** Reads the next header; empty at the archive's end. Before the next one, the file and its padding must be read. */
    static Optional<Entry> read(InputStream archive) throws IOException {
        byte[] header = new BoundedInputStream(archive, BLOCK).readAllBytes();
        if (Arrays.equals(header, new byte[BLOCK])) {
            return Optional.empty();
        }
        byte[] unsummed = header.clone();
        Arrays.fill(unsummed, CHECKSUM_OFFSET, CHECKSUM_OFFSET + CHECKSUM_LENGTH, (byte) ' ');
        if (octal(header, CHECKSUM_OFFSET, CHECKSUM_LENGTH) != sum(unsummed)) {
            throw new DamagedArchiveException("the checksum of a header is wrong");
        }
        if (header[TYPE_OFFSET] != '0') {
            throw new DamagedArchiveException("it has an entry that is no regular file");
        }
        return Optional.of(new Entry(text(header, 0, NAME_LENGTH), octal(header, SIZE_OFFSET, 12)));
    }

    private static void put(byte[] header, int offset, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, header, offset, bytes.length);
    }

    private static int sum(byte[] header) {
        int sum = 0;
        for (byte octet : header) {
            sum += octet & 0xff;
        }
        return sum;
    }

    private static String text(byte[] header, int offset, int length) {
        String field = new String(header, offset, length, StandardCharsets.US_ASCII);
        int end = field.indexOf('\0');
        return end < 0 ? field : field.substring(0, end);
    }

    private static long octal(byte[] header, int offset, int length) throws DamagedArchiveException {
        String digits = text(header, offset, length).strip();
        try {
            return Long.parseLong(digits, 8);
        } catch (NumberFormatException e) {
            throw new DamagedArchiveException("'" + digits + "' is no octal number");
        }
    }
}
