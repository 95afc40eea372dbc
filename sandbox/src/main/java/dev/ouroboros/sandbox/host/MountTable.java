package dev.ouroboros.sandbox.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Where devices are mounted, in every mount namespace of this machine that a process is in. */
public final class MountTable {
    private static final Path PROC = Path.of("/proc");

    private final ProcessTable processes;

    public MountTable(ProcessTable processes) {
        this.processes = processes;
    }

    /** The places at which a device is mounted, each with one process that sees it, for messages. */
    public List<String> mountsOf(String device) {
        Set<Path> seen = new HashSet<>();
        return ProcessHandle.allProcesses()
                .map(ProcessHandle::pid)
                .sorted()
                .flatMap(pid -> mountsOf(device, pid, seen).stream())
                .toList();
    }

    private List<String> mountsOf(String device, long pid, Set<Path> seen) {
        Path process = PROC.resolve(Long.toString(pid));
        try {
            if (!seen.add(Files.readSymbolicLink(process.resolve("ns/mnt")))) {
                return List.of();
            }
            return Files.readAllLines(process.resolve("mountinfo")).stream()
                    .flatMap(line -> place(line, device))
                    .map(place -> place + " as " + processes.describe(pid) + " sees it")
                    .toList();
        } catch (IOException e) {
            // It ended while we looked, and its view of mounts with it.
            return List.of();
        }
    }

    /** The mount point of a line of mountinfo (proc(5)) whose source is the device; nothing for others. */
    static Stream<String> place(String line, String device) {
        String[] fields = line.split(" ");
        int separator = List.of(fields).indexOf("-");
        boolean matches = separator > 0 && separator + 2 < fields.length && fields[separator + 2].equals(device);
        return matches ? Stream.of(fields[4]) : Stream.of();
    }
}
