package dev.ouroboros.model.kubelet;

import static dev.ouroboros.model.kubelet.GuardedNode.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The guard is killed before each call of {@code mv}, {@code rm} and {@code sync}, and begun again: in whichever place it was, the end is the same. Where the kubelet that is tried runs, it is killed with the kubelet and its service, as
 * by a loss of power that loses no write; where that kubelet ends again and again, it is killed alone.
 */
final class KilledGuardTest {
    private static final int AT_ONCE = 8;
    private static final int NOWHERE = 1000;

    @TempDir
    private Path directory = Path.of(".");

    /** What runs with the generation that is tried, and how its trial ends. */
    private record Kind(String run, String current, String outcome) {}

    @ParameterizedTest
    @CsvSource({"false, true", "true, false"})
    void theEndIsTheSame(boolean isBad, boolean isPowerLost) throws Exception {
        Kind kind = isBad
                ? new Kind("exit 1", "base", "failed its kubelet ended 3 times")
                : new Kind("exec sleep 1001", "other", "confirmed");
        int calls = run(kind, NOWHERE, isPowerLost);
        assertThat(calls).as("calls that change a file").isBetween(10, 40);
        List<Future<Integer>> runs = new ArrayList<>();
        try (ExecutorService executor = Executors.newFixedThreadPool(AT_ONCE)) {
            for (int call = 1; call <= calls; call++) {
                int place = call;
                runs.add(executor.submit(() -> run(kind, place, isPowerLost)));
            }
        }
        for (int call = 1; call <= calls; call++) {
            try {
                runs.get(call - 1).get();
            } catch (ExecutionException e) {
                throw new AssertionError("killed before call " + call, e);
            }
        }
    }

    /** @return how many calls there were that change a file, when nobody was killed */
    private int run(Kind kind, int place, boolean isPowerLost) throws Exception {
        Path home = Files.createTempDirectory(directory, "node");
        try (GuardedNode node = new GuardedNode(home)) {
            node.service();
            node.generation("other", node.server(200), kind.run());
            deadly(node, home, place);
            // One that ends again and again may be seen well twice within a second.
            node.guardWith("GUARD_STEADY", kind.current().equals("base") ? "2" : "1");
            node.tryOut("other", 20);
            Process guard = node.guard();
            if (place < NOWHERE) {
                assertThat(guard.waitFor(30, TimeUnit.SECONDS))
                        .as("it is killed, or ends")
                        .isTrue();
                // How often it looks, and so how many calls there are, is not the same each time.
                boolean isKilled = Integer.parseInt(node.text("calls")) >= place;
                assertThat(guard.exitValue() != 0).as(node.text("log")).isEqualTo(isKilled);
                if (isPowerLost) {
                    node.cutPower();
                    node.boot();
                }
                guard = isKilled ? node.guard() : guard;
            }
            node.ends(guard);
            assertThat(node.text("current")).isEqualTo(kind.current());
            assertThat(node.text("outcomes/other")).isEqualTo(kind.outcome());
            await(() -> node.first("started").equals(kind.current()));
            return Integer.parseInt(node.text("calls"));
        }
    }

    /** Programs that change files kill the script that calls them for the nth time, and do nothing then. */
    private static void deadly(GuardedNode node, Path home, int place) throws IOException {
        Path programs = Files.createDirectory(home.resolve("programs"));
        Files.writeString(home.resolve("calls"), "0\n");
        for (String name : List.of("mv", "rm", "sync")) {
            Path program = programs.resolve(name);
            Files.writeString(program, """
                    #!/bin/bash
                    calls=$(($(<%1$s/calls) + 1))
                    echo "$calls" >%1$s/calls
                    if [ "$calls" = %2$d ]; then
                        kill -KILL "$PPID"
                        exit 1
                    fi
                    exec /usr/bin/%3$s "$@"
                    """.formatted(home, place, name));
            assertThat(program.toFile().setExecutable(true)).isTrue();
        }
        node.guardWith("PATH", programs + ":" + System.getenv("PATH"));
    }
}
