package dev.ouroboros.snapshot.bolt;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/** Files that people give us in place of a database, told by how they begin. */
enum FileKind {
    EMPTY("empty", "", "take it again (ouro snapshot save): the disk may have been full when it was written"),
    GZIP("compressed with gzip", "\u001f\u008b", "decompress it first: gunzip"),
    ZSTD("compressed with zstd", "(\u00b5/\u00fd", "decompress it first: unzstd"),
    TEXT("a text file", "{", "give the file that 'ouro snapshot save' or etcdctl wrote"),
    ZEROS(
            "nothing but zeros where it should begin",
            "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
            LeafScan.ADVICE);

    private static final int LONGEST = 32;

    private final String what;
    private final String start;
    private final String next;

    FileKind(String what, String start, String next) {
        this.what = what;
        this.start = start;
        this.next = next;
    }

    String what() {
        return what;
    }

    String next() {
        return next;
    }

    static Optional<FileKind> of(FileView file) {
        if (file.size() == 0) {
            return Optional.of(EMPTY);
        }
        try {
            String begin = new String(file.bytes(0, (int) Math.min(LONGEST, file.size())), StandardCharsets.ISO_8859_1);
            return Arrays.stream(values())
                    .filter(kind -> !kind.start.isEmpty() && begin.startsWith(kind.start))
                    .findFirst();
        } catch (DamageException e) {
            return Optional.empty();
        }
    }
}
