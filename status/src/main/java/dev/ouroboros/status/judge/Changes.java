package dev.ouroboros.status.judge;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.status.model.Change;
import dev.ouroboros.status.model.Change.Progress;
import java.time.Instant;
import java.util.Optional;

/**
 * What is said of a component's change: by the annotations of its DaemonSet, or, with no API, by the keeper itself. The words are
 * those of docs/change.md.
 */
final class Changes {
    private static final String PREFIX = "ouroboros.dev/change-";

    private Changes() {}

    /** What the keeper wrote on a DaemonSet; empty when it was never changed, or is as it was asked for. */
    static Optional<Change> of(Workload workload) {
        return workload.annotation(PREFIX + "state").map(step -> {
            Optional<Instant> since =
                    workload.annotation(PREFIX + "since").flatMap(text -> Workload.instant(Json.text(text)));
            return isStale(workload, since)
                    ? new Change(
                            workload.name(),
                            "Waiting",
                            Progress.UNDER_WAY,
                            Optional.empty(),
                            "the keeper to look at the new template",
                            workload.templateChangedAt())
                    : change(
                            workload.name(),
                            step,
                            workload.annotation(PREFIX + "revision"),
                            workload.annotation(PREFIX + "message").orElse(""),
                            since);
        });
    }

    /** Whether the annotations are about an earlier template, not this one. */
    private static boolean isStale(Workload workload, Optional<Instant> since) {
        return workload.templateChangedAt().isPresent()
                && since.isPresent()
                && since.get().isBefore(workload.templateChangedAt().get());
    }

    /** The change that this node's keeper tells of. */
    static Optional<Change> of(Json state) {
        Json change = state.at("change");
        return change.at("state")
                .text()
                .map(step -> change(
                        new ComponentName("kube-system", Component.API_SERVER.id()),
                        step,
                        change.at("revision").text(),
                        message(change),
                        Workload.instant(change.at("since"))));
    }

    private static String message(Json change) {
        String message = Words.tidy(change.at("message").text().orElse(""));
        return change.at("progress")
                .text()
                .map(Words::tidy)
                .filter(progress -> !progress.isEmpty())
                .map(progress -> message.isEmpty() ? progress : message + "; " + progress)
                .orElse(message);
    }

    private static Change change(
            ComponentName name, String step, Optional<String> revision, String message, Optional<Instant> since) {
        return new Change(name, step, progress(step), revision.filter(text -> !text.isEmpty()), message, since);
    }

    private static Progress progress(String step) {
        return switch (step) {
            case "None", "Done" -> Progress.DONE;
            case "Failed", "Refused", "RolledBack" -> Progress.FAILED;
            case "Waiting", "Paused" -> Progress.HELD;
            default -> Progress.UNDER_WAY;
        };
    }
}
