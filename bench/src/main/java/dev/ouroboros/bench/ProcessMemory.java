package dev.ouroboros.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The memory of one process, in KiB, as {@code smaps_rollup} and {@code status} of procfs tell it.
 *
 * @param resident every page that is mapped and in memory (Rss), also of files: what the goals of the keeper are about
 * @param proportional the same, but a page that n processes map counts as 1/n (Pss)
 * @param anonymous the part of resident that is no file's, which the kernel cannot drop
 * @param peak the most that was ever resident at once (VmHWM)
 */
record ProcessMemory(long resident, long proportional, long anonymous, long peak) {
    static final ProcessMemory NONE = new ProcessMemory(0, 0, 0, 0);

    /** @param directory of the process in procfs */
    static ProcessMemory read(Path directory) throws IOException {
        return parse(
                Files.readString(directory.resolve("smaps_rollup")), Files.readString(directory.resolve("status")));
    }

    static ProcessMemory parse(String rollup, String status) {
        return new ProcessMemory(
                kibibytes(rollup, "Rss"),
                kibibytes(rollup, "Pss"),
                kibibytes(rollup, "Anonymous"),
                kibibytes(status, "VmHWM"));
    }

    private static long kibibytes(String text, String name) {
        Matcher line = Pattern.compile("^" + name + ":\\s+(\\d+) kB$", Pattern.MULTILINE)
                .matcher(text);
        if (!line.find()) {
            throw new IllegalArgumentException("procfs does not tell " + name);
        }
        return Long.parseLong(line.group(1));
    }

    /** Of several processes together; their peaks need not have been at the same time. */
    static ProcessMemory sum(List<ProcessMemory> all) {
        return all.stream()
                .reduce(
                        NONE,
                        (one, other) -> new ProcessMemory(
                                one.resident + other.resident,
                                one.proportional + other.proportional,
                                one.anonymous + other.anonymous,
                                one.peak + other.peak));
    }
}
