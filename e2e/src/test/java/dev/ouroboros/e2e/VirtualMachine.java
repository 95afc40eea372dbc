package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.node.process.Result;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/** A Debian with a kernel of its own, emulated in software ({@code virtual-machine.sh} says how): ten to twenty times slower than this machine. */
final class VirtualMachine implements RealHost {
    /** What the script itself reads is nothing. */
    private static final String RUN =
            "cd /root/real-host 2>/dev/null || true; script=$(base64 -d); exec bash --norc -euo pipefail -c \"$script\" </dev/null";

    private static final Duration TO_MAKE = Duration.ofMinutes(10);
    private static final Duration TO_BOOT = Duration.ofMinutes(5);

    private final Path directory;
    private final LocalProcesses processes = new LocalProcesses();
    private int port;
    private Optional<Process> power = Optional.empty();

    /** @param directory for its disk: some four gigabytes */
    VirtualMachine(Path directory) {
        this.directory = directory;
    }

    /**
     * Makes its disk.
     *
     * @param suite of Debian
     * @param files a directory with what its root has besides
     */
    void make(String suite, Path files) throws Exception {
        try (InputStream resource = VirtualMachine.class.getResourceAsStream("virtual-machine.sh")) {
            assertThat(resource).isNotNull();
            Files.write(script(), resource.readAllBytes());
        }
        processes
                .run(Command.of("/bin/bash", script().toString(), "make", directory.toString(), suite, files.toString())
                        .withTimeout(TO_MAKE))
                .orThrow();
    }

    private Path script() {
        return directory.resolve("virtual-machine.sh");
    }

    @Override
    public void boot() throws Exception {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        power = Optional.of(new ProcessBuilder(
                        "/bin/bash", script().toString(), "boot", directory.toString(), Integer.toString(port))
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("qemu.log").toFile())
                .start());
        Await.until("systemd has booted", TO_BOOT, this::console, this::isRunning);
    }

    /** What went wrong is said at the end. */
    private String console() {
        return new LocalDisk().readText(directory.resolve("console.log")).orElse("no console");
    }

    private boolean isRunning() {
        assertThat(power.orElseThrow().isAlive())
                .as(() ->
                        new LocalDisk().readText(directory.resolve("qemu.log")).orElse("no log"))
                .isTrue();
        Result state = processes.run(Command.of(ssh("systemctl is-system-running")));
        return state.output().strip().equals("running")
                || state.output().strip().equals("degraded");
    }

    boolean hasPower() {
        return power.isPresent();
    }

    @Override
    public void cutPower() throws Exception {
        if (power.isPresent()) {
            power.get().destroyForcibly().waitFor();
        }
        power = Optional.empty();
    }

    @Override
    public Result shell(String script, Duration timeout) {
        Result result = processes.run(Command.of(ssh(RUN))
                .withInput(Base64.getEncoder().encodeToString(script.getBytes(StandardCharsets.UTF_8)))
                .withTimeout(timeout));
        System.err.println("$ " + script + "\n=> " + result.exitCode() + "\n" + result.output() + result.error());
        return result;
    }

    private List<String> ssh(String command) {
        List<String> words = new ArrayList<>(
                List.of("ssh", "-q", "-i", directory.resolve("key").toString()));
        words.addAll(List.of("-p", Integer.toString(port), "-o", "StrictHostKeyChecking=no"));
        words.addAll(List.of("-o", "UserKnownHostsFile=/dev/null", "-o", "ConnectTimeout=10", "-o", "BatchMode=yes"));
        words.addAll(List.of("root@127.0.0.1", command));
        return words;
    }
}
