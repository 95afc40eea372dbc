package dev.ouroboros.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * One process at one moment, as procfs tells it (proc(5)).
 *
 * @param commandLine words separated by blanks
 * @param cpuTicks of the process, all its threads and the children it has waited for, in hundredths of a second
 */
record ProcessSample(long pid, long parent, String commandLine, long cpuTicks) {
    private static final int PARENT = 1;
    private static final int FIRST_TIME = 11;
    private static final int LAST_TIME = 14;

    /** All processes of a procfs. */
    static List<ProcessSample> all(Path procfs) throws IOException {
        List<ProcessSample> samples = new ArrayList<>();
        try (Stream<Path> entries = Files.list(procfs)) {
            for (Path entry : entries.toList()) {
                if (String.valueOf(entry.getFileName()).matches("\\d+")) {
                    read(entry).ifPresent(samples::add);
                }
            }
        }
        return samples;
    }

    private static Optional<ProcessSample> read(Path directory) throws IOException {
        try {
            String commandLine = text(directory.resolve("cmdline")).replace('\0', ' ');
            return Optional.of(parse(commandLine.strip(), text(directory.resolve("stat"))));
        } catch (NoSuchFileException e) {
            // It ended meanwhile.
            return Optional.empty();
        } catch (IOException e) {
            if (Files.exists(directory)) {
                throw e;
            }
            return Optional.empty();
        }
    }

    static ProcessSample parse(String commandLine, String stat) {
        // The name in parentheses may hold anything; what follows the last parenthesis begins with the state.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ", -1);
        long ticks = 0;
        for (int field = FIRST_TIME; field <= LAST_TIME; field++) {
            ticks += Long.parseLong(fields[field]);
        }
        long pid = Long.parseLong(stat.substring(0, stat.indexOf(' ')));
        return new ProcessSample(pid, Long.parseLong(fields[PARENT]), commandLine, ticks);
    }

    private static String text(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    }
}
