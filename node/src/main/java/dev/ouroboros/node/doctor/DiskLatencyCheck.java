package dev.ouroboros.node.doctor;

import dev.ouroboros.model.ailment.Ailment;
import dev.ouroboros.model.ailment.Finding;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * How long a small synced write takes where etcd keeps its data: etcd syncs its log before each acknowledgement, and asks for a
 * 99th percentile under 10 ms (etcd's documentation, "What does the etcd warning 'failed to send out heartbeat on time' mean?" and
 * "Disks"). Writes a file of 2 MB there and removes it.
 */
final class DiskLatencyCheck implements Check {
    private static final String CHECK = "disk latency";

    /** As etcd's own benchmark with fio: 2300 bytes a write. */
    private static final int WRITE_BYTES = 2300;

    private static final int WRITES = 200;
    private static final Duration GOOD = Duration.ofMillis(10);
    private static final Duration BAD = Duration.ofMillis(100);

    private final Path storage;

    DiskLatencyCheck(Path storage) {
        this.storage = storage;
    }

    @Override
    public List<Finding> run() {
        Path directory = storage.toAbsolutePath();
        while (!Files.isDirectory(directory) && directory.getParent() != null) {
            directory = directory.getParent();
        }
        try {
            return List.of(judge(directory, measure(directory)));
        } catch (IOException e) {
            return List.of(Finding.unknown(CHECK, directory + " cannot be written: " + e));
        }
    }

    private static List<Duration> measure(Path directory) throws IOException {
        Path file = Files.createTempFile(directory, ".ouro-doctor-", "");
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE)) {
            ByteBuffer content = ByteBuffer.allocate(WRITE_BYTES);
            List<Duration> taken = new ArrayList<>();
            for (int write = 0; write < WRITES; write++) {
                content.rewind();
                long begun = System.nanoTime();
                while (content.hasRemaining()) {
                    channel.write(content);
                }
                channel.force(false);
                taken.add(Duration.ofNanos(System.nanoTime() - begun));
            }
            return taken;
        }
    }

    static Finding judge(Path directory, List<Duration> taken) {
        List<Duration> sorted = new ArrayList<>(taken);
        Collections.sort(sorted);
        Duration slowest = sorted.get(sorted.size() * 99 / 100);
        String evidence =
                "99 of 100 synced writes to " + directory + " took less than " + (slowest.toMillis() + 1) + " ms";
        if (slowest.compareTo(BAD) > 0) {
            return Ailment.DISK_IS_TOO_SLOW.seen(evidence);
        }
        if (slowest.compareTo(GOOD) > 0) {
            return Ailment.DISK_IS_SLOW.seen(evidence);
        }
        return Finding.ok(CHECK, evidence);
    }
}
