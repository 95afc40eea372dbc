package dev.ouroboros.status.judge;

import dev.ouroboros.keeper.decide.ChangeReport;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.status.model.Change;
import dev.ouroboros.status.model.Change.Progress;
import java.time.Instant;
import java.util.List;
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
                            workload.templateChangedAt(),
                            "",
                            workload.isOnSeveralNodes())
                    : change(
                            workload.name(),
                            step,
                            workload.annotation(PREFIX + "revision"),
                            workload.annotation(PREFIX + "message").orElse(""),
                            since,
                            workload.annotation(ChangeReport.NODE_ANNOTATION).orElse(""),
                            workload.isOnSeveralNodes());
        });
    }

    /** Whether the annotations are about an earlier template, not this one. */
    private static boolean isStale(Workload workload, Optional<Instant> since) {
        return workload.templateChangedAt().isPresent()
                && since.isPresent()
                && since.get().isBefore(workload.templateChangedAt().get());
    }

    /**
     * The change that this node's keeper tells of.
     *
     * @param workloads those of the API; empty with no API
     */
    static Optional<Change> of(Json state, List<Workload> workloads) {
        ComponentName name = new ComponentName("kube-system", Component.API_SERVER.id());
        Json change = state.at("change");
        return change.at("state")
                .text()
                .map(step -> change(
                        name,
                        step,
                        change.at("revision").text(),
                        message(change),
                        Workload.instant(change.at("since")),
                        state.at("node").text().orElse(""),
                        workloads.stream()
                                .anyMatch(workload -> workload.name().equals(name) && workload.isOnSeveralNodes())));
    }

    /**
     * Whether this node's keeper is believed rather than the annotations: its word is newer, and says how far the change is. But a keeper
     * whose turn has not come knows less than that of the node which is at it.
     */
    static boolean replaces(Change here, Optional<Change> annotated) {
        return here.mayGoOn()
                && annotated
                        .filter(change ->
                                !change.node().isEmpty() && !change.node().equals(here.node()))
                        .filter(_ -> here.progress() != Progress.UNDER_WAY)
                        .isEmpty();
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
            ComponentName name,
            String step,
            Optional<String> revision,
            String message,
            Optional<Instant> since,
            String node,
            boolean isOfSeveralNodes) {
        return new Change(
                name,
                step,
                progress(step),
                revision.filter(text -> !text.isEmpty()),
                message,
                since,
                node,
                isOfSeveralNodes);
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
