package dev.ouroboros.node.process;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * {@link Processes} on this machine. Children and their descendants are killed at the timeout and when we are interrupted. A child
 * has ended when its process has: a daemon that it leaves behind, with the child's output still open, is not waited for.
 */
public final class LocalProcesses implements Processes {
    @Override
    public Result run(Command command) {
        Process process = start(command, false);
        Output output = Output.collect(process.getInputStream());
        Output error = Output.collect(process.getErrorStream());
        feed(process, command.input());
        int exitCode = await(process, command);
        return new Result(command.describe(), exitCode, output.join(), error.join());
    }

    @Override
    public Result stream(Command command, Consumer<String> line) {
        Process process = start(command, true);
        Output output = Output.lines(process.getInputStream(), line);
        feed(process, command.input());
        int exitCode = await(process, command);
        return new Result(command.describe(), exitCode, output.join(), "");
    }

    @Override
    public int attach(Command command) {
        ProcessBuilder builder = builder(command).inheritIO();
        try {
            return await(builder.start(), command);
        } catch (IOException e) {
            throw cannotStart(command, e);
        }
    }

    private static Process start(Command command, boolean mergeError) {
        try {
            return builder(command).redirectErrorStream(mergeError).start();
        } catch (IOException e) {
            throw cannotStart(command, e);
        }
    }

    private static ProcessBuilder builder(Command command) {
        ProcessBuilder builder = new ProcessBuilder(command.arguments());
        builder.environment().putAll(command.environment());
        command.directory().ifPresent(directory -> builder.directory(directory.toFile()));
        return builder;
    }

    private static ProblemException cannotStart(Command command, IOException e) {
        return new ProblemException(
                new dev.ouroboros.model.problem.Problem(
                        ErrorCode.MISSING_TOOL,
                        command.arguments().getFirst(),
                        "cannot be started: " + e.getMessage(),
                        "an executable on PATH",
                        "install it, or run 'ouro up', which installs what a sandbox needs"),
                e);
    }

    private static int await(Process process, Command command) {
        try {
            if (process.waitFor(command.timeout().toMillis(), TimeUnit.MILLISECONDS)) {
                return process.exitValue();
            }
            killTree(process);
            throw ProblemException.of(
                    ErrorCode.TIMEOUT,
                    command.describe(),
                    "did not end within " + command.timeout().toSeconds() + " s and was killed",
                    "",
                    "run it by hand to see what it waits for, then run the same command again");
        } catch (InterruptedException e) {
            killTree(process);
            Thread.currentThread().interrupt();
            throw ProblemException.of(
                    ErrorCode.TIMEOUT,
                    command.describe(),
                    "was interrupted and killed",
                    "",
                    "run the same command again");
        }
    }

    private static void killTree(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    private static void feed(Process process, String input) {
        try (OutputStream stream = process.getOutputStream()) {
            stream.write(input.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // A broken pipe: the child ended, or closed its input, before it read everything. Whether that matters, its
            // exit code tells; whether it is alive at this instant does not, as it may just be ending.
            return;
        }
    }
}
