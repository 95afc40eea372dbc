package dev.ouroboros.keeper.decide;

import dev.ouroboros.keeper.decide.Memory.PodStart;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence.Known;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * With what content a pod of the control plane began. Its processes read keys and configuration when they begin: what somebody writes into a Secret under a pod that runs is
 * nothing that ever served, and may be what no process can begin with. Of somebody's own component it is not told: such a pod may read its files at any time.
 */
final class Started {
    /** What a pod refers to is read within this time after the pod was seen: an object that may change is read every ten seconds. */
    static final Duration READ_WITHIN = Duration.ofSeconds(15);

    private Started() {}

    private record Made(PrincipalPod pod, Revision revision) {}

    /** What is remembered from now on: of a pod whose content is not known at this moment what was known before. */
    static Optional<PodStart> of(ComponentSeen seen, Memory remembered, Moment moment) {
        return made(seen).map(now -> of(now, remembered, moment)).or(remembered::started);
    }

    private static PodStart of(Made now, Memory remembered, Moment moment) {
        Optional<PodStart> before = remembered.started().filter(start -> start.isOf(now.pod()));
        Instant seenAt = before.map(PodStart::seenAt).orElse(moment.now());
        boolean isSettled = moment.lasted(Optional.of(seenAt), READ_WITHIN);
        Revision revision =
                before.filter(_ -> isSettled).map(PodStart::revision).orElse(now.revision());
        return new PodStart(now.pod().uid(), now.pod().restarts(), revision, seenAt);
    }

    private static Optional<Made> made(ComponentSeen seen) {
        if (!(seen.material() instanceof Known<Material>(Material material))) {
            return Optional.empty();
        }
        return switch (material) {
            case Material.Complete(String uid, Revision revision) ->
                seen.pods().orElse(List.of()).stream()
                        .filter(pod -> pod.uid().equals(uid))
                        .findFirst()
                        .map(pod -> new Made(pod, revision));
            case Material.OnAnotherNode(PrincipalPod pod, Revision revision) -> Optional.of(new Made(pod, revision));
            case Material.Refused _ -> Optional.empty();
        };
    }

    /** Whether what a pod would be saved with now is not what its processes began with. */
    static boolean isEdited(Judged component, Revision revision) {
        return component.seen().role() != Role.OTHER
                && component
                        .memory()
                        .started()
                        .filter(start -> !start.revision().equals(revision))
                        .isPresent();
    }
}
