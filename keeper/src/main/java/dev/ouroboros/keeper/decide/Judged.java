package dev.ouroboros.keeper.decide;

import dev.ouroboros.keeper.decide.StaticManifest.Absent;
import dev.ouroboros.keeper.decide.StaticManifest.Foreign;
import dev.ouroboros.keeper.decide.StaticManifest.OfStart;
import dev.ouroboros.keeper.decide.StaticManifest.Ours;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.evidence.Health.NotReady;
import dev.ouroboros.model.evidence.Health.Ready;
import dev.ouroboros.model.front.FrontState;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * One component at one decision: what was seen of it, the verdict on that, and what is remembered of it.
 *
 * @param elsewhere whether another node has it
 * @param doubt what speaks against it although it says it is ready
 * @param memory updated to this moment, except the part that {@link Checkpoints} and {@link StatusReport} update
 */
record Judged(
        ComponentName name, ComponentSeen seen, Verdict verdict, Elsewhere elsewhere, Doubt doubt, Memory memory) {
    /** Time after which an understudy whose manifest was replaced has ended: it gets 15 s (Understudy), and the kubelet looks at once. */
    private static final Duration GONE_BY = Duration.ofSeconds(20);

    private static final Duration LEADS_AT_LEAST = Duration.ofMinutes(2);

    /** Brings what is remembered up to this moment. */
    static Judged of(ComponentName name, ComponentSeen seen, Memory remembered, Observation all, Moment moment) {
        Evidence<FrontState> front = all.front();
        ChangeSeen asked = all.change();
        Elsewhere elsewhere = Elsewhere.of(seen, all);
        Optional<Instant> replacedAt = replacedAt(seen, remembered, moment);
        Doubt doubt = Doubt.of(seen, asked, understudyIsReady(seen, replacedAt));
        Verdict verdict = Verdict.of(seen, doubt);
        boolean moved = front.is(state -> state instanceof FrontState.ToPrincipal);
        Memory memory = new Memory(
                failingSince(seen, verdict, elsewhere, remembered, moment),
                servingSince(seen, verdict, remembered, moment),
                moved ? moment.since(remembered.movedSince()) : Optional.empty(),
                isUnwanted(seen) ? moment.since(remembered.unwantedSince()) : Optional.empty(),
                Crowded.isCrowded(seen, all) ? moment.since(remembered.crowdedSince()) : Optional.empty(),
                understudy(seen).or(remembered::understudy),
                replacedAt,
                remembered.health(),
                Started.of(seen, remembered, moment),
                remembered.reported(),
                remembered.status());
        return new Judged(name, seen, verdict, elsewhere, doubt, memory);
    }

    /** Pods that were placed by the scheduler stay where they are when the node loses the label that they ask for. */
    private static boolean isUnwanted(ComponentSeen seen) {
        return seen.belongs().is(belongs -> !belongs)
                || (seen.isLeaderElected() && seen.selected().is(selected -> !selected));
    }

    /** Whether it elects a leader, has something here, and this node is known not to have the labels that it asks for. */
    boolean isLeaderToMove() {
        boolean hasSomething = seen.isKnownToLive() || hasUnderstudy() || hasCheckpoint();
        return hasSomething && seen.isLeaderElected() && seen.selected().is(selected -> !selected);
    }

    /** Whether it is known not to belong on this node. */
    boolean isUnwanted() {
        return isUnwanted(seen);
    }

    /** Whether none of its pods lives here and none is needed. */
    boolean isElsewhere() {
        return isElsewhere(seen, verdict, elsewhere);
    }

    private static boolean isElsewhere(ComponentSeen seen, Verdict verdict, Elsewhere elsewhere) {
        return hasNoPod(verdict)
                && (elsewhere == Elsewhere.LEADS || (seen.role() == Role.OTHER && elsewhere == Elsewhere.IS_SAID));
    }

    /**
     * Whether its understudy leads although another node stands by. It leads for a while first: each hand-over costs as long as a Lease lasts, should the
     * other one not be able to lead.
     */
    boolean mayHandOver(Moment moment) {
        return elsewhere == Elsewhere.STANDS_BY
                && hasNoPod(verdict)
                && seen.leading()
                        .is(leading -> leading instanceof Leading.Here(Instant since)
                                && moment.lasted(Optional.of(since), LEADS_AT_LEAST));
    }

    /** Whether this node is none of its own any more, and another one is known to have it: a pod that fails here is not missed. */
    boolean isLeftToOthers() {
        return isUnwanted(seen) && (elsewhere == Elsewhere.LEADS || elsewhere == Elsewhere.STANDS_BY);
    }

    private static boolean hasNoPod(Verdict verdict) {
        return verdict == Verdict.ABSENT || verdict == Verdict.REJECTED;
    }

    /** How long it must have failed before its understudy is needed. */
    Duration patience(KeeperSettings settings) {
        boolean livingPod = verdict == Verdict.FAILS && !isApiServer();
        boolean leaderRuns = seen.isLeaderElected() && seen.principalRuns().is(running -> running == Running.RUNNING);
        // Of a leader that is about to begin on another node, nothing is seen in the Lease yet.
        boolean begins = verdict == Verdict.ABSENT && elsewhere == Elsewhere.IS_SAID;
        if ((livingPod && leaderRuns) || begins) {
            return settings.leaderPatience();
        }
        return livingPod ? settings.patience() : settings.failover();
    }

    /**
     * What is known through the API is unknown while the API is away, and stale for a while after: the count starts anew then. It also
     * starts when a component becomes wanted, whose pod is still to be created and scheduled.
     */
    private static Optional<Instant> failingSince(
            ComponentSeen seen, Verdict verdict, Elsewhere elsewhere, Memory remembered, Moment moment) {
        if (isElsewhere(seen, verdict, elsewhere) || (hasNoPod(verdict) && elsewhere == Elsewhere.STANDS_BY)) {
            return Optional.empty();
        }
        boolean mayBeMissed = seen.role() == Role.API_SERVER
                || seen.role() == Role.KEEPER
                || seen.belongs().is(Boolean::booleanValue);
        if (verdict.isTrouble() && mayBeMissed) {
            // The principal fell silent before the probe gave up on it.
            return Stream.of(moment.since(remembered.failingSince()), silentSince(seen))
                    .flatMap(Optional::stream)
                    .min(Instant::compareTo);
        }
        return seen.role() == Role.API_SERVER && verdict == Verdict.UNKNOWN
                ? remembered.failingSince()
                : Optional.empty();
    }

    /** The probe also sees bad answers between two decisions: its Ready is then newer. */
    private static Optional<Instant> servingSince(
            ComponentSeen seen, Verdict verdict, Memory remembered, Moment moment) {
        if (verdict != Verdict.SERVES) {
            return Optional.empty();
        }
        Optional<Instant> since = moment.since(remembered.servingSince());
        if (seen.principal() instanceof Known<Health>(Ready(Instant ready))
                && since.get().isBefore(ready)) {
            return Optional.of(ready);
        }
        return since;
    }

    private static Optional<Revision> understudy(ComponentSeen seen) {
        return seen.manifest() instanceof Known<StaticManifest>(Ours(Revision revision))
                ? Optional.of(revision)
                : Optional.empty();
    }

    private static Optional<Instant> replacedAt(ComponentSeen seen, Memory remembered, Moment moment) {
        boolean replaced = remembered
                .understudy()
                .flatMap(before -> understudy(seen).filter(now -> !now.equals(before)))
                .isPresent();
        return replaced
                ? Optional.of(moment.now())
                : remembered
                        .replacedAt()
                        .filter(at -> !moment.lasted(Optional.of(at), GONE_BY))
                        // Only one pod of a name runs at a time: when the new one answers, its predecessor is gone.
                        .filter(at -> !understudyIsReady(seen, Optional.of(at)));
    }

    /** Since when the principal has been silent; empty when it is not known to be. */
    Optional<Instant> silentSince() {
        return silentSince(seen);
    }

    private static Optional<Instant> silentSince(ComponentSeen seen) {
        return seen.principal() instanceof Known<Health>(NotReady(var _, Optional<Instant> since))
                ? since
                : Optional.empty();
    }

    boolean isApiServer() {
        return seen.role() == Role.API_SERVER;
    }

    /** Whether the principal has served for long enough to serve without its understudy. */
    boolean isSteady(Moment moment) {
        return moment.lasted(memory.servingSince(), moment.settings().steady());
    }

    /** Whether the principal answers, although it may be about to end. */
    boolean principalIsReady() {
        return seen.principal().is(health -> health instanceof Ready);
    }

    /** Whether the present pod in the understudy's place answers, and not its predecessor. */
    boolean understudyIsReady() {
        return understudyIsReady(seen, memory.replacedAt());
    }

    /** The predecessor may still become ready until the kubelet has ended it: the runtime tells the two apart. */
    private static boolean understudyIsReady(ComponentSeen seen, Optional<Instant> replacedAt) {
        boolean isThisOne = replacedAt.isEmpty() || seen.understudyRuns().is(running -> running == Running.RUNNING);
        return isThisOne
                && seen.understudy()
                        .is(health -> health instanceof Ready(Instant since)
                                && replacedAt.filter(since::isBefore).isEmpty());
    }

    /** Whether its controller is known to exist and to ask for no pod on any node. */
    boolean isSwitchedOff() {
        return seen.switchedOff().is(Boolean::booleanValue)
                && memory.unwantedSince().isPresent();
    }

    /** Whether there is an understudy's manifest that a keeper may remove. */
    boolean hasUnderstudy() {
        return seen.manifest().is(manifest -> switch (manifest) {
            case Ours _, OfStart _ -> true;
            case Absent _, Foreign _ -> false;
        });
    }

    /** Whether the kubelet has the manifest of an understudy that was made from this revision, or nobody knows. */
    boolean mayHaveUnderstudyOf(Revision revision) {
        return !seen.manifest().is(manifest -> !manifest.equals(new Ours(revision)));
    }

    /** Whether there is known to be no manifest of ours or of start's. */
    boolean hasNoUnderstudy() {
        return seen.manifest().is(manifest -> switch (manifest) {
            case Ours _, OfStart _ -> false;
            case Absent _, Foreign _ -> true;
        });
    }

    /** Whether nothing of an understudy is left: neither its manifest nor its containers. */
    boolean understudyIsGone() {
        return hasNoUnderstudy() && seen.understudyRuns().is(running -> running != Running.RUNNING);
    }

    Optional<Revision> best() {
        return seen.slots().orElse(Slots.NONE).best();
    }

    boolean hasCheckpoint() {
        return best().isPresent();
    }
}
