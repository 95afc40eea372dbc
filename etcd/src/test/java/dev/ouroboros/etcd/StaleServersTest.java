package dev.ouroboros.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.evidence.Evidence;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes of this test that are called as the real ones; nothing else of the machine is looked at, or ended. */
final class StaleServersTest {
    /** Linux counts starts in hundredths of a second, and Java its own uptime from a little later. */
    private static final long APART = Duration.ofMillis(300).toNanos();

    @TempDir
    private Path directory;

    private final List<Process> started = new ArrayList<>();
    private final StaleServers servers =
            new StaleServers(process -> started.stream().anyMatch(ours -> ours.pid() == process.pid()));

    @AfterEach
    void end() {
        started.forEach(Process::destroyForcibly);
    }

    private Process start(String program, String... arguments) throws IOException {
        Path script = directory.resolve(program);
        if (!Files.exists(script)) {
            Files.writeString(script, "#!/bin/sh\necho begun\nread forever\n");
            Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
        }
        List<String> command = new ArrayList<>(List.of(script.toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).start();
        started.add(process);
        assertThat(process.inputReader().readLine()).isEqualTo("begun");
        return process;
    }

    @Test
    void areTheOnesThatBeganBeforeAMoment() throws Exception {
        Process before = start("kube-apiserver", "--port=1");
        LockSupport.parkNanos(APART);
        Instant moment = servers.now();
        LockSupport.parkNanos(APART);
        Process after = start("kube-scheduler");
        Process other = start("tail", "kube-apiserver.log");
        assertThat(servers.startedBefore(moment)).isEqualTo(Evidence.known(true));

        servers.end(moment);

        assertThat(before.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(after.isAlive() && other.isAlive()).isTrue();
        assertThat(servers.startedBefore(moment)).isEqualTo(Evidence.known(false));
        assertThat(servers.startedBefore(servers.now().plusSeconds(1))).isEqualTo(Evidence.known(true));
    }
}
