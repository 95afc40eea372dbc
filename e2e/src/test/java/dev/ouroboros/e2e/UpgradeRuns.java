package dev.ouroboros.e2e;

import dev.ouroboros.node.process.Result;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** Runs {@code ouro upgrade} of a sandbox, to its end or to a kill. */
final class UpgradeRuns {
    private static final int LATEST_KILL_MILLIS = 30_000;

    private final OuroProgram ouro;
    private final Random random = new Random();

    UpgradeRuns(OuroProgram ouro) {
        this.ouro = ouro;
    }

    /** {@code ouro upgrade VERB --name SANDBOX ARGUMENTS}. */
    List<String> command(String verb, String... arguments) {
        List<String> command = new ArrayList<>(ouro.command("upgrade"));
        command.add(2, verb);
        command.addAll(List.of(arguments));
        return command;
    }

    Result run(List<String> command) {
        return ouro.run(command, Duration.ofMinutes(10));
    }

    /** Kills it some time after its beginning. */
    void runAndKill(List<String> command) throws Exception {
        Process process = new ProcessBuilder(command).inheritIO().start();
        long moment = 500L + random.nextInt(LATEST_KILL_MILLIS);
        boolean ended = process.waitFor(moment, TimeUnit.MILLISECONDS);
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor(Duration.ofSeconds(30));
        System.err.println(ended ? "it had ended" : "killed after " + moment + " ms");
    }
}
