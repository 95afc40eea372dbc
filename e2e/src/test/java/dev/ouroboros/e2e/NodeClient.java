package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.node.process.Result;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;

/** A client that runs on a node of a sandbox and asks the API again and again, over a new connection each time, as its kubeconfig says. */
final class NodeClient {
    private static final String STOP = "/tmp/client.stop";
    private static final String SCRIPT = """
            rm -f %1$s
            while [ ! -e %1$s ]; do
              if kubectl --request-timeout=2s get --raw /api/v1/namespaces/kube-system > /dev/null 2> /tmp/client.error; then
                echo "$(date +%%s%%3N) ok"
              else
                echo "$(date +%%s%%3N) failed $(head -c 200 /tmp/client.error | tr '\\n' ' ')"
              fi
              sleep 0.05
            done
            """.formatted(STOP);

    private final OuroProgram ouro;
    private final String node;
    private final CompletableFuture<Result> running;

    private NodeClient(OuroProgram ouro, String node, CompletableFuture<Result> running) {
        this.ouro = ouro;
        this.node = node;
        this.running = running;
    }

    static NodeClient start(OuroProgram ouro, String node) {
        return new NodeClient(
                ouro,
                node,
                CompletableFuture.supplyAsync(
                        () -> ouro.runPlain("exec", node, "--", "bash", "-c", SCRIPT),
                        Executors.newVirtualThreadPerTaskExecutor()));
    }

    /** Ends it: the longest time from one answer to the next. */
    Duration longestWait() {
        assertThat(ouro.runPlain("exec", node, "--", "touch", STOP).exitCode()).isZero();
        List<String> lines = running.join().output().lines().toList();
        System.err.println("client on " + node + ": "
                + lines.stream().filter(line -> line.endsWith(" ok")).count() + " answers; "
                + lines.stream().filter(line -> !line.endsWith(" ok")).toList());
        long longest = 0;
        long last = at(lines.getFirst());
        for (String line : lines) {
            if (line.endsWith(" ok")) {
                longest = Math.max(longest, at(line) - last);
                last = at(line);
            }
        }
        return Duration.ofMillis(Math.max(longest, at(lines.getLast()) - last));
    }

    private static long at(String line) {
        return Long.parseLong(line.split(" ", 2)[0]);
    }
}
