package dev.ouroboros.keeper.decide;

import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.evidence.Health.NotListening;
import dev.ouroboros.model.evidence.Health.NotReady;
import dev.ouroboros.model.evidence.Health.Ready;
import java.util.List;

/**
 * What the evidence of one moment says of a principal.
 *
 * <p>An API server is judged by a direct probe and by the runtime, because when it is in trouble, what comes through the API may be
 * stale or missing:
 *
 * <pre>
 * probe            pods being deleted   runtime            verdict
 * ready            all                  -                  LEAVES
 * ready            not all, unknown     -                  SERVES, or FAILS by a {@link Doubt}
 * only etcd fails  -                    -                  WAITS_FOR_ETCD
 * not ready        -                    -                  FAILS
 * not listening    -                    stopped, absent    DEAD
 * not listening    -                    runs, unknown      FAILS
 * unknown          -                    stopped, absent    DEAD
 * unknown          -                    runs, unknown      UNKNOWN
 * </pre>
 *
 * <p>The keeper itself serves when a living pod of it runs, ready or not: it waits for a lock. All others are judged by their pods,
 * and by the runtime only where it contradicts them: what the API says of a node that was off is old.
 */
enum Verdict {
    SERVES,
    /** It answers, and every pod of it is being deleted. */
    LEAVES,
    /** The runtime has no running container of it. */
    DEAD,
    /** It does not do what it is there for. */
    FAILS,
    /** No pod of it lives here, and the kubelet will never run the ones that are left. */
    REJECTED,
    /** No pod of it lives here. */
    ABSENT,
    /** The server itself is well; an understudy would wait for etcd too. */
    WAITS_FOR_ETCD,
    UNKNOWN;

    static Verdict of(ComponentSeen seen, Doubt doubt) {
        return switch (seen.role()) {
            case API_SERVER -> ofApiServer(seen, doubt);
            case KEEPER -> ofKeeper(seen);
            case CONTROLLER_MANAGER, SCHEDULER, OTHER -> ofPods(seen);
        };
    }

    /** Whether it is known not to serve; a server that waits for etcd would serve again by itself. */
    boolean isTrouble() {
        return switch (this) {
            case DEAD, FAILS, REJECTED, ABSENT -> true;
            case SERVES, LEAVES, WAITS_FOR_ETCD, UNKNOWN -> false;
        };
    }

    private static Verdict ofApiServer(ComponentSeen seen, Doubt doubt) {
        boolean dead = seen.principalRuns().is(running -> running != Running.RUNNING);
        return switch (seen.principal()) {
            case Known<Health>(Ready _) ->
                seen.pods().is(Verdict::allAreLeaving) ? LEAVES : doubt.isAlone() ? FAILS : SERVES;
            case Known<Health>(NotReady health) -> waitsForEtcd(health) ? WAITS_FOR_ETCD : FAILS;
            case Known<Health>(NotListening _) -> dead ? DEAD : FAILS;
            case Unknown<Health> _ -> dead ? DEAD : UNKNOWN;
        };
    }

    /** A mirror or failed pod is no sign that whatever answers is about to end. */
    private static boolean allAreLeaving(List<PrincipalPod> pods) {
        return pods.stream().noneMatch(PrincipalPod::isAlive)
                && pods.stream().anyMatch(pod -> pod.terminating() && !pod.failed());
    }

    /** Checks of etcd are called etcd, etcd-readiness, and etcd-override-... where objects have an etcd of their own. */
    private static boolean waitsForEtcd(NotReady health) {
        return !health.failedChecks().isEmpty()
                && health.failedChecks().stream().allMatch(check -> check.startsWith("etcd"));
    }

    private static Verdict ofKeeper(ComponentSeen seen) {
        if (seen.pods() instanceof Unknown || seen.principalRuns() instanceof Unknown) {
            return UNKNOWN;
        }
        boolean lives = seen.pods().is(pods -> pods.stream().anyMatch(PrincipalPod::isAlive));
        return lives && seen.principalRuns().is(running -> running == Running.RUNNING) ? SERVES : FAILS;
    }

    private static Verdict ofPods(ComponentSeen seen) {
        return switch (seen.pods()) {
            case Unknown<List<PrincipalPod>> _ -> UNKNOWN;
            case Known<List<PrincipalPod>>(List<PrincipalPod> pods) -> {
                if (pods.stream().anyMatch(PrincipalPod::isAlive)) {
                    boolean ready = pods.stream().anyMatch(pod -> pod.isAlive() && pod.ready());
                    boolean dead = seen.principalRuns().is(running -> running != Running.RUNNING);
                    yield ready && !dead ? SERVES : FAILS;
                }
                yield pods.stream().anyMatch(PrincipalPod::failed) ? REJECTED : ABSENT;
            }
        };
    }
}
