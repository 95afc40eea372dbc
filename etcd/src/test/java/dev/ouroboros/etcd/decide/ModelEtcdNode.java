package dev.ouroboros.etcd.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.procedure.Journal;
import dev.ouroboros.model.procedure.NextStep;
import dev.ouroboros.model.procedure.Procedure;
import dev.ouroboros.model.procedure.ProcedureRun;
import dev.ouroboros.model.procedure.StepOutcome;
import dev.ouroboros.model.procedure.testing.KilledAnywhere;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** A node with an etcd, its kubelet and its disk, as far as a restore can tell them apart. */
final class ModelEtcdNode {
    static final String FORMER = "former";
    static final String RESTORED = "restored";

    Instant now = Instant.EPOCH;
    Optional<String> data = Optional.of(FORMER);
    Optional<String> aside = Optional.empty();
    Optional<String> rejected = Optional.empty();
    boolean staged;
    boolean manifest = true;
    boolean kept;
    boolean running = true;
    boolean stale = true;
    boolean kubeletRestarted;
    boolean restoredDataIsGood = true;
    boolean containerNeverEnds;
    boolean runtimeIsSilent;
    boolean toolFails;
    Optional<RestoreState> journal = Optional.empty();
    private Optional<Problem> refusal = Optional.empty();

    RestoreState run(EtcdRestore restore) {
        return run(restore, KilledAnywhere.Place.nowhere());
    }

    /** Runs a restore to its end, on a node whose power returns, and goes again at a place. */
    RestoreState run(EtcdRestore restore, KilledAnywhere.Place end) {
        refusal = Optional.empty();
        kubeletRestarted = false;
        running = running && manifest;
        RestoreState begun =
                journal.filter(known -> !known.phase().isFinal()).orElseGet(() -> RestoreState.initial(now));
        Journal<RestoreState> kept = state -> journal = Optional.of(state);
        ProcedureRun<RestoreState, RestoreSeen, RestoreAction> run =
                new ProcedureRun<>(end.in(of(restore)), end.in(kept), begun, () -> now);
        while (!(run.step() instanceof StepOutcome.Ended)) {
            now = now.plus(Duration.ofSeconds(1));
            kubelet();
        }
        return run.state();
    }

    private Procedure<RestoreState, RestoreSeen, RestoreAction> of(EtcdRestore restore) {
        return new Procedure<>() {
            @Override
            public RestoreSeen look(RestoreState state) {
                RestoreSeen seen = seen();
                refusal = Optional.empty();
                return seen;
            }

            @Override
            public NextStep<RestoreState, RestoreAction> decide(RestoreSeen seen, RestoreState state, Instant moment) {
                return restore.decide(seen, state, moment);
            }

            @Override
            public RestoreState perform(RestoreAction action, RestoreState state) {
                ModelEtcdNode.this.perform(action);
                return state;
            }
        };
    }

    private void kubelet() {
        if (!manifest && running && !containerNeverEnds) {
            running = false;
        } else if (manifest && !running) {
            running = true;
            if (data.isEmpty()) {
                data = Optional.of("empty");
            }
        }
    }

    private RestoreSeen seen() {
        boolean healthy = running && manifest && (!data.equals(Optional.of(RESTORED)) || restoredDataIsGood);
        return new RestoreSeen(
                Evidence.known(staged),
                Evidence.known(data.isPresent()),
                Evidence.known(aside.isPresent()),
                Evidence.known(manifest),
                Evidence.known(kept),
                runtimeIsSilent ? Evidence.unknown("the runtime is silent") : Evidence.known(running),
                Evidence.known(healthy),
                Evidence.known(stale),
                kubeletRestarted,
                refusal);
    }

    private void perform(RestoreAction action) {
        switch (action) {
            case STAGE -> {
                if (toolFails) {
                    refusal = Optional.of(new Problem(ErrorCode.PROCESS_FAILED, "tool", "fails", "", "try again"));
                } else {
                    staged = true;
                }
            }
            case KEEP_MANIFEST -> kept = true;
            case REMOVE_MANIFEST -> {
                assertThat(kept).as("the manifest is copied before it goes").isTrue();
                manifest = false;
            }
            case SET_ASIDE -> {
                requireStopped();
                assertThat(aside).isEmpty();
                aside = data;
                data = Optional.empty();
            }
            case PUT_IN_PLACE -> {
                requireStopped();
                assertThat(data).isEmpty();
                data = Optional.of(RESTORED);
                staged = false;
            }
            case WRITE_MANIFEST -> {
                assertThat(kept).isTrue();
                manifest = true;
            }
            case END_STALE_SERVERS -> stale = false;
            case RESTART_KUBELET -> kubeletRestarted = true;
            case SET_REJECTED_ASIDE -> {
                requireStopped();
                rejected = data;
                data = Optional.empty();
            }
            case PUT_BACK -> {
                requireStopped();
                assertThat(data).isEmpty();
                data = aside;
                aside = Optional.empty();
            }
        }
    }

    private void requireStopped() {
        assertThat(running).as("data is renamed under a running etcd").isFalse();
        assertThat(runtimeIsSilent).as("data is renamed on no evidence").isFalse();
    }
}
