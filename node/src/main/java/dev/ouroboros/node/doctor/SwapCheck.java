package dev.ouroboros.node.doctor;

import dev.ouroboros.model.ailment.Ailment;
import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.node.disk.Disk;
import java.nio.file.Path;
import java.util.List;

/** Swap: a kubelet with its default configuration does not start beside it (KubeletConfiguration, failSwapOn). */
final class SwapCheck implements Check {
    private static final String CHECK = "swap";

    private final Disk disk;
    private final Path file;

    SwapCheck(Disk disk, Path root) {
        this.disk = disk;
        this.file = root.resolve("proc/swaps");
    }

    @Override
    public List<Finding> run() {
        return List.of(judge(disk.readText(file).orElse("")));
    }

    /** @param table a heading, then a line for each swap area */
    static Finding judge(String table) {
        List<String> areas = table.lines()
                .skip(1)
                .filter(line -> !line.isBlank())
                .map(line -> line.split("\\s+", 2)[0])
                .toList();
        return areas.isEmpty() ? Finding.ok(CHECK, "off") : Ailment.SWAP_IS_ON.seen("on: " + String.join(", ", areas));
    }
}
