package dev.ouroboros.host.decide;

import java.util.Arrays;
import java.util.Optional;

/** Who makes control groups for pods. The kubelet and containerd must be told the same. */
public enum CgroupDriver {
    SYSTEMD("systemd"),
    CGROUPFS("cgroupfs");

    private final String value;

    CgroupDriver(String value) {
        this.value = value;
    }

    /** The one that is said so; empty for anything else. */
    static Optional<CgroupDriver> of(String value) {
        return Arrays.stream(values())
                .filter(driver -> driver.value.equals(value))
                .findFirst();
    }

    /** As the kubelet's {@code cgroupDriver} says it. */
    public String value() {
        return value;
    }

    /**
     * What fits a host that systemd runs. The one hierarchy of cgroup v2 has one manager, and that is systemd (systemd.io,
     * "Control Group APIs and Delegation"). In the many of v1 a second one is harmless below a directory of its own, and asks nobody.
     */
    public static CgroupDriver fitting(boolean unifiedHierarchy) {
        return unifiedHierarchy ? SYSTEMD : CGROUPFS;
    }
}
