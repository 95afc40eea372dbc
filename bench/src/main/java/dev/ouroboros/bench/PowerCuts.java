package dev.ouroboros.bench;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ouroboros.endpoint.KubeconfigFile;
import dev.ouroboros.probe.ClientKind;
import dev.ouroboros.probe.Probe;
import dev.ouroboros.probe.ProbeListener;
import dev.ouroboros.probe.ProbeOptions;
import dev.ouroboros.probe.report.ClientRow;
import dev.ouroboros.probe.report.Outage;
import dev.ouroboros.probe.report.ProbeReport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine;

/** How long a single node needs after a power loss, and whether the API goes away again. */
@CommandLine.Command(
        name = "reboot",
        sortOptions = false,
        description = {
            "Cuts the power of a sandbox of its own, --runs times in a row, each time at rest.",
            "",
            "The API is probed with a new TLS connection and GET /readyz every 50 ms from before the cut until 90 s after the"
                    + " kubelet's start. Everything is back when each of the control plane's controllers has a Ready pod whose"
                    + " containers were all started after the cut."
        },
        footerHeading = "%nExample:%n",
        footer = "  bench/run --runs 5 --binaries ./kubernetes/bin reboot")
final class PowerCuts extends SandboxBenchmark {
    private static final Duration WATCHED = Duration.ofSeconds(90);
    private static final Duration LIMIT = Duration.ofMinutes(10);
    /** A node without power answers nothing at all. */
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(1);

    private PowerCuts() {}

    @Override
    void measure(SandboxOuro ouro, int run) throws InterruptedException {
        Set<String> controllers = ready(ouro.get("pods"), Instant.EPOCH);
        ProbeOptions options = ProbeOptions.of(KubeconfigFile.read(ouro.kubeconfig(), Optional.empty()))
                .withClients(Set.of(ClientKind.NEW))
                .withTimeout(REQUEST_TIMEOUT);
        try (Probe probe = Probe.start(options, ProbeListener.NONE)) {
            JsonNode report = ouro.reboot();
            Instant powerCut = Instant.parse(report.path("powerCutAt").asText());
            Instant kubelet = Instant.parse(report.path("kubeletStartedAt").asText());
            Instant back = await(
                    ouro,
                    "all of " + controllers + " ready again",
                    LIMIT,
                    () -> ready(ouro.get("pods"), powerCut).containsAll(controllers)
                            ? Optional.of(Instant.now())
                            : Optional.empty());
            Duration left = Duration.between(Instant.now(), kubelet.plus(WATCHED));
            if (left.isPositive()) {
                Thread.sleep(left);
            }
            note(probe.stop(), kubelet, back);
        }
    }

    /** The applications of which a controller's pod is ready, with all its containers started after a moment. */
    static Set<String> ready(JsonNode pods, Instant since) {
        Set<String> names = new TreeSet<>();
        for (JsonNode pod : pods.path("items")) {
            String owner = pod.at("/metadata/ownerReferences/0/kind").asText();
            boolean controlled = owner.equals("DaemonSet") || owner.equals("ReplicaSet");
            if (controlled && isReady(pod) && isStartedAfter(pod, since)) {
                names.add(pod.at("/metadata/labels/k8s-app").asText());
            }
        }
        return names;
    }

    private static boolean isReady(JsonNode pod) {
        for (JsonNode condition : pod.at("/status/conditions")) {
            if (condition.path("type").asText().equals("Ready")) {
                return condition.path("status").asText().equals("True");
            }
        }
        return false;
    }

    private static boolean isStartedAfter(JsonNode pod, Instant moment) {
        for (JsonNode status : pod.at("/status/containerStatuses")) {
            String started = status.at("/state/running/startedAt").asText();
            if (started.isEmpty() || Instant.parse(started).isBefore(moment)) {
                return false;
            }
        }
        return true;
    }

    private void note(ProbeReport report, Instant kubelet, Instant back) {
        Duration kubeletStarted = Duration.between(report.startedAt(), kubelet);
        List<Outage> outages = report.client(ClientRow.NEW).orElseThrow().outages();
        Outage cut = outages.stream()
                .filter(outage ->
                        outage.lasted(report.lasted()).plus(outage.from()).compareTo(kubeletStarted) > 0)
                .findFirst()
                .orElseThrow();
        Duration apiBack = cut.from().plus(cut.lasted(report.lasted()));
        List<Outage> later = outages.stream()
                .filter(outage -> outage.from().compareTo(apiBack) >= 0)
                .toList();
        table.add("API back after the kubelet's start (s)", seconds(apiBack.minus(kubeletStarted)));
        table.add(
                "requests failed from then until 90 s after the kubelet's start",
                later.stream().mapToDouble(Outage::failures).sum());
        table.add("everything back after the kubelet's start (s)", seconds(Duration.between(kubelet, back)));
    }
}
