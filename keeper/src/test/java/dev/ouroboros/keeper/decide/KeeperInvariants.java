package dev.ouroboros.keeper.decide;

import dev.ouroboros.keeper.decide.Decision.Planned;
import dev.ouroboros.keeper.decide.Observation.StartSeen;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.front.FrontState;
import dev.ouroboros.model.front.Server;
import dev.ouroboros.model.leader.LeaderLease;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What no decision may ever do, said again without the decision's own words: straight from an observation and the actions asked
 * for. Each has the rule of docs/architecture.md that it stands for.
 */
final class KeeperInvariants {
    private final Observation seen;
    private final List<Action> actions;

    private KeeperInvariants(Observation seen, Decision decision) {
        this.seen = seen;
        this.actions = decision.actions().stream().map(Planned::action).toList();
    }

    static void check(Observation seen, Decision decision) {
        KeeperInvariants invariants = new KeeperInvariants(seen, decision);
        invariants.actions.forEach(invariants::check);
        for (Planned planned : decision.actions()) {
            invariants.require(!planned.evidence().isEmpty(), "7: every action carries its reason", planned.action());
        }
        invariants.require(
                decision.components().keySet().equals(seen.components().keySet()), "7: everything is explained");
    }

    private void require(boolean holds, String rule, Object... of) {
        if (!holds) {
            throw new AssertionError("rule " + rule + ": " + List.of(of) + " of " + actions + " on " + seen);
        }
    }

    private ComponentSeen component(ComponentName name) {
        return Objects.requireNonNull(seen.components().get(name));
    }

    private static boolean ready(Evidence<Health> health) {
        return health.is(value -> value instanceof Health.Ready);
    }

    private static boolean knownNot(Evidence<Boolean> evidence) {
        return evidence.is(value -> !value);
    }

    private static boolean isKnown(Evidence<?> evidence) {
        return evidence instanceof Known<?>;
    }

    private boolean othersAnswer() {
        return seen.otherApiServers().is(count -> count > 0);
    }

    private void check(Action action) {
        boolean idle = seen.start().is(start -> start instanceof StartSeen.Idle);
        boolean ofItself = action instanceof Action.GiveWay || action instanceof Action.AdmitSuccessor;
        require(idle || ofItself, "9: passive while start is at work or unknown", action);
        switch (action) {
            case Action.SaveCandidate(ComponentName name, Revision revision) -> {
                boolean candidate = component(name).role() == Role.API_SERVER
                        && isWanted(revision)
                        && ready(component(name).principal())
                        && component(name).slots().is(slots -> slots.lastGood().isPresent());
                if (!candidate) {
                    checkSaved(name, revision);
                }
            }
            case Action.Promote(ComponentName name, Revision revision) -> {
                checkSaved(name, revision);
                require(
                        component(name).slots().is(slots -> slots.candidate().equals(Optional.of(revision))),
                        "2: only a candidate becomes last-good",
                        action);
                require(
                        component(name).role() != Role.API_SERVER
                                || ready(component(name).principal()),
                        "2: healthy without interruption",
                        action);
            }
            case Action.DropCandidate(ComponentName name, Revision revision) ->
                require(
                        component(name)
                                        .slots()
                                        .equals(Evidence.known(new Slots(
                                                Optional.of(revision),
                                                component(name)
                                                        .slots()
                                                        .orElse(Slots.NONE)
                                                        .lastGood())))
                                && component(name)
                                        .slots()
                                        .is(slots -> slots.lastGood().isPresent())
                                && (isKnown(component(name).pods())
                                        || isKnown(component(name).material())),
                        "2: the only checkpoint is kept",
                        action);
            case Action.Retire(ComponentName name) -> checkRetired(name);
            case Action.ReportRefusal(ComponentName name, String _, List<?> _) ->
                require(component(name).material().is(made -> made instanceof Material.Refused), "3: closure", action);
            case Action.StartUnderstudy(ComponentName name, Revision revision) -> checkStarted(name, revision);
            case Action.StopUnderstudy(ComponentName name) -> checkStopped(name);
            case Action.InstallFront _ ->
                require(
                        seen.front()
                                .is(state -> state instanceof FrontState.NotInstalled
                                        || state instanceof FrontState.Damaged),
                        "1: only what is missing is installed");
            case Action.PointFront(Server server) -> checkFront(server);
            case Action.CutOff(ComponentName name) -> checkCutOff(name);
            case Action.LetThrough _ ->
                require(
                        seen.front().is(state -> state.cutOff().isPresent())
                                && seen.components().values().stream()
                                        .filter(component -> component.role() == Role.API_SERVER)
                                        .noneMatch(component -> isSilent(component.principal())),
                        "1: who hangs stays cut off");
            case Action.WriteServiceEndpoints _ -> require(knownNot(seen.serviceEndpoints()), "1", action);
            case Action.ReleaseLeaderLease(LeaderLease lease) ->
                require(
                        seen.abandonedLeases().is(leases -> leases.contains(lease)),
                        "1: a Lease is released on complete evidence",
                        action);
            case Action.LabelNode _ ->
                require(
                        seen.node()
                                .is(node ->
                                        node.hasRole() || seen.otherApiServers().equals(Evidence.known(0))),
                        "1: a role is given on complete evidence, and to the last node that has it",
                        action);
            case Action.PublishCheckpoints(CheckpointSummary summary) -> {
                require(
                        seen.checkpoints().equals(Evidence.known(summary)) && isKnown(seen.node()),
                        "1: nothing is told on incomplete evidence",
                        action);
                require(
                        seen.node().is(node -> !node.told().equals(Evidence.known(Optional.of(summary)))),
                        "what is told already is not told again",
                        action);
                require(!actions.contains(new Action.RemoveSelf()), "9: who goes does not tell what there is", action);
            }
            case Action.Reap(Observation.RejectedPod pod) ->
                require(seen.rejected().is(pods -> pods.contains(pod)), "1", action);
            case Action.FinishPivot _ ->
                require(
                        seen.start().equals(Evidence.known(new StartSeen.Idle(true)))
                                && seen.components().values().stream().allMatch(c -> isKnown(c.manifest())),
                        "9: only a pivot that nobody works on is finished");
            case Action.RemoveSelf _ ->
                require(
                        knownNot(seen.keeperWanted())
                                && seen.components().values().stream()
                                        .filter(c -> c.role() != Role.KEEPER)
                                        .allMatch(c -> c.slots().equals(Evidence.known(Slots.NONE))),
                        "1: removed on purpose");
            case Action.HoldLease _, Action.ReleaseLease _, Action.ReportChange _ ->
                require(isKnown(seen.change().target()), "1", action);
            case Action.RecordProven(ComponentName name, Optional<ChangeRecord.Proven> proven) ->
                proven.ifPresent(known -> checkProven(name, known.revision()));
            case Action.RecordFailure(ComponentName name, ChangeRecord.Failure failure) ->
                require(
                        seen.change()
                                .target()
                                .is(target -> target.isPresent()
                                        && target.get().made().named().equals(Optional.of(failure.revision()))),
                        "9: only what the template asks for fails",
                        name);
            case Action.ReplacePrincipal(ComponentName name, String uid, String _) -> checkReplaced(name, uid);
            case Action.RevertTemplate(ComponentName name, Revision failed, String _) ->
                require(
                        seen.change().record().is(record -> record.hasFailed(failed) && record.isProven(failed))
                                && ready(component(name).understudy()),
                        "5: a rollback is of what failed, while another serves",
                        name);
            case Action.AdmitSuccessor _ -> checkSucceeded(Successor.WAITS);
            case Action.GiveWay _ -> checkSucceeded(Successor.DECIDES);
        }
    }

    private void checkSucceeded(Successor successor) {
        require(
                seen.staticCopy()
                        && seen.self().successor().is(known -> known == successor)
                        && seen.components().values().stream()
                                .anyMatch(c -> c.role() == Role.KEEPER
                                        && c.principalRuns().is(runs -> runs == Running.RUNNING)
                                        && isKnown(c.pods()))
                        && seen.front().is(front -> !(front instanceof FrontState.ToUnderstudy)),
                "9: somebody else takes over, and no client depends on this one");
    }

    private void checkSaved(ComponentName name, Revision revision) {
        ComponentSeen component = component(name);
        require(
                (isHealthyHere(component, revision) || isHealthyElsewhere(component, revision))
                        && component.slots().is(slots -> !slots.lastGood().equals(Optional.of(revision)))
                        && !knownNot(component.belongs()),
                "2: only what is known to be healthy and differs",
                name);
    }

    private static boolean isHealthyHere(ComponentSeen component, Revision revision) {
        return component.material() instanceof Known<Material>(Material.Complete(String uid, Revision made))
                && made.equals(revision)
                && component
                        .pods()
                        .is(pods ->
                                pods.stream().anyMatch(pod -> pod.uid().equals(uid) && pod.isAlive() && pod.ready()))
                && component.principalRuns().is(runs -> runs == Running.RUNNING);
    }

    /** A leader of another node keeps a checkpoint up to date, and makes no first one. */
    private static boolean isHealthyElsewhere(ComponentSeen component, Revision revision) {
        return component.material() instanceof Known<Material>(Material.OnAnotherNode(PrincipalPod pod, Revision made))
                && made.equals(revision)
                && pod.isAlive()
                && pod.ready()
                && component.isLeaderElected()
                && component.leading().is(leading -> leading instanceof Leading.Elsewhere)
                && component.pods().is(pods -> pods.stream().noneMatch(PrincipalPod::isAlive))
                && component.slots().is(slots -> slots.best().isPresent());
    }

    /** Nothing is proven by a server that does not answer, or not for long enough, or beside one that does not answer any more. */
    private void checkProven(ComponentName name, Revision revision) {
        ComponentSeen component = component(name);
        require(
                component.manifest().equals(Evidence.known(new StaticManifest.Ours(revision)))
                        && ready(component.understudy())
                        && component.understudyRuns().is(runs -> runs == Running.RUNNING)
                        && seen.change().understudy().is(proof -> proof instanceof Proof.Passed)
                        && seen.change().principal().is(proof -> proof instanceof Proof.Passed)
                        && seen.change().lease().is(lease -> lease instanceof ChangeSeen.LeaseSeen.Mine)
                        && isWanted(revision),
                "4: proven by evidence",
                name);
    }

    private boolean isWanted(Revision revision) {
        return seen.change()
                .target()
                .is(target -> target.isPresent()
                        && target.get().made().equals(new ChangeSeen.Made.Complete(revision))
                        && !target.get().paused());
    }

    private void checkReplaced(ComponentName name, String uid) {
        ComponentSeen component = component(name);
        if (component.role() != Role.API_SERVER) {
            boolean leadsElsewhere = component.leading().is(leading -> leading instanceof Leading.Elsewhere);
            boolean standsBy = component.leading().is(leading -> leading instanceof Leading.Here)
                    && component.elsewhere().is(count -> count > 0)
                    && seen.countsAreKept().is(Boolean::booleanValue);
            boolean notItsOwn = knownNot(component.selected()) && (leadsElsewhere || standsBy);
            long gone = actions.stream()
                    .filter(action -> action instanceof Action.ReplacePrincipal replaced
                            && replaced.component().equals(name))
                    .count();
            boolean crowded = component
                    .pods()
                    .is(pods -> pods.stream()
                                    .filter(pod -> pod.isAlive() && pod.ready())
                                    .count()
                            > gone);
            require(
                    component.isLeaderElected()
                            && othersAnswer()
                            && (notItsOwn || crowded)
                            && component
                                    .pods()
                                    .is(pods -> pods.stream()
                                            .anyMatch(pod -> pod.uid().equals(uid))),
                    "4: a leader is moved off a node that is not its own any more, or has two, and never the last",
                    name);
            return;
        }
        Slots slots = component.slots().orElse(Slots.NONE);
        boolean trusted = component.manifest() instanceof Known<StaticManifest>(StaticManifest.Ours(Revision serving))
                && (slots.lastGood().equals(Optional.of(serving))
                        || seen.change().record().is(record -> record.isProven(serving)));
        boolean covered = trusted
                && ready(component.understudy())
                && seen.change().understudy().is(proof -> proof instanceof Proof.Passed)
                && seen.front().is(state -> state instanceof FrontState.ToUnderstudy);
        boolean neverServed = component.slots().is(Slots.NONE::equals)
                && component.manifest().is(manifest -> manifest instanceof StaticManifest.Absent)
                && !ready(component.principal());
        require(
                (covered || neverServed)
                        && seen.change().lease().is(lease -> lease instanceof ChangeSeen.LeaseSeen.Mine),
                "4: a principal is replaced under cover only",
                name);
        require(
                seen.change()
                        .target()
                        .is(target -> target.isPresent()
                                && (neverServed || target.get().made() instanceof ChangeSeen.Made.Complete)
                                && target.get().current().isPresent()
                                && !target.get().paused()
                                && !target.get().isCurrent(uid)),
                "4: only what the template does not ask for is replaced",
                name);
        require(
                !actions.contains(new Action.StopUnderstudy(name))
                        && !actions.contains(new Action.PointFront(Server.PRINCIPAL)),
                "9: not two things at once",
                name);
    }

    private boolean hasUnprovenUnderstudy(ComponentSeen component) {
        return component.manifest() instanceof Known<StaticManifest>(StaticManifest.Ours(Revision revision))
                && component.slots().is(slots -> !slots.lastGood().equals(Optional.of(revision)))
                && !seen.change().record().is(record -> record.isProven(revision));
    }

    private void checkRetired(ComponentName name) {
        ComponentSeen component = component(name);
        boolean removed = knownNot(seen.keeperWanted());
        boolean moved = component.isLeaderElected() && knownNot(component.selected());
        require(
                (knownNot(component.belongs()) || moved || removed)
                        && component
                                .manifest()
                                .is(manifest -> !(manifest instanceof StaticManifest.Ours)
                                        && !(manifest instanceof StaticManifest.OfStart))
                        && component.understudyRuns().is(runs -> runs != Running.RUNNING)
                        && !ready(component.understudy())
                        && component.slots().is(slots -> !slots.equals(Slots.NONE)),
                "1: retired on complete evidence",
                name);
        require(
                component.role() != Role.API_SERVER || othersAnswer() || (removed && ready(component.principal())),
                "2: the last-good of the last API server is never removed",
                name);
        boolean led = component.role() == Role.CONTROLLER_MANAGER || component.role() == Role.SCHEDULER;
        boolean elsewhere = component.elsewhere().is(count -> count > 0)
                && seen.components().values().stream()
                        .anyMatch(other -> other.role() == Role.CONTROLLER_MANAGER
                                && (other.principalRuns().is(runs -> runs == Running.RUNNING)
                                        || other.understudyRuns().is(runs -> runs == Running.RUNNING)));
        boolean leadsElsewhere =
                othersAnswer() && component.leading().is(leading -> leading instanceof Leading.Elsewhere);
        require(
                !led || elsewhere || leadsElsewhere || removed || hasReadyNamesake(name, component.role()),
                "2: the last checkpoint of a controller manager or scheduler is never removed",
                name);
        require(component.role() != Role.KEEPER, "2: the keeper's own goes with the keeper", name);
    }

    /** Another component of its role that runs and can come back. */
    private boolean hasReadyNamesake(ComponentName name, Role role) {
        return seen.components().entrySet().stream()
                .filter(other ->
                        !other.getKey().equals(name) && other.getValue().role() == role)
                .anyMatch(other -> other.getValue()
                                .pods()
                                .is(pods -> pods.stream().anyMatch(pod -> pod.isAlive() && pod.ready()))
                        && other.getValue().slots().is(slots -> slots.lastGood().isPresent()));
    }

    private void checkStarted(ComponentName name, Revision revision) {
        ComponentSeen component = component(name);
        boolean candidate = component.role() == Role.API_SERVER && isWanted(revision) && ready(component.principal());
        boolean proven = component.role() == Role.API_SERVER
                && seen.change().record().is(record -> record.isProven(revision) && !record.hasFailed(revision));
        require(
                component
                        .slots()
                        .is(slots -> slots.best().equals(Optional.of(revision))
                                || (slots.candidate().equals(Optional.of(revision)) && (candidate || proven))),
                "2: made from the best there is, or a candidate beside one that serves",
                name);
        require(
                component
                        .manifest()
                        .is(manifest -> manifest instanceof StaticManifest.Absent
                                || (manifest instanceof StaticManifest.Ours(Revision other)
                                        && !other.equals(revision))),
                "6: nothing foreign or unseen is written over",
                name);
        require(
                component.role() == Role.API_SERVER
                        || !component.switchedOff().is(Boolean::booleanValue)
                        || component.belongs().is(Boolean::booleanValue),
                "a wish for none is obeyed",
                name);
        require(!seen.podCheckpointer().is(Boolean::booleanValue), "9: one writer", name);
        require(
                !actions.contains(new Action.StopUnderstudy(name)) && !actions.contains(new Action.Retire(name)),
                "9: not two things at once",
                name);
        switch (component.role()) {
            case API_SERVER -> {
                boolean leaves = component.pods().is(pods -> pods.stream().noneMatch(PrincipalPod::isAlive));
                require(
                        !ready(component.principal()) || leaves || candidate,
                        "one that serves needs no understudy but a candidate",
                        name);
                require(
                        isKnown(component.principal()) || isKnown(component.principalRuns()),
                        "1: nothing starts on nothing known",
                        name);
                require(
                        knownNot(component.outdated()) || (!othersAnswer() && !ready(component.principal())),
                        "5: an older one only when no other answers",
                        name);
            }
            case KEEPER -> require(!knownNot(seen.keeperWanted()), "an unwanted keeper has no copy", name);
            case CONTROLLER_MANAGER, SCHEDULER, OTHER ->
                require(
                        isKnown(component.pods()) && component.belongs().is(Boolean::booleanValue),
                        "1: judged by what the API says",
                        name);
        }
    }

    private static boolean isSilent(Evidence<Health> health) {
        return health.is(value -> value instanceof Health.NotReady unready
                && unready.silentSince().isPresent());
    }

    /** No server that says anything loses its clients, and none for nothing. */
    private void checkCutOff(ComponentName name) {
        ComponentSeen component = component(name);
        boolean started = actions.stream()
                .anyMatch(action -> action instanceof Action.StartUnderstudy(ComponentName other, var _)
                        && other.equals(name)
                        && actions.indexOf(action) > actions.indexOf(new Action.CutOff(name)));
        boolean there = component
                .manifest()
                .is(manifest -> manifest instanceof StaticManifest.Ours || manifest instanceof StaticManifest.OfStart);
        require(
                component.role() == Role.API_SERVER
                        && isSilent(component.principal())
                        && (started || there)
                        && seen.front()
                                .is(state -> state instanceof FrontState.ToPrincipal
                                        || state instanceof FrontState.ToUnderstudy),
                "1: only one that hangs, for an understudy, and by a front that is ours",
                name);
        require(!actions.contains(new Action.LetThrough()), "9: not two things at once", name);
    }

    private void checkStopped(ComponentName name) {
        ComponentSeen component = component(name);
        require(
                component
                        .manifest()
                        .is(manifest ->
                                manifest instanceof StaticManifest.Ours || manifest instanceof StaticManifest.OfStart),
                "6: nothing foreign or unseen is removed",
                name);
        boolean unwanted =
                knownNot(component.belongs()) || (component.isLeaderElected() && knownNot(component.selected()));
        if (component.role() == Role.API_SERVER) {
            boolean leadsAway = seen.front().is(state -> state instanceof FrontState.ToPrincipal);
            require(
                    (ready(component.principal()) && leadsAway) || (unwanted && othersAnswer()),
                    "2: somebody else serves",
                    name);
        } else {
            require(isKnown(component.pods()) || unwanted, "1: nothing is removed on unknown", name);
        }
    }

    private void checkFront(Server server) {
        Evidence<FrontState> front = seen.front();
        require(
                front.is(state -> !(state instanceof FrontState.Unknown) && !(state instanceof FrontState.Foreign)),
                "1: an unknown or foreign table is left alone");
        boolean principal = false;
        boolean understudy = false;
        for (ComponentSeen component : seen.components().values()) {
            principal |= component.role() == Role.API_SERVER && ready(component.principal());
            understudy |= component.role() == Role.API_SERVER && ready(component.understudy());
        }
        boolean target = server == Server.PRINCIPAL ? principal : understudy;
        boolean other = server == Server.PRINCIPAL ? understudy : principal;
        boolean unproven = server == Server.PRINCIPAL
                && seen.components().values().stream()
                        .filter(component -> component.role() == Role.API_SERVER)
                        .anyMatch(this::hasUnprovenUnderstudy);
        require(target || !other || unproven, "front 5: never to one that is not ready while the other is", server);
        boolean leaves = seen.components().values().stream()
                .filter(component -> component.role() == Role.API_SERVER)
                .anyMatch(component -> component.pods().is(pods -> pods.stream().noneMatch(PrincipalPod::isAlive)));
        if (server == Server.UNDERSTUDY && principal && !leaves && front.is(FrontState.ToPrincipal.class::isInstance)) {
            require(
                    seen.change().understudy().is(proof -> proof instanceof Proof.Passed)
                            && seen.change()
                                    .record()
                                    .is(record -> record.proven().isPresent()),
                    "4: from a principal that serves only to a candidate that proved itself",
                    server);
        }
        if (server == Server.UNDERSTUDY && !understudy) {
            require(
                    seen.components().values().stream().anyMatch(KeeperInvariants::isNeededUnderstudy),
                    "front 5: only to an understudy that answers, or that is to be started for a principal that answers nobody",
                    server);
        }
    }

    private static boolean isNeededUnderstudy(ComponentSeen component) {
        boolean manifest = component
                .manifest()
                .is(there -> there instanceof StaticManifest.Ours || there instanceof StaticManifest.OfStart);
        boolean answersNobody = isSilent(component.principal())
                || component.principal().is(health -> health instanceof Health.NotListening);
        return component.role() == Role.API_SERVER && manifest && answersNobody;
    }
}
