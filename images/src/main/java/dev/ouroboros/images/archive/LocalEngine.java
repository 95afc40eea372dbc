package dev.ouroboros.images.archive;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The container engine of this machine, asked by its own command line, which all of them have alike. */
final class LocalEngine {
    private static final List<String> COMMANDS = List.of("docker", "podman", "nerdctl");
    private static final Duration TIMEOUT = Duration.ofMinutes(15);

    private final Processes processes;

    LocalEngine(Processes processes) {
        this.processes = processes;
    }

    /** Saves an image of the first engine that has it. */
    void save(String image, Path file) {
        List<String> refusals = new ArrayList<>();
        for (String command : COMMANDS) {
            try {
                Result saved = processes.run(Command.of(command, "save", "--output", file.toString(), image)
                        .withTimeout(TIMEOUT));
                if (saved.succeeded()) {
                    return;
                }
                refusals.add(command + " says: "
                        + saved.error().lines().reduce((_, last) -> last).orElse("exit code " + saved.exitCode()));
            } catch (ProblemException e) {
                if (e.problems().getFirst().code() != ErrorCode.MISSING_TOOL) {
                    throw e;
                }
            }
        }
        String elsewhere = "on a machine that has the image: docker save -o image.tar " + image
                + "; copy the file here, then: ouro images load image.tar";
        throw refusals.isEmpty()
                ? ProblemException.of(
                        ErrorCode.MISSING_TOOL,
                        image,
                        "is no file, and no container engine is here that could have an image of this name",
                        "a file of 'docker save', or one of " + String.join(", ", COMMANDS),
                        elsewhere)
                : ProblemException.of(
                        ErrorCode.PROCESS_FAILED,
                        image,
                        "is no file, and no container engine here gives an image of this name; "
                                + String.join("; ", refusals),
                        "",
                        "get the image first (docker pull " + image + "), or " + elsewhere);
    }
}
