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

    /** The driver of this name; empty for anything else. */
    static Optional<CgroupDriver> of(String value) {
        return Arrays.stream(values())
                .filter(driver -> driver.value.equals(value))
                .findFirst();
    }

    /** The name that the kubelet's {@code cgroupDriver} has for it. */
    public String value() {
        return value;
    }

    /**
     * The driver for a host that systemd runs. On cgroup v2 there is one hierarchy, which should have one manager, and that is systemd (systemd.io,
     * "Control Group APIs and Delegation"). On cgroup v1 a second manager does no harm in a directory of its own.
     */
    public static CgroupDriver fitting(boolean unifiedHierarchy) {
        return unifiedHierarchy ? SYSTEMD : CGROUPFS;
    }
}
