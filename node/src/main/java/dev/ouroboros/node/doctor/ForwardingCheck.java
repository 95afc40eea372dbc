package dev.ouroboros.node.doctor;

import dev.ouroboros.core.doctor.Finding;
import dev.ouroboros.node.disk.Disk;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Kernel settings without which pods do not reach Services. */
final class ForwardingCheck implements Check {
    private static final Map<String, String> NEEDED = new TreeMap<>(Map.of(
            "net/ipv4/ip_forward", "packets of pods do not leave the node",
            "net/bridge/bridge-nf-call-iptables",
                    "pods on a bridge do not reach Services that lead back to that bridge"));

    private final Disk disk;
    private final Path settings;

    ForwardingCheck(Disk disk, Path root) {
        this.disk = disk;
        this.settings = root.resolve("proc/sys");
    }

    @Override
    public List<Finding> run() {
        List<Finding> findings = new ArrayList<>();
        NEEDED.forEach((key, consequence) -> {
            String name = key.replace('/', '.');
            String value =
                    disk.readText(settings.resolve(key)).orElse("not there").strip();
            findings.add(
                    value.equals("1")
                            ? Finding.ok(name, "1")
                            : Finding.warning(
                                    name,
                                    value,
                                    consequence,
                                    name.startsWith("net.bridge")
                                            ? "modprobe br_netfilter; sysctl -w " + name + "=1"
                                            : "sysctl -w " + name + "=1"));
        });
        return findings;
    }
}
