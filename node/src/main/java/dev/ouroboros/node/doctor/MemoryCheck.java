package dev.ouroboros.node.doctor;

import dev.ouroboros.model.ailment.Ailment;
import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.node.disk.Disk;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Whether two API servers fit: one serves while the other is proven. */
final class MemoryCheck implements Check {
    private static final String CHECK = "memory";
    private static final Pattern AVAILABLE = Pattern.compile("(?m)^MemAvailable:\\s+(\\d+) kB$");

    /** A small cluster's API server takes 250 to 400 MiB resident; the second one comes on top of the rest. */
    private static final long TWO_SERVERS_MEBIBYTES = 1024;

    private static final long ONE_SERVER_MEBIBYTES = 512;

    private final Disk disk;
    private final Path file;

    MemoryCheck(Disk disk, Path root) {
        this.disk = disk;
        this.file = root.resolve("proc/meminfo");
    }

    @Override
    public List<Finding> run() {
        OptionalLong mebibytes = available(disk.readText(file).orElse(""));
        return List.of(
                mebibytes.isEmpty()
                        ? Finding.unknown(CHECK, file + " does not say what is available")
                        : judge(mebibytes.getAsLong()));
    }

    static OptionalLong available(String information) {
        Matcher matcher = AVAILABLE.matcher(information);
        return matcher.find() ? OptionalLong.of(Long.parseLong(matcher.group(1)) / 1024) : OptionalLong.empty();
    }

    static Finding judge(long mebibytes) {
        String evidence = mebibytes + " MiB are available";
        if (mebibytes < ONE_SERVER_MEBIBYTES) {
            return Ailment.MEMORY_FOR_NONE.seen(evidence);
        }
        if (mebibytes < TWO_SERVERS_MEBIBYTES) {
            return Ailment.MEMORY_FOR_ONE.seen(evidence);
        }
        return Finding.ok(CHECK, evidence);
    }
}
