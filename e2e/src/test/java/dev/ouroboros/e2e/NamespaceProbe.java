package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ouroboros.e2e.Node.Running;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/** {@code ouro probe} in another network than this machine's: what the tables of a pod's or a node's make of a connection. */
final class NamespaceProbe implements AutoCloseable {
    private static final String FIRST_ANSWER = ": first answer";
    private static final String WATCH = "watch";
    private static final Duration LOOK = Duration.ofSeconds(2);
    /** Processor time in that time. */
    private static final Duration AT_REST = Duration.ofMillis(600);

    private static final Duration LONGEST_WARM_UP = Duration.ofSeconds(30);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Process process;
    private final StringBuilder report = new StringBuilder();
    private final Thread reader;

    private NamespaceProbe(Process process) {
        this.process = process;
        // A virtual thread that reads a pipe keeps its carrier: with two probes there was none left for anybody.
        this.reader = Thread.ofPlatform().daemon().start(() -> report.append(text(process.inputReader())));
    }

    /**
     * Begins in the network of the scheduler's pod, through the {@code kubernetes} Service: kube-proxy's rules and the front together. Returns
     * when each client was answered and its process has come to rest.
     */
    static NamespaceProbe inPod(OuroProgram ouro, Node node) throws IOException {
        Running scheduler = node.processes(ControlPlane.SCHEDULER).getFirst();
        String service = ouro.kubectl("get", "service", "kubernetes", "-o", "jsonpath={.spec.clusterIP}")
                .strip();
        NamespaceProbe begun = start(
                ouro,
                scheduler.directory(),
                List.of("new", "pooled", WATCH),
                List.of("--server=https://" + service, "--namespace=kube-public"));
        awaitCompiled(begun.process);
        return begun;
    }

    /** Begins on a node of a sandbox, as its processes dial what their kubeconfig says; returns when each client was answered. */
    static NamespaceProbe onNode(OuroProgram ouro, long processOne, Duration patience, Duration interval)
            throws IOException {
        return start(
                ouro,
                Path.of("/proc", String.valueOf(processOne)),
                List.of("new", "pooled"),
                List.of(
                        "--timeout=" + patience.toSeconds() + "s",
                        "--interval=" + interval.toMillis() + "ms",
                        "--output=json"));
    }

    private static NamespaceProbe start(OuroProgram ouro, Path inside, List<String> clients, List<String> options)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                "nsenter",
                "--net=" + inside.resolve("ns/net"),
                OuroProgram.CHECKOUT.resolve("ouro").toString(),
                "probe",
                "--kubeconfig=" + ouro.kubeconfig(),
                "--await-first-answer",
                "--clients=" + String.join(",", clients),
                "--duration=30m"));
        command.addAll(options);
        Process process = new ProcessBuilder(command).start();
        BufferedReader said = process.errorReader();
        // Until then its JVM takes the processor that a change's candidate needs to boot.
        // Those whose failures count. The others are shown only, and the probe on the host has them.
        Set<String> silent = new HashSet<>(clients);
        if (silent.contains(WATCH)) {
            silent.add("write");
        }
        while (!silent.isEmpty()) {
            String line = said.readLine();
            assertThat(line).as("what the probe says; not yet of %s", silent).isNotNull();
            System.err.println("probe: " + line);
            silent.removeIf(row -> line.startsWith(row + FIRST_ANSWER));
        }
        Thread.ofPlatform().daemon().start(() -> System.err.print(text(said)));
        return new NamespaceProbe(process);
    }

    /** A JVM that compiles what it has just begun to do takes a processor and more, on which a client that has been there for long does not wait. */
    private static void awaitCompiled(Process process) {
        Instant end = Instant.now().plus(LONGEST_WARM_UP);
        Duration before = used(process);
        boolean isBusy = true;
        while (isBusy && Instant.now().isBefore(end)) {
            LockSupport.parkNanos(LOOK.toNanos());
            Duration now = used(process);
            isBusy = now.minus(before).compareTo(AT_REST) > 0;
            before = now;
        }
    }

    private static Duration used(Process process) {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    private static String text(BufferedReader lines) {
        return lines.lines().map(line -> line + "\n").collect(Collectors.joining());
    }

    /** Stops and requires that no request failed. */
    void requireNoFailedRequest() throws InterruptedException {
        stop();
        assertThat(process.exitValue()).as(report.toString()).isZero();
    }

    /** Stops: how long a client that asks again and again had to wait for an answer. Each has been answered in the end. */
    Duration longestWait() throws InterruptedException, IOException {
        stop();
        double longest = 0;
        for (JsonNode client : JSON.readTree(report.toString()).path("clients")) {
            assertThat(client.path("requests").asInt()).as("%s", client).isPositive();
            for (JsonNode outage : client.path("outages")) {
                assertThat(outage.has("to")).as("%s", client).isTrue();
            }
            longest = Math.max(longest, client.path("longestWaitSeconds").asDouble());
        }
        return Duration.ofMillis(Math.round(longest * 1000));
    }

    private void stop() throws InterruptedException {
        // Not of the Process: that closes what its report comes through.
        process.toHandle().destroy();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("it ends").isTrue();
        reader.join();
        System.err.println(report);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
