package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.e2e.Node.Running;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * {@code ouro probe} in the network of a pod, through the {@code kubernetes} Service: what kube-proxy's rules and the front make together
 * of a connection.
 */
final class PodProbe implements AutoCloseable {
    private static final String FIRST_ANSWER = ": first answer";
    /** Those whose failures count. The others are shown only, and the probe on the host has them. */
    private static final Set<String> ROWS = Set.of("new", "pooled", "watch", "write");

    private final Process process;
    private final StringBuilder report = new StringBuilder();
    private final Thread reader;

    private PodProbe(Process process) {
        this.process = process;
        this.reader = Thread.ofVirtual().start(() -> report.append(read(process.inputReader())));
    }

    /** Begins, in the network of the scheduler's pod, and returns when the Service has answered each client. */
    static PodProbe start(OuroProgram ouro, Node node) throws IOException {
        Running scheduler = node.processes(ControlPlane.SCHEDULER).getFirst();
        String service = ouro.kubectl("get", "service", "kubernetes", "-o", "jsonpath={.spec.clusterIP}")
                .strip();
        Process process = new ProcessBuilder(
                        "nsenter",
                        "--net=" + scheduler.directory().resolve("ns/net"),
                        OuroProgram.CHECKOUT.resolve("ouro").toString(),
                        "probe",
                        "--kubeconfig=" + ouro.kubeconfig(),
                        "--server=https://" + service,
                        "--namespace=kube-public",
                        "--await-first-answer",
                        "--clients=new,pooled,watch",
                        "--duration=30m")
                .start();
        BufferedReader said = process.errorReader();
        // Until then its JVM takes the processor that a change's candidate needs to boot.
        Set<String> silent = new HashSet<>(ROWS);
        while (!silent.isEmpty()) {
            String line = said.readLine();
            assertThat(line)
                    .as("what the probe in the pod says; not yet of %s", silent)
                    .isNotNull();
            System.err.println("pod: " + line);
            silent.removeIf(row -> line.startsWith(row + FIRST_ANSWER));
        }
        Thread.ofVirtual().start(() -> System.err.print(read(said)));
        return new PodProbe(process);
    }

    private static String read(BufferedReader lines) {
        return lines.lines().map(line -> "pod: " + line + "\n").collect(Collectors.joining());
    }

    /** Stops and requires that no request failed. */
    void requireNoFailedRequest() throws InterruptedException {
        // Not of the Process: that closes what its report comes through.
        process.toHandle().destroy();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("it ends").isTrue();
        reader.join();
        System.err.println(report);
        assertThat(process.exitValue()).as(report.toString()).isZero();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
