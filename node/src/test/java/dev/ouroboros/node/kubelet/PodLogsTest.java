package dev.ouroboros.node.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.node.disk.LocalDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PodLogsTest {
    @TempDir
    private Path root = Path.of("");

    private PodLogs logs = new PodLogs(new LocalDisk(), root);

    @BeforeEach
    void logsOfTwoPods() throws IOException {
        logs = new PodLogs(new LocalDisk(), root);
        write(
                "kube-system_bootstrap-kube-apiserver-node_abc/kube-apiserver/2.log",
                "2026-01-01T00:00:00Z stderr F second try");
        write(
                "kube-system_bootstrap-kube-apiserver-node_abc/kube-apiserver/3.log",
                "2026-01-01T00:00:01Z stderr F one\n2026-01-01T00:00:02Z stderr F two words\n");
        write("kube-system_bootstrap-kube-apiserver-node_abc/kube-apiserver/4.log", "");
        write(
                "kube-system_bootstrap-kube-apiserver-node-2_def/kube-apiserver/9.log",
                "2026-01-01T00:00:00Z stderr F other node");
    }

    @Test
    void countsTheAttemptsOfOnePodOnly() {
        assertThat(logs.newestAttempt("kube-system", "bootstrap-kube-apiserver-node", "kube-apiserver"))
                .hasValue(4);
        assertThat(logs.newestAttempt("kube-system", "bootstrap-kube-scheduler-node", "kube-scheduler"))
                .isEmpty();
    }

    @Test
    void showsTheLastLinesThatSayAnything() {
        assertThat(logs.tail("kube-system", "bootstrap-kube-apiserver-node", "kube-apiserver", 5))
                .isEqualTo("one\ntwo words");
        assertThat(logs.tail("kube-system", "bootstrap-kube-apiserver-node", "kube-apiserver", 1))
                .isEqualTo("two words");
        assertThat(logs.tail("kube-system", "missing", "kube-apiserver", 1)).isEmpty();
    }

    /** Seen after a power cut. */
    @Test
    void theZerosOfAFileThatWasTornAreNotShown() throws IOException {
        write("ns_torn_abc/main/1.log", "2026-01-01T00:00:00Z stderr F said\n" + "\0".repeat(900));
        assertThat(logs.tail("ns", "torn", "main", 5)).isEqualTo("said");
    }

    @Test
    void whatIsWrongIsShownAlthoughAUsageFollows() throws IOException {
        String time = "2026-11-21T09:00:00.000000000Z stderr F ";
        write(
                "kube-system_scheduler-x_abc/scheduler/0.log",
                time + "Error: unknown flag: --bogus\n" + time + "Usage:\n" + time + "  --one\n" + time + "  --two\n");

        assertThat(logs.tail("kube-system", "scheduler-x", "scheduler", 2))
                .isEqualTo("Error: unknown flag: --bogus\n...\n  --one\n  --two");
    }

    @Test
    void knowsThePodOfAUid() {
        assertThat(logs.podOf("abc")).contains("kube-system_bootstrap-kube-apiserver-node");
        assertThat(logs.podOf("bc")).isEmpty();
    }

    private void write(String name, String text) throws IOException {
        Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
