package dev.ouroboros.sim;

import dev.ouroboros.bootstrap.PivotTask;
import dev.ouroboros.bootstrap.decide.Handover;
import dev.ouroboros.bootstrap.decide.Pivot;
import dev.ouroboros.bootstrap.decide.PivotAction;
import dev.ouroboros.bootstrap.decide.PivotDecision;
import dev.ouroboros.bootstrap.decide.PivotSettings;
import dev.ouroboros.bootstrap.decide.PivotState;
import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.front.FrontLease;
import dev.ouroboros.model.front.Server;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.start.Phase;
import dev.ouroboros.node.action.ActionRunner;
import dev.ouroboros.sim.Blueprint.Kept;
import dev.ouroboros.sim.StartView.Tried;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One {@code start} at work: the decisions are {@link Pivot}'s; what it sees and does is modelled after module {@code bootstrap}. Like that
 * module it writes its journal before it acts, and hands over to the keeper last; what it decides is performed by the same runner.
 */
final class StartProcess {
    private static final Duration LOOK = Duration.ofMillis(200);
    private static final Duration QUIET = Duration.ofSeconds(3);

    private final Machine machine;
    private final Chance chance;
    private final boolean takesOver;
    private final Optional<EtcdMemberModel.Snapshot> snapshot;
    private final StartFiles files;
    private final StartView view;
    private final EventTimeline.Life life = new EventTimeline.Life();
    private final Pivot pivot = new Pivot(PivotSettings.DEFAULT, Handover.FRONT);
    private final ActionRunner<PivotAction> runner;
    private PivotState state;
    private Instant quietSince;
    private boolean tookOver;
    private Optional<RestoreProcess> restore = Optional.empty();
    private Optional<Instant> restored = Optional.empty();
    private boolean applied;
    private int workloadsDone;
    private boolean restartPending = true;
    private boolean frontProven;
    private boolean accepted;
    private boolean handsOver;
    private Optional<Instant> handsOverUntil = Optional.empty();

    /**
     * @param takesOver whether it is told to end the keeper's understudies
     * @param snapshot what it is told to restore first
     */
    StartProcess(Machine machine, Chance chance, boolean takesOver, Optional<EtcdMemberModel.Snapshot> snapshot) {
        this.machine = machine;
        this.chance = chance;
        this.takesOver = takesOver;
        this.snapshot = snapshot;
        this.files = machine.startFiles();
        this.view = new StartView(machine, files);
        this.runner = new ActionRunner<>(
                new DelayedLanes(machine, life, _ -> chance.millis(5, 600)),
                () -> {},
                PivotTask.SETTINGS,
                machine.timeline());
        Instant now = machine.now();
        this.quietSince = now;
        this.state = standing(now);
    }

    private PivotState standing(Instant now) {
        return files.unfinished(now, restored).orElseGet(() -> PivotState.initial(now));
    }

    void begin() {
        if (files.hasUnderstudy() && !takesOver) {
            machine.trace().say("start", "is refused: the keeper stands in");
            machine.trace().count("start: refused");
            machine.starts().refused();
            stop();
            return;
        }
        if (files.hasUnderstudy()) {
            machine.trace().say("start", "takes over from the keeper");
            machine.trace().count("start: takes over");
        }
        machine.trace().say("start", "begins with " + state.phase());
        machine.trace().count("start: begins with " + state.phase());
        machine.timeline().every(life, LOOK, this::look);
    }

    boolean runs() {
        return !life.hasEnded();
    }

    /** Whether it holds its lock. */
    boolean isAtWork() {
        return runs() && !handsOver;
    }

    void kill() {
        machine.trace()
                .say(
                        "fault",
                        "start is killed in "
                                + (handsOver ? "its hand-over" : state.phase().toString()));
        machine.trace()
                .count("start: killed in "
                        + (handsOver ? "its hand-over" : state.phase().toString()));
        stop();
    }

    void standStill(Duration how) {
        machine.timeline().stop(life, how);
    }

    void stop() {
        life.end();
    }

    private void look() {
        if (takesOver && !tookOver) {
            takeOver();
            return;
        }
        if (snapshot.isPresent() && restored.isEmpty()) {
            restore(snapshot.get());
            return;
        }
        if (state.phase() == Phase.DONE) {
            handOver();
            return;
        }
        if (state.phase() == Phase.FAILED) {
            machine.trace().say("start", "fails: " + state.failures().getFirst().describe());
            machine.trace().count("start: fails");
            stop();
            return;
        }
        PivotDecision decision = pivot.decide(
                view.observe(new Tried(applied, workloadsDone, restartPending, frontProven, accepted)),
                state,
                machine.now());
        if (decision.state().phase() != state.phase()) {
            try {
                files.journal(decision.state().phase(), decision.state().isSlow(), restored);
            } catch (ProblemException e) {
                machine.trace().say("start", "fails: " + e.getMessage());
                stop();
                return;
            }
            machine.trace().say("start", "is " + decision.state().phase());
            machine.trace()
                    .count("start: " + state.phase() + " -> " + decision.state().phase());
        }
        state = decision.state();
        runner.take(decision.actions().stream().map(ModelledTask::new).toList(), machine.now());
    }

    /** One step of the restore; when that has ended, the pivot begins. */
    private void restore(EtcdMemberModel.Snapshot from) {
        try {
            if (restore.isEmpty()) {
                EtcdMemberModel member = machine.cluster().etcd().member().orElseThrow();
                restore = Optional.of(new RestoreProcess(machine, member, from));
            } else if (!restore.get().isOver()) {
                restore.get().step();
            } else {
                restored = Optional.of(restore.get().begun());
                view.restored(restore.get().begun());
                state = standing(machine.now());
            }
        } catch (ProblemException e) {
            machine.trace().say("start", "fails: " + e.getMessage());
            machine.trace().count("start: fails to restore");
            if (restore.filter(RestoreProcess::gaveUp).isPresent()) {
                machine.starts().restoreFailed();
            }
            stop();
        }
    }

    /** Ends when no understudy of the keeper has run for a while. */
    private void takeOver() {
        if (files.hasUnderstudy()) {
            try {
                files.removeUnderstudies();
            } catch (ProblemException e) {
                machine.trace().say("start", "fails: " + e.getMessage());
                stop();
                return;
            }
        }
        boolean runs = machine.kubelet().runs().stream()
                .anyMatch(
                        run -> run.isStatic && run.name.startsWith("understudy-kube-") && run.isRunning(machine.now()));
        if (runs) {
            quietSince = machine.now();
        }
        tookOver = machine.now().isAfter(quietSince.plus(QUIET));
    }

    private final class ModelledTask extends PivotTask {
        ModelledTask(PivotDecision.Planned planned) {
            super(planned);
        }

        @Override
        public Optional<String> perform() {
            machine.trace().say("start", action() + " because " + reason());
            try {
                StartProcess.this.perform(action());
                return Optional.empty();
            } catch (ProblemException e) {
                return Optional.of(e.describe());
            }
        }

        @Override
        public void defect(RuntimeException e) {
            throw e;
        }
    }

    private void perform(PivotAction action) {
        switch (action) {
            case PivotAction.InstallFront _ -> machine.front().install();
            case PivotAction.PointFrontToUnderstudy _ -> machine.front().pointToUnderstudy(FrontLease.TO_UNDERSTUDY);
            case PivotAction.PointFrontToPrincipal _ -> machine.front().pointToPrincipal();
            case PivotAction.ProveFront _ ->
                frontProven = machine.servers().routed().equals(Optional.of(Server.UNDERSTUDY))
                        && machine.servers().answers();
            case PivotAction.CopySecrets _ -> files.copySecrets();
            case PivotAction.RemoveSecrets _ -> files.removeSecrets();
            case PivotAction.WriteManifest(Component component) -> files.write(component);
            case PivotAction.RemoveManifest(Component component) -> files.remove(component);
            case PivotAction.ApplyManifests _ -> {
                requireApi();
                endFormerLife();
                Blueprint.populateRest(machine.objects());
                applied = true;
            }
            case PivotAction.ApplyApiServer _ -> {
                requireApi();
                Blueprint.apply(machine.objects(), Blueprint.API_SERVER);
                workloadsDone = Math.max(workloadsDone, 1);
            }
            case PivotAction.ApplyWorkloads _ -> {
                requireApi();
                Blueprint.WORKLOADS.forEach(kept -> Blueprint.apply(machine.objects(), kept));
                workloadsDone = Blueprint.WORKLOADS.size();
            }
            case PivotAction.DeleteOutdatedApiServer _ -> {
                requireApi();
                machine.trace().count("start: deletes an outdated API server");
                machine.cluster().controllers().deleteOutdatedPods(Blueprint.API_SERVER);
            }
            case PivotAction.RestartKubelet _ -> {
                restartPending = false;
                machine.timeline().after(machine.world(), chance.seconds(1, 6), machine.kubelet()::askToJoin);
            }
            case PivotAction.LabelNode _ -> {
                requireApi();
                Blueprint.labelNode(machine.objects(), machine, Blueprint.fields(Blueprint.ROLE_LABEL, ""));
            }
            case PivotAction.WriteServiceEndpoints _ -> {
                requireApi();
                machine.objects().put(Blueprint.SERVICE, Blueprint.service(machine));
            }
            case PivotAction.ReleaseLeaderLease _ -> requireApi();
            case PivotAction.RunAcceptance _ ->
                accepted = machine.servers().routed().equals(Optional.of(Server.PRINCIPAL))
                        && machine.servers().answers();
        }
    }

    /** As {@code cluster.FormerLife}: at once, and with the workloads in place before a controller can lead. */
    private void endFormerLife() {
        if (restored.isEmpty()) {
            return;
        }
        List<String> former = machine.objects().below(Blueprint.PODS.formatted(Blueprint.SYSTEM)).entrySet().stream()
                .filter(pod -> view.isFormer(pod.getValue()))
                .map(Map.Entry::getKey)
                .toList();
        former.forEach(machine.objects()::remove);
        view.formerPodsDeleted();
        files.formerPodsDeleted(restored.get());
        if (!former.isEmpty()) {
            machine.trace().say("start", "deletes " + former.size() + " pods of a former life");
            machine.trace().count("start: deletes pods of a former life");
        }
        Blueprint.WORKLOADS.forEach(kept -> Blueprint.apply(machine.objects(), kept));
    }

    private void requireApi() {
        if (!machine.servers().answers()) {
            throw ProblemException.of(
                    ErrorCode.API_UNAVAILABLE, "start", "no API server answers", "", "none: this is a model");
        }
    }

    /** The keeper's DaemonSet comes last; start ends when what a power cut would need is on the disk. */
    private void handOver() {
        handsOverUntil =
                handsOverUntil.or(() -> Optional.of(machine.now().plus(PivotSettings.DEFAULT.progressDeadline())));
        if (machine.now().isAfter(handsOverUntil.get())) {
            machine.trace().say("start", "fails: the keeper has not taken over");
            machine.trace().count("start: fails");
            stop();
            return;
        }
        if (!handsOver && machine.servers().answers()) {
            Blueprint.apply(machine.objects(), Blueprint.KEEPER);
            machine.trace().say("start", "hands over to the keeper");
            handsOver = true;
        }
        boolean kept = handsOver
                && view.workload(Blueprint.KEEPER).isReady()
                && files.hasStaticCopy()
                && Blueprint.WORKLOADS.stream().allMatch(this::isKept);
        if (kept) {
            try {
                if (snapshot.isPresent()) {
                    RestoreProcess.forget(machine.disk());
                }
            } catch (ProblemException e) {
                // People run it again, and it finds everything done but this.
                machine.trace().say("start", "fails: " + e.describe());
                machine.trace().count("start: fails");
                stop();
                return;
            }
            machine.trace().say("start", "is done");
            machine.trace().count("start: done");
            machine.starts().done();
            stop();
        }
    }

    private boolean isKept(Kept kept) {
        return machine.invariants()
                .slots(kept)
                .filter(slots -> !slots.equals(Slots.NONE))
                .isPresent();
    }
}
