package dev.ouroboros.core.restore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.Problem;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** A node with an etcd, its kubelet and its disk, as far as a restore can tell them apart. Power may go before any step. */
final class ModelEtcdNode {
    static final String FORMER = "former";
    static final String RESTORED = "restored";

    /** Thrown where the power goes. */
    static final class PowerCut extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

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
    private int stepsToPowerCut = Integer.MAX_VALUE;

    void cutPowerAfter(int steps) {
        stepsToPowerCut = steps;
    }

    void powerReturns() {
        stepsToPowerCut = Integer.MAX_VALUE;
        refusal = Optional.empty();
        kubeletRestarted = false;
        running = running && manifest;
    }

    private void step() {
        if (stepsToPowerCut-- <= 0) {
            throw new PowerCut();
        }
    }

    /** Runs a restore to its end. */
    RestoreState run(EtcdRestore restore) {
        RestoreState state =
                journal.filter(known -> !known.phase().isFinal()).orElseGet(() -> RestoreState.initial(now));
        while (!state.phase().isFinal()) {
            RestoreDecision decision = restore.decide(seen(), state, now);
            refusal = Optional.empty();
            if (!decision.state().equals(state)) {
                step();
                journal = Optional.of(decision.state());
                state = decision.state();
            }
            if (decision.action().isPresent()) {
                step();
                perform(decision.action().get());
            }
            now = now.plus(Duration.ofSeconds(1));
            kubelet();
        }
        return state;
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
