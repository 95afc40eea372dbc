package dev.ouroboros.node.doctor;

import dev.ouroboros.core.doctor.Ailment;
import dev.ouroboros.core.doctor.Finding;
import dev.ouroboros.node.disk.Disk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Who listens on the ports of a control-plane node. The kernel lists listening sockets in {@code /proc/net/tcp} and {@code tcp6}
 * (proc_net_tcp(5)); their owner is who has the socket's inode open.
 */
final class PortCheck implements Check {
    /** Port to the program that is meant to have it. */
    private static final Map<Integer, String> PORTS = new TreeMap<>(Map.of(
            2379, "etcd",
            2380, "etcd",
            6443, "kube-apiserver",
            26443, "kube-apiserver",
            26257, "kube-controller-manager",
            26259, "kube-scheduler",
            10250, "kubelet",
            26445, "java"));

    private static final String LISTEN = "0A";
    private static final String CHECK = "port ";

    private final Disk disk;
    private final Path process;

    PortCheck(Disk disk, Path root) {
        this.disk = disk;
        this.process = root.resolve("proc");
    }

    @Override
    public List<Finding> run() {
        Map<Integer, String> listening = new HashMap<>();
        for (String table : List.of("net/tcp", "net/tcp6")) {
            disk.readText(process.resolve(table)).ifPresent(text -> listening.putAll(listeners(text)));
        }
        List<Finding> findings = new ArrayList<>();
        PORTS.forEach((port, program) -> {
            if (listening.containsKey(port)) {
                findings.add(judge(port, program, owner(listening.get(port))));
            }
        });
        return findings.isEmpty()
                ? List.of(Finding.ok("ports", "nobody listens on " + PORTS.keySet()))
                : List.copyOf(findings);
    }

    private static Finding judge(int port, String program, Optional<String> owner) {
        String check = CHECK + port;
        if (owner.isEmpty()) {
            return Finding.unknown(check, "somebody listens there whom this process may not see");
        }
        // "java" is what the kernel calls a keeper.
        if (owner.get().startsWith(program.substring(0, Math.min(15, program.length())) + " ")) {
            return Finding.ok(check, "held by " + owner.get());
        }
        return Ailment.PORT_IS_TAKEN.of(
                check,
                "held by " + owner.get(),
                (program.equals("java") ? "the keeper" : program) + " cannot listen there");
    }

    /** Listening ports with the inode of their socket. */
    static Map<Integer, String> listeners(String table) {
        Map<Integer, String> found = new HashMap<>();
        table.lines().skip(1).map(line -> line.strip().split("\\s+")).forEach(fields -> {
            if (fields.length > 9 && fields[3].equals(LISTEN)) {
                String local = fields[1];
                found.put(Integer.parseInt(local.substring(local.lastIndexOf(':') + 1), 16), fields[9]);
            }
        });
        return found;
    }

    /** As in {@code nginx (PID 12)}. */
    private Optional<String> owner(String inode) {
        String socket = "socket:[" + inode + "]";
        return disk.list(process).stream()
                .filter(name -> name.chars().allMatch(Character::isDigit))
                .filter(pid -> hasOpen(process.resolve(pid).resolve("fd"), socket))
                .findFirst()
                .map(pid -> disk.readText(process.resolve(pid).resolve("comm"))
                                .orElse("?")
                                .strip() + " (PID " + pid + ")");
    }

    private static boolean hasOpen(Path descriptors, String socket) {
        try (Stream<Path> all = Files.list(descriptors)) {
            return all.anyMatch(descriptor -> leadsTo(descriptor, socket));
        } catch (IOException e) {
            // The process has ended, or belongs to somebody else: not the owner that we can name.
            return false;
        }
    }

    private static boolean leadsTo(Path descriptor, String target) {
        try {
            return Files.readSymbolicLink(descriptor).toString().equals(target);
        } catch (IOException e) {
            // Closed meanwhile.
            return false;
        }
    }
}
