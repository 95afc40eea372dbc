package dev.ouroboros.node.port;

import dev.ouroboros.model.evidence.Evidence;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Who listens on the TCP ports of our network namespace, as {@code ss -ltnp} finds it: sockets from {@code /proc/net/tcp} and
 * {@code tcp6}, their owners from the open files of every process (proc(5)).
 */
public final class Listeners {
    private static final String LISTENING = "0A";

    /** As a kubelet names a pod's control group, by cgroupfs or by systemd: {@code pod<uid>}, dashes as underscores. */
    private static final Pattern POD =
            Pattern.compile("pod([0-9a-f]{32}|[0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12})");

    private static final Pattern SOCKET = Pattern.compile("socket:\\[(\\d+)]");

    private final Path proc;

    public Listeners(Path proc) {
        this.proc = proc;
    }

    /** Of this machine. */
    public static Listeners ofThisMachine() {
        return new Listeners(Path.of("/proc"));
    }

    /**
     * The processes that listen on a port at any address; none when nobody does. Unknown when the sockets cannot be read, or
     * when somebody listens whose process cannot be seen from here.
     */
    public Evidence<List<Listener>> on(int port) {
        try {
            Set<String> sockets = new HashSet<>(sockets("tcp", port));
            sockets.addAll(sockets("tcp6", port));
            if (sockets.isEmpty()) {
                return Evidence.known(List.of());
            }
            List<Listener> owners = owners(sockets);
            return owners.isEmpty()
                    ? Evidence.unknown("a process listens on port " + port + " that cannot be seen from here")
                    : Evidence.known(owners);
        } catch (IOException | DirectoryIteratorException e) {
            return Evidence.unknown("the sockets of this machine cannot be read: " + e);
        }
    }

    /** The inodes of the sockets that a process has open; none when it has ended. */
    public Set<Long> socketsOf(long process) {
        Set<Long> inodes = new HashSet<>();
        try (DirectoryStream<Path> files =
                Files.newDirectoryStream(proc.resolve(Long.toString(process)).resolve("fd"))) {
            for (Path file : files) {
                inode(file).ifPresent(inodes::add);
            }
        } catch (IOException | DirectoryIteratorException e) {
            return inodes;
        }
        return inodes;
    }

    private static Optional<Long> inode(Path file) {
        try {
            Matcher socket = SOCKET.matcher(Files.readSymbolicLink(file).toString());
            return socket.matches() ? Optional.of(Long.parseLong(socket.group(1))) : Optional.empty();
        } catch (IOException e) {
            // Closed meanwhile.
            return Optional.empty();
        }
    }

    /** What a socket's link in {@code /proc/PID/fd} leads to, for each that listens on the port. */
    private List<String> sockets(String table, int port) throws IOException {
        Path file = proc.resolve("net").resolve(table);
        if (!Files.exists(file)) {
            // A kernel without IPv6 has no tcp6.
            return List.of();
        }
        String end = String.format(Locale.ROOT, ":%04X", port);
        List<String> found = new ArrayList<>();
        for (String line : Files.readAllLines(file, StandardCharsets.US_ASCII)) {
            String[] fields = line.strip().split("\\s+", -1);
            if (fields.length > 9 && fields[1].endsWith(end) && fields[3].equals(LISTENING)) {
                found.add("socket:[" + fields[9] + "]");
            }
        }
        return found;
    }

    private List<Listener> owners(Set<String> sockets) throws IOException {
        List<Listener> owners = new ArrayList<>();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(proc, "[0-9]*")) {
            for (Path process : processes) {
                if (owns(process, sockets)) {
                    describe(process).ifPresent(owners::add);
                }
            }
        }
        return owners;
    }

    /** A process may end while we look at it: then it owns nothing. */
    private static boolean owns(Path process, Set<String> sockets) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(process.resolve("fd"))) {
            for (Path file : files) {
                if (leadsTo(file, sockets)) {
                    return true;
                }
            }
            return false;
        } catch (IOException | DirectoryIteratorException e) {
            return false;
        }
    }

    private static boolean leadsTo(Path file, Set<String> sockets) {
        try {
            return sockets.contains(Files.readSymbolicLink(file).toString());
        } catch (IOException e) {
            // Closed meanwhile.
            return false;
        }
    }

    private static Optional<Listener> describe(Path process) {
        try {
            String command = Files.readString(process.resolve("cmdline"), StandardCharsets.UTF_8)
                    .replace('\0', ' ')
                    .strip();
            Matcher pod = POD.matcher(Files.readString(process.resolve("cgroup"), StandardCharsets.UTF_8));
            Optional<String> uid = pod.find() ? Optional.of(pod.group(1).replace('_', '-')) : Optional.empty();
            return Optional.of(new Listener(Long.parseLong(process.getFileName().toString()), command, uid));
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
