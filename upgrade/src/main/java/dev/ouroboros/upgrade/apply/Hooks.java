package dev.ouroboros.upgrade.apply;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.render.lint.ManifestFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Commands and Jobs that the user supplies. A command that was interrupted is run again. A Job's name gets the upgrade's id as a suffix, so
 * that it runs once per upgrade; an upgrade that was refused or killed before it changed anything gets another id when it is run again.
 */
public final class Hooks {
    private static final String COMMAND_AFTER = "--post-hook";
    private static final String JOB_AFTER = "--post-job";

    private final Asked before;
    private final Asked after;
    private final Disk disk;
    private final Processes processes;
    private final ApplyApi api;
    private final ProcedureListener listener;
    private final Patience patience;
    private final Duration limit;

    /**
     * What is to be run.
     *
     * @param command for the shell
     * @param job file with a Job's manifest
     */
    public record Asked(Optional<String> command, Optional<Path> job) {}

    /** @param limit how long a command may take */
    public Hooks(
            Asked before,
            Asked after,
            Disk disk,
            Processes processes,
            ApplyApi api,
            ProcedureListener listener,
            Patience patience,
            Duration limit) {
        this.before = before;
        this.after = after;
        this.disk = disk;
        this.processes = processes;
        this.api = api;
        this.listener = listener;
        this.patience = patience;
        this.limit = limit;
    }

    /** The options that say what is to be run afterwards. */
    public static List<String> options(Asked after) {
        return Stream.concat(
                        after.command().stream().map(_ -> COMMAND_AFTER),
                        after.job().stream().map(_ -> JOB_AFTER))
                .toList();
    }

    /** @throws ProblemException when one fails */
    public void run(boolean isBefore, UpgradeJournal journal) {
        Asked asked = isBefore ? before : after;
        asked.command().ifPresent(command -> command(command, isBefore, journal));
        asked.job().ifPresent(file -> job(file, isBefore, journal));
    }

    private void command(String command, boolean isBefore, UpgradeJournal journal) {
        String flag = isBefore ? "--pre-hook" : COMMAND_AFTER;
        listener.did(flag + ": " + command);
        int exitCode = processes.stream(
                        Command.of("/bin/sh", "-c", command)
                                .withTimeout(limit)
                                .withEnvironment("OURO_UPGRADE_FROM", journal.from())
                                .withEnvironment("OURO_UPGRADE_TO", journal.to()),
                        line -> listener.did("  " + line))
                .exitCode();
        if (exitCode != 0) {
            throw failed(isBefore, flag, "ended with exit code " + exitCode);
        }
    }

    private void job(Path file, boolean isBefore, UpgradeJournal journal) {
        String flag = isBefore ? "--pre-job" : JOB_AFTER;
        Json.Fields job = read(file, flag, journal);
        String name = job.at("metadata", "name").text().orElse("");
        if (patience.asking(() -> api.read(job)).isEmpty()) {
            patience.asking(() -> api.create(job));
            listener.did(flag + ": Job " + name);
        }
        while (true) {
            Json conditions = patience.asking(() -> api.read(job))
                    .orElseThrow(() -> failed(isBefore, flag, "Job " + name + " was deleted"))
                    .at("status", "conditions");
            if (holds(conditions, "Failed")) {
                throw failed(
                        isBefore,
                        flag,
                        "Job " + name + " failed" + (isBefore ? "" : "; delete it to have it run again"));
            }
            if (holds(conditions, "Complete")) {
                patience.did();
                return;
            }
            patience.waits("Job " + name + " to complete");
        }
    }

    private Json.Fields read(Path file, String flag, UpgradeJournal journal) {
        String text = disk.readText(file)
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.NOT_FOUND, flag + " " + file, "there is no such file", "", "correct the path"));
        List<Json> manifests = ManifestFile.manifests(text, file.toString());
        if (manifests.size() != 1
                || !manifests.getFirst().at("kind").equals(Json.text("Job"))
                || !(manifests.getFirst() instanceof Json.Fields job)
                || !(job.at("metadata") instanceof Json.Fields metadata)
                || metadata.at("name").text().isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    flag + " " + file,
                    "is not one Job with a name",
                    "one",
                    "put each Job into a file of its own, with metadata.name");
        }
        String name = metadata.at("name").text().orElseThrow() + "-" + journal.id();
        return job.with("metadata", metadata.with("name", Json.text(name)));
    }

    private static boolean holds(Json conditions, String type) {
        return conditions.items().stream()
                .anyMatch(condition -> condition.at("type").equals(Json.text(type))
                        && condition.at("status").equals(Json.text("True")));
    }

    private static ProblemException failed(boolean isBefore, String flag, String why) {
        return ProblemException.of(
                ErrorCode.COMPONENT_FAILED,
                flag,
                why,
                "",
                isBefore
                        ? "nothing was changed: remove the reason and run the same command again"
                        : "remove the reason and run the same command again, which goes on from there");
    }
}
