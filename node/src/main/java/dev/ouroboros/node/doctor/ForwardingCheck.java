package dev.ouroboros.node.doctor;

import dev.ouroboros.model.ailment.Ailment;
import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.node.disk.Disk;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Kernel settings without which pods do not reach Services. */
final class ForwardingCheck implements Check {
    private static final List<Ailment> NEEDED = List.of(Ailment.NO_BRIDGE_FILTER, Ailment.NO_FORWARDING);

    private final Disk disk;
    private final Path settings;

    ForwardingCheck(Disk disk, Path root) {
        this.disk = disk;
        this.settings = root.resolve("proc/sys");
    }

    @Override
    public List<Finding> run() {
        List<Finding> findings = new ArrayList<>();
        for (Ailment ailment : NEEDED) {
            Path setting = settings.resolve(ailment.check().replace('.', '/'));
            String value = disk.readText(setting).orElse("not there").strip();
            findings.add(value.equals("1") ? Finding.ok(ailment.check(), "1") : ailment.seen(value));
        }
        return findings;
    }
}
