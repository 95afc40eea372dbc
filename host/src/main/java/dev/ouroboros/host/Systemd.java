package dev.ouroboros.host;

import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** systemd, by {@code systemctl}. */
final class Systemd {
    private final Processes processes;
    private final Duration limit;

    /** @param limit how long one command may take */
    Systemd(Processes processes, Duration limit) {
        this.processes = processes;
        this.limit = limit;
    }

    void reload() {
        run("daemon-reload").orThrow();
    }

    boolean isEnabled(String unit) {
        return run("is-enabled", "--quiet", unit).succeeded();
    }

    boolean isActive(String unit) {
        return run("is-active", "--quiet", unit).succeeded();
    }

    /** Whether it knows a unit file of this name. */
    boolean knows(String unit) {
        return !run("show", "--property=LoadState", "--value", unit)
                .output()
                .strip()
                .equals("not-found");
    }

    void enable(String unit) {
        run("enable", "--quiet", unit).orThrow();
    }

    void disable(String unit) {
        run("disable", "--quiet", unit).orThrow();
    }

    /** Returns when it has started, as far as the unit says so itself. */
    void restart(String unit) {
        run("restart", unit).orThrow();
    }

    void stop(String unit) {
        run("stop", unit).orThrow();
    }

    private Result run(String... arguments) {
        List<String> all = new ArrayList<>(List.of("systemctl"));
        all.addAll(List.of(arguments));
        return processes.run(Command.of(all).withTimeout(limit));
    }
}
