package dev.ouroboros.sim;

import dev.ouroboros.bootstrap.decide.PivotSettings;
import dev.ouroboros.etcd.Restoration;
import dev.ouroboros.etcd.RestoreEvent;
import dev.ouroboros.etcd.decide.RestorePhase;
import dev.ouroboros.model.procedure.StepOutcome;
import dev.ouroboros.node.disk.Disk;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** What {@code start --etcd-snapshot} does first: the production restore on the modelled node. */
final class RestoreProcess {
    private final Machine machine;
    private final EtcdMemberModel member;
    private final Restoration restoration;
    private final Instant begun;
    private boolean over;
    private boolean gaveUp;

    /** @throws dev.ouroboros.model.problem.ProblemException when it cannot begin */
    RestoreProcess(Machine machine, EtcdMemberModel member, EtcdMemberModel.Snapshot snapshot) {
        this.machine = machine;
        this.member = member;
        Instant started = machine.now();
        Instant clock = machine.wallClock();
        this.restoration = new Restoration(
                new Restoration.Target(
                        snapshot.digest(),
                        EtcdMemberModel.MANIFEST,
                        KeeperProcess.STATE,
                        PivotSettings.DEFAULT.progressDeadline()),
                new Restoration.Surroundings(
                        machine.disk(),
                        machine.runtime(),
                        _ -> member,
                        member,
                        Optional.of(machine.kubelet()::restart),
                        // As a process has it: what the wall clock said when it began, and on from there.
                        () -> clock.plus(Duration.between(started, machine.now()))),
                this::tell);
        over = restoration.restoredBefore().isPresent();
        if (over) {
            restoration.tidy();
        } else {
            restoration.begin(restoration.etcd(), member.unpacker(snapshot));
        }
        begun = restoration.restoredBefore().orElseGet(restoration::begun);
    }

    static void forget(Disk disk) {
        Restoration.forget(disk, KeeperProcess.STATE);
    }

    /** Its beginning by the wall clock: what etcd holds is older. */
    Instant begun() {
        return begun;
    }

    boolean isOver() {
        return over;
    }

    /** Whether another file may be tried: a restore that only broke off has to go on with its own. */
    boolean gaveUp() {
        return gaveUp;
    }

    /** @throws dev.ouroboros.model.problem.ProblemException when it has failed */
    void step() {
        if (restoration.step() instanceof StepOutcome.Ended) {
            over = true;
            member.restored();
        }
    }

    private void tell(RestoreEvent event) {
        switch (event) {
            case RestoreEvent.Entered(var phase, boolean resumed) -> {
                machine.trace().say("restore", (resumed ? "goes on with " : "is ") + phase);
                gaveUp = phase == RestorePhase.FAILED;
                machine.trace().count("restore: " + (resumed ? "goes on with " : "") + phase);
            }
            case RestoreEvent.Waiting(String what) -> machine.trace().say("restore", "waits for " + what);
            case RestoreEvent.Restored _ -> machine.trace().count("restore: done");
            case RestoreEvent.WasRestored _ -> {}
        }
    }
}
