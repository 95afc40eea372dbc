package dev.ouroboros.e2e;

import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.node.process.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A sandbox's machine as this one sees it between two boots: quicker than {@code ouro exec}, so that it can be asked often. */
final class Node {
    static final String MANIFESTS = "/etc/kubernetes/manifests";
    static final String CHECKPOINTS = "/var/lib/ouroboros/checkpoints/kube-system/";

    private final String pid;

    private Node(String pid) {
        this.pid = pid;
    }

    static Node of(OuroProgram ouro) throws IOException {
        return new Node(ouro.json("nodes").path(0).path("pid").asText());
    }

    /**
     * A process of the node.
     *
     * @param id in the node
     * @param directory in procfs
     */
    record Running(String id, List<String> words, Path directory) {
        boolean runs(String program) {
            return words.stream().anyMatch(word -> word.equals(program) || word.endsWith("/" + program));
        }

        boolean has(String word) {
            return words.contains(word);
        }
    }

    Path file(String inside) {
        return Path.of("/proc", pid, "root", inside);
    }

    /** Names of the files in the kubelet's directory. */
    List<String> manifests() throws IOException {
        try (Stream<Path> files = Files.list(file(MANIFESTS))) {
            return files.map(file -> String.valueOf(file.getFileName()))
                    .sorted()
                    .toList();
        }
    }

    boolean hasUnderstudyOf(String component) {
        return Files.exists(file(MANIFESTS + "/understudy-" + component + ".json"));
    }

    boolean hasNoUnderstudies() throws IOException {
        return manifests().stream().noneMatch(name -> name.startsWith("understudy-"));
    }

    /** Those of this name: what the kernel calls it, or its program's. */
    List<Running> processes(String name) throws IOException {
        List<Running> found = new ArrayList<>();
        try (Stream<Path> all = Files.list(file("/proc"))) {
            for (Path process : all.toList()) {
                String id = String.valueOf(process.getFileName());
                if (id.matches("\\d+") && read(process.resolve("comm")).strip().equals(kernelName(name))) {
                    String line = read(process.resolve("cmdline"));
                    found.add(new Running(id, Arrays.asList(line.split("\0")), process));
                }
            }
        }
        return found;
    }

    /** The kernel keeps 15 characters. */
    private static String kernelName(String name) {
        return name.substring(0, Math.min(name.length(), 15));
    }

    /** API servers that listen on this port. */
    List<Running> apiServers(int port) throws IOException {
        return processes("kube-apiserver").stream()
                .filter(process -> process.has("--secure-port=" + port))
                .toList();
    }

    /**
     * What is served on the node's loopback; empty while nobody answers.
     *
     * @param options of curl
     */
    Optional<String> ask(String url, String... options) {
        List<String> command =
                new ArrayList<>(List.of("nsenter", "--target", pid, "--net", "curl", "-sf", "--max-time", "5"));
        command.addAll(List.of(options));
        command.add(url);
        Result answer = new LocalProcesses().run(Command.of(command));
        return answer.exitCode() == 0 ? Optional.of(answer.output()) : Optional.empty();
    }

    /** Lets a process stand still, at once. */
    void stop(Running process) {
        new LocalProcesses()
                .run(Command.of("nsenter", "--target", pid, "--pid", "kill", "-STOP", process.id()))
                .orThrow();
    }

    /** Empty for what has ended. */
    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }
}
