package dev.ouroboros.keeper.decide;

import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.evidence.Health.NotListening;
import dev.ouroboros.model.evidence.Health.NotReady;
import dev.ouroboros.model.evidence.Health.Ready;
import dev.ouroboros.model.evidence.ServerAnswer;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Puts evidence into words. */
final class Explain {
    private Explain() {}

    private static String probes(ComponentSeen seen) {
        return "principal: " + health(seen.principal()) + "; its containers: " + running(seen.principalRuns())
                + "; understudy: " + health(seen.understudy());
    }

    static String probes(Judged component) {
        String doubt = component.doubt().question();
        return probes(component.seen()) + (doubt.isEmpty() ? "" : "; asked of the principal: " + doubt);
    }

    static String principal(Judged apiServer) {
        String doubt = apiServer.doubt().question();
        return health(apiServer.seen().principal()) + (doubt.isEmpty() ? "" : " (asked: " + doubt + ")");
    }

    static String health(Evidence<Health> evidence) {
        return switch (evidence) {
            case Unknown<Health>(String why) -> "unknown (" + why + ")";
            case Known<Health>(NotListening _) -> "does not listen";
            case Known<Health>(NotReady(String detail, var _)) -> "not ready (" + ServerAnswer.cause(detail) + ")";
            case Known<Health>(Ready _) -> "ready";
        };
    }

    static String proof(Evidence<Proof> evidence) {
        return switch (evidence) {
            case Unknown<Proof>(String why) -> "not asked (" + why + ")";
            case Known<Proof>(Proof.Passed _) -> "answers every question";
            case Known<Proof>(Proof.Failed(String question, String detail)) -> question + ": " + detail;
        };
    }

    static String running(Evidence<Running> evidence) {
        return switch (evidence) {
            case Unknown<Running>(String why) -> "unknown (" + why + ")";
            case Known<Running>(Running running) -> running.name().toLowerCase(Locale.ROOT);
        };
    }

    static String slots(Evidence<Slots> evidence) {
        return switch (evidence) {
            case Unknown<Slots>(String why) -> "the checkpoints on disk: " + why;
            case Known<Slots>(Slots slots) ->
                "candidate " + revision(slots.candidate()) + ", last-good " + revision(slots.lastGood());
        };
    }

    private static String revision(Optional<Revision> revision) {
        return revision.map(Revision::digest).orElse("none");
    }

    static String pods(ComponentSeen seen) {
        return switch (seen.pods()) {
            case Unknown<List<PrincipalPod>>(String why) -> "pods: unknown (" + why + ")";
            case Known<List<PrincipalPod>>(List<PrincipalPod> pods) ->
                pods.isEmpty()
                        ? "pods: none"
                        : pods.stream().map(Explain::pod).collect(Collectors.joining(", ", "pods: ", ""));
        };
    }

    private static String pod(PrincipalPod pod) {
        String state =
                pod.failed() ? "failed" : pod.terminating() ? "terminating" : pod.ready() ? "ready" : "not ready";
        return pod.name() + " " + state + ", " + pod.restarts() + " restarts";
    }
}
