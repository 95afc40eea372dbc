package dev.ouroboros.cli.kubelet;

import dev.ouroboros.change.KubeletRolling;
import dev.ouroboros.cli.cluster.StatusTarget;
import dev.ouroboros.cli.console.DurationConverter;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.node.clock.MonotonicClock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** Which nodes are meant, and how long is waited. */
final class KubeletRollOptions {
    @Mixin
    private StatusTarget target = new StatusTarget();

    @Option(
            names = "--node",
            paramLabel = "NODE",
            description = "A node that is meant; may be given again (default: all).")
    private List<String> nodes = new ArrayList<>();

    @Mixin
    private KubeletMannerOptions manner = new KubeletMannerOptions();

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "10m",
            converter = DurationConverter.class,
            description = "How long one thing is waited for (default: ${DEFAULT-VALUE}).")
    private Duration timeout = Duration.ofMinutes(10);

    Set<String> nodes() {
        return new TreeSet<>(nodes);
    }

    StatusTarget target() {
        return target;
    }

    ClusterClient connect() {
        return ClusterClient.connect(target.requiredEndpoint());
    }

    KubeletRolling rolling(ClusterClient client, CommandSpec spec) {
        InstantSource clock = new MonotonicClock(InstantSource.system().instant());
        return new KubeletRolling(client, new SpokenLines(spec, clock), timeout, manner.manner(), clock);
    }
}
