package dev.ouroboros.model.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** A directory with the two scripts as a node has them, the service that runs one of them, and programs of this machine in the place of kubelets. What is well is said by servers of this process. */
final class GuardedNode implements AutoCloseable {
    static final String SLEEP = "/usr/bin/sleep";
    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final Duration LOOK = Duration.ofMillis(10);

    private final Path directory;
    private final Map<String, String> ofGuard = new TreeMap<>(Map.of("GUARD_STEADY", "2"));
    private final List<Process> processes = new ArrayList<>();
    private final List<HttpServer> servers = new ArrayList<>();

    GuardedNode(Path directory) throws IOException {
        this.directory = directory;
        for (Map.Entry<String, String> script : KubeletScripts.all().entrySet()) {
            Files.writeString(directory.resolve(script.getKey()), script.getValue());
        }
        // As the service does: ends what runs, and starts anew whatever ended, until it is told to rest.
        Files.writeString(directory.resolve("service.sh"), """
                cd %s
                while [ ! -e rest ]; do
                    /bin/bash start.sh &
                    echo $! >pid
                    wait $!
                    sleep 0.1
                done
                """.formatted(directory));
        Files.writeString(directory.resolve("restart.sh"), "kill $(cat " + directory.resolve("pid") + ")\n");
        generation("base", server(200), "exec sleep 1000");
    }

    @Override
    public void close() throws IOException {
        Files.writeString(directory.resolve("rest"), "");
        cutPower();
        servers.forEach(server -> server.stop(0));
    }

    int server(int status) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/healthz", exchange -> {
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
        server.start();
        servers.add(server);
        return server.getAddress().getPort();
    }

    void generation(String name, int port, String run) throws IOException {
        Path files = Files.createDirectories(
                directory.resolve(KubeletLayout.GENERATIONS).resolve(name));
        Files.writeString(files.resolve("run.sh"), run + "\n");
        Files.writeString(files.resolve(name.equals("base") ? "generation.json" : "base.json"), "{}\n");
        Files.writeString(files.resolve("program"), Path.of(SLEEP).toRealPath() + "\n");
        Files.writeString(files.resolve("healthz"), "127.0.0.1 " + port + "\n");
        Files.writeString(files.resolve("state"), "v1.20\n");
        Files.writeString(files.resolve("state-files"), directory.resolve("cpu_manager_state") + "\n");
    }

    Process run(String... words) throws IOException {
        return run(Map.of(), words);
    }

    private Process run(Map<String, String> environment, String... words) throws IOException {
        List<String> command = new ArrayList<>(List.of("/bin/bash"));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("log").toFile()));
        builder.environment().putAll(environment);
        Process process = builder.start();
        processes.add(process);
        return process;
    }

    void service() throws IOException {
        boot();
        assertThat(first("started")).isEqualTo("base");
    }

    /** Begins the service, and waits until it has started whatever is to be started. */
    void boot() throws IOException {
        String before = text("started");
        run(directory.resolve("service.sh").toString());
        await(() -> !text("started").isEmpty() && !text("started").equals(before));
    }

    Process guard() throws IOException {
        return run(
                ofGuard,
                directory.resolve(KubeletLayout.GUARD).toString(),
                "/bin/bash",
                directory.resolve("restart.sh").toString());
    }

    /** Takes the power of the service and of whatever it runs. */
    void cutPower() {
        for (Process process : processes) {
            List<ProcessHandle> below = process.descendants().toList();
            // What it begins in between is none that was listed.
            process.destroyForcibly();
            await(() -> !process.isAlive());
            below.forEach(ProcessHandle::destroyForcibly);
        }
        processes.clear();
        String last = text("pid");
        if (!last.isEmpty()) {
            ProcessHandle.of(Long.parseLong(last)).ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    void tryOut(String name, int seconds) throws IOException {
        Files.writeString(directory.resolve(KubeletLayout.TRIAL), name + " " + seconds + "\n");
    }

    String first(String file) {
        return text(file).split(" ", 2)[0];
    }

    String text(String file) {
        try {
            return Files.readString(directory.resolve(file)).strip();
        } catch (IOException e) {
            // It is not there, or is being exchanged.
            return "";
        }
    }

    static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + LONGEST.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(end);
            LockSupport.parkNanos(LOOK.toNanos());
        }
    }

    private boolean hasNoHalfWrittenFile() {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(Path::toString).noneMatch(file -> file.endsWith(".new"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    void ends(Process guard) throws InterruptedException {
        assertThat(guard.waitFor(LONGEST.toSeconds(), TimeUnit.SECONDS))
                .as(text("log"))
                .isTrue();
        assertThat(directory.resolve(KubeletLayout.TRIAL)).doesNotExist();
        assertThat(directory.resolve("trying")).doesNotExist();
        // The service may be writing one while it starts the former kubelet; one that is left stays.
        await(this::hasNoHalfWrittenFile);
    }

    /** A server that ends with the node. */
    void closing(HttpServer server) {
        servers.add(server);
    }

    /** In the environment of each guard that is begun from now on. */
    void guardWith(String name, String value) {
        ofGuard.put(name, value);
    }
}
