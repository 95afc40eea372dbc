package dev.ouroboros.keeper.decide;

import dev.ouroboros.keeper.decide.Action.DropCandidate;
import dev.ouroboros.keeper.decide.Action.Promote;
import dev.ouroboros.keeper.decide.Action.ReportRefusal;
import dev.ouroboros.keeper.decide.Action.SaveCandidate;
import dev.ouroboros.keeper.decide.Memory.PodHealth;
import dev.ouroboros.keeper.decide.Memory.Refusal;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.problem.Problem;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Decides what is saved of a component. A pod is healthy while it lives, is Ready, runs according to the runtime too, does not
 * restart, and keeps its revision; an API server's must also answer its probe, without a {@link Doubt} against it alone.
 *
 * <pre>
 * last-good     candidate     the youngest living pod                     move
 * this          any           -                                           drop the candidate
 * another, none not this      healthy for steady (a debounce)             save as candidate
 * another       this          began with another content                  wait until it begins anew
 * another, none this          healthy for soak                            promote
 * another       another       -                                           drop the candidate
 * another       any           none; of a leader, on another node          as of one here
 * some          some          none, refused                               drop the candidate; of a leader whose pods may be on another node, keep it
 * -             -             refused                                     report, once a pod and set of problems
 * -             -             unknown, or known not to belong here        nothing
 * </pre>
 *
 * <p>A candidate without a last-good beside it is never dropped: it is the only checkpoint. A candidate of a change is left to the change.
 * A candidate stays while the kubelet may have a manifest of it: only its slot shows that it never proved itself.
 */
final class Checkpoints {
    private final Moment moment;
    private final Plan plan;
    private final Evidence<Integer> otherApiServers;
    private final Course course;

    /** @param course what a change of the API server asks for */
    Checkpoints(Moment moment, Plan plan, Evidence<Integer> otherApiServers, Course course) {
        this.moment = moment;
        this.plan = plan;
        this.otherApiServers = otherApiServers;
        this.course = course;
    }

    /**
     * What is remembered from now on, and what is waited for.
     *
     * @param waitsFor empty when nothing has to be saved
     */
    record Outcome(Optional<PodHealth> health, Optional<Refusal> reported, String waitsFor) {
        static final Outcome NONE = new Outcome(Optional.empty(), Optional.empty(), "");
    }

    /** @param allowed whether anything may be written */
    Outcome decide(Judged component, boolean allowed) {
        Memory memory = component.memory();
        if (component.isUnwanted()) {
            return new Outcome(Optional.empty(), memory.reported(), "");
        }
        Optional<PodHealth> health = healthOf(component);
        if (!allowed) {
            return new Outcome(health, memory.reported(), "");
        }
        boolean isOnAnotherNode = component.seen().material().is(Material.OnAnotherNode.class::isInstance);
        if (noneLives(component) && !isOnAnotherNode) {
            if (!mayLeadElsewhere(component)) {
                dropCandidate(component, "no pod of it lives");
            }
            return new Outcome(health, memory.reported(), waitForPod(component));
        }
        return switch (component.seen().material()) {
            case Unknown<Material>(String why) ->
                new Outcome(health, memory.reported(), waitForCheckpoint(component, why));
            case Known<Material>(Material.Refused(String podUid, List<Problem> problems)) -> {
                dropCandidate(component, "its pod cannot be a static pod any more");
                Refusal refusal = new Refusal(podUid, problems);
                if (!memory.reported().equals(Optional.of(refusal))) {
                    plan.add(
                            new ReportRefusal(component.name(), podUid, problems),
                            Reason.CANNOT_BE_STATIC,
                            problems.size() + " problems");
                }
                yield new Outcome(
                        health, Optional.of(refusal), "its template to be changed: it cannot be a static pod here");
            }
            case Known<Material>(Material.OnAnotherNode(PrincipalPod _, Revision revision)) ->
                new Outcome(
                        health, memory.reported(), isKeptUpToDate(component) ? save(component, revision, health) : "");
            case Known<Material>(Material.Complete(String _, Revision revision)) ->
                new Outcome(health, Optional.empty(), save(component, revision, health));
        };
    }

    /**
     * Whether it leads on another node and its pods are gone from here. After a loss of power everywhere this node's understudy may be the one that
     * leads: of a version, or with keys, of long ago it would harm the cluster.
     */
    private static boolean isKeptUpToDate(Judged component) {
        return component.hasCheckpoint() && component.elsewhere() == Elsewhere.LEADS && noneLives(component);
    }

    /** What is ready on another node may be the candidate's pod, and is read later than what is here. */
    private boolean mayLeadElsewhere(Judged component) {
        return component.seen().isLeaderElected() && !otherApiServers.is(count -> count == 0);
    }

    private static boolean noneLives(Judged component) {
        return component.seen().pods().is(pods -> pods.stream().noneMatch(PrincipalPod::isAlive));
    }

    private Optional<PodHealth> healthOf(Judged component) {
        ComponentSeen seen = component.seen();
        if (seen.material() instanceof Known<Material>(Material.OnAnotherNode(PrincipalPod pod, Revision revision))) {
            return Optional.of(pod)
                    .filter(_ -> isKeptUpToDate(component))
                    .filter(PrincipalPod::ready)
                    .map(_ -> health(component, pod, revision));
        }
        boolean runs = seen.principalRuns().is(running -> running == Running.RUNNING);
        boolean answers = !component.isApiServer()
                || (component.principalIsReady() && !component.doubt().isAlone());
        if (!runs
                || !answers
                || !(seen.material() instanceof Known<Material>(Material.Complete(String uid, Revision revision)))) {
            return Optional.empty();
        }
        return seen.pods().orElse(List.of()).stream()
                .filter(pod -> pod.uid().equals(uid) && pod.isAlive() && pod.ready())
                .findFirst()
                .map(pod -> health(component, pod, revision));
    }

    private PodHealth health(Judged component, PrincipalPod pod, Revision revision) {
        return new PodHealth(
                pod.uid(), pod.restarts(), revision, since(component.memory(), pod.uid(), pod.restarts(), revision));
    }

    private Instant since(Memory memory, String uid, int restarts, Revision revision) {
        return memory.health()
                .filter(before -> before.equals(new PodHealth(uid, restarts, revision, before.since())))
                .map(PodHealth::since)
                .orElse(moment.now());
    }

    /** Saves a revision as candidate, or promotes the candidate, when it is time. */
    private String save(Judged component, Revision revision, Optional<PodHealth> health) {
        if (!(component.seen().slots() instanceof Known<Slots>(Slots slots))) {
            return Explain.slots(component.seen().slots());
        }
        if (slots.lastGood().equals(Optional.of(revision))) {
            dropCandidate(component, "the pod is what last-good was made from");
            return "";
        }
        boolean saved = slots.candidate().equals(Optional.of(revision));
        if (!saved) {
            dropCandidate(component, "the pod is of revision " + revision);
        }
        Optional<Instant> healthySince = health.map(PodHealth::since);
        if (healthySince.isEmpty()) {
            return "its pod to be healthy";
        }
        String evidence = "pod " + health.get().podUid() + " of revision " + revision;
        if (!saved) {
            if (slots.lastGood().isPresent()
                    && slots.candidate().filter(component::mayHaveUnderstudyOf).isPresent()) {
                return "the static pod that was made from its candidate to be gone or replaced";
            }
            if (moment.lasted(healthySince, moment.settings().steady())) {
                plan.add(new SaveCandidate(component.name(), revision), Reason.POD_IS_HEALTHY, evidence);
            }
            return "its checkpoint to be saved";
        }
        if (slots.lastGood().isPresent() && Started.isEdited(component, revision)) {
            return "its pod to begin anew: what it mounts was changed under it, and no process has begun with that yet";
        }
        if (moment.lasted(healthySince, moment.settings().soak())) {
            plan.add(new Promote(component.name(), revision), Reason.POD_STAYED_HEALTHY, evidence);
        }
        return "its checkpoint to be proven: healthy for "
                + moment.progress(healthySince, moment.settings().soak());
    }

    private void dropCandidate(Judged component, String why) {
        if (component.isApiServer() && course.keepsCandidate()) {
            return;
        }
        if (component.seen().slots() instanceof Known<Slots>(Slots slots)
                && slots.lastGood().isPresent()
                && slots.candidate().isPresent()
                && !component.mayHaveUnderstudyOf(slots.candidate().get())) {
            plan.add(new DropCandidate(component.name(), slots.candidate().get()), Reason.CANDIDATE_IS_OLD, why);
        }
    }

    private static String waitForPod(Judged component) {
        return isKeptUpToDate(component) && component.seen().material() instanceof Unknown<Material>(String why)
                ? "what leads on another node, to keep its checkpoint here up to date: " + why
                : waitForCheckpoint(component, "a living pod");
    }

    private static String waitForCheckpoint(Judged component, String what) {
        return component.hasCheckpoint() ? "" : "a checkpoint: " + what;
    }
}
