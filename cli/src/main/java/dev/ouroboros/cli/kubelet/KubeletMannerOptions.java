package dev.ouroboros.cli.kubelet;

import dev.ouroboros.change.decide.KubeletManner;
import dev.ouroboros.cli.console.DurationConverter;
import java.time.Duration;
import picocli.CommandLine.Option;

/** How one node follows the other when kubelets are exchanged. */
public final class KubeletMannerOptions {
    @Option(
            names = "--settle",
            paramLabel = "TIME",
            defaultValue = "60s",
            converter = DurationConverter.class,
            description = "How long a node has to be Ready before the next one's kubelet (default: ${DEFAULT-VALUE}).")
    private Duration settle = Duration.ofSeconds(60);

    @Option(
            names = "--no-drain",
            description = {
                "Do not ask pods to leave a node for a change that is not to be done under them: another minor version, policies of processors and memory, what is reserved, thresholds of"
                        + " eviction. On the only node they stay in any case."
            })
    private boolean noDrain;

    public KubeletManner manner() {
        return new KubeletManner(settle, !noDrain);
    }
}
