package dev.ouroboros.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** {@code ouro probe} in the network of one node of a sandbox, which dials what the node's own processes dial. */
final class NodeProbe implements AutoCloseable {
    private static final List<String> CLIENTS = List.of("new", "pooled");
    private static final Duration LONGEST = Duration.ofMinutes(20);
    private static final Duration BEGINS_WITHIN = Duration.ofMinutes(1);

    private final Processes processes;
    private final String mark;
    private final List<String> lines = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch answered = new CountDownLatch(CLIENTS.size());
    private final CompletableFuture<Void> ended;

    private NodeProbe(Processes processes, String mark, Command command) {
        this.processes = processes;
        this.mark = mark;
        this.ended = CompletableFuture.runAsync(
                () -> processes.stream(command, this::told),
                task -> Thread.ofVirtual().start(task));
    }

    private void told(String line) {
        lines.add(line);
        if (line.contains(": first answer")) {
            answered.countDown();
        }
    }

    /**
     * Begins; returns when each client was answered.
     *
     * @param pid of the node's first process
     */
    static NodeProbe start(Processes processes, Path ouro, Path kubeconfig, long pid) throws InterruptedException {
        String mark = "ouro-bench-" + pid + "-" + System.nanoTime();
        Command command = Command.of(
                        "env",
                        "OURO_BENCH_PROBE=" + mark,
                        "nsenter",
                        "--net=/proc/" + pid + "/ns/net",
                        ouro.toString(),
                        "probe",
                        "--kubeconfig=" + kubeconfig,
                        "--await-first-answer",
                        "--clients=" + String.join(",", CLIENTS),
                        "--interval=20ms",
                        "--timeout=2s",
                        "--duration=" + LONGEST.toMinutes() + "m",
                        "--output=json")
                .withTimeout(LONGEST.plusMinutes(1));
        NodeProbe probe = new NodeProbe(processes, mark, command);
        if (!probe.answered.await(BEGINS_WITHIN.toSeconds(), TimeUnit.SECONDS)) {
            probe.close();
            throw ProblemException.of(
                    ErrorCode.API_UNAVAILABLE,
                    "ouro probe",
                    "was not answered within " + BEGINS_WITHIN.toSeconds() + " s: " + String.join("; ", probe.lines),
                    "",
                    "see ouro status of the sandbox");
        }
        return probe;
    }

    /**
     * What its clients saw.
     *
     * @param longestWait in seconds, of those that ask again and again
     */
    record Report(long requests, long failures, double longestWait) {}

    /** Ends it, and reads its report. */
    Report stop() {
        end();
        String all = String.join("\n", lines);
        int begin = all.indexOf("\n{");
        try {
            JsonNode clients = new ObjectMapper()
                    .readTree(all.substring(Math.max(0, begin)))
                    .path("clients");
            long requests = 0;
            long failures = 0;
            double longest = 0;
            for (JsonNode client : clients) {
                requests += client.path("requests").asLong();
                failures += client.path("failures").asLong();
                longest = Math.max(longest, client.path("longestWaitSeconds").asDouble());
            }
            return new Report(requests, failures, longest);
        } catch (JsonProcessingException e) {
            throw ProblemException.of(
                    ErrorCode.INTERNAL, "ouro probe", "printed no report: " + all, "JSON", "run the benchmark again");
        }
    }

    /** It has its mark in its environment, and nobody else has. */
    private void end() {
        processes.run(Command.of(
                "sh",
                "-c",
                "for process in /proc/[0-9]*; do if grep -qsz '^OURO_BENCH_PROBE=" + mark
                        + "$' $process/environ; then kill -TERM ${process#/proc/}; fi; done"));
        ended.join();
    }

    @Override
    public void close() {
        if (!ended.isDone()) {
            end();
        }
    }
}
