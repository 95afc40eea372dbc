package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.node.process.Result;
import dev.ouroboros.render.manifest.ContainerdSettings;
import java.time.Duration;

/** A machine that systemd runs, as its administrator has it: {@code docs/real-hosts.md} is walked on it. */
interface RealHost {
    /** Returns when its systemd has started everything. */
    void boot() throws Exception;

    /** Every process ends at once, and what was not synced is lost. */
    void cutPower() throws Exception;

    /** Runs a script in {@code /root/real-host}, if that is there, {@code ouro} being on the path. */
    Result shell(String script, Duration timeout);

    /** What a script prints that must succeed. */
    default String require(String script) {
        return shell(script, Duration.ofMinutes(10)).orThrow();
    }

    /** containerd forgets its containers when its database is gone; their shims and processes go on. */
    default void forgetContainers() {
        require("systemctl stop kubelet containerd");
        require("rm " + ContainerdSettings.STORE + "/io.containerd.metadata.v1.bolt/meta.db");
        assertThat(require("ps -e -o comm=")).contains("containerd-shim");
    }
}
