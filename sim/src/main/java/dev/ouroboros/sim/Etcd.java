package dev.ouroboros.sim;

import dev.ouroboros.model.component.Role;
import java.time.Duration;
import java.util.Optional;

/** The cluster's etcd as its clients see it: away for a while, put back to a backup; in some runs a process with its data on the node's disk. */
final class Etcd {
    private static final Duration BACKUP = Duration.ofSeconds(45);

    private final Machine machine;
    private final Optional<EtcdMember> member;
    private boolean reachable = true;
    private Optional<Objects.Backup> backup = Optional.empty();

    /** @param chance for an etcd that the kubelet runs and {@code start} restores; otherwise empty */
    Etcd(Machine machine, Optional<Chance> chance) {
        this.machine = machine;
        this.member = chance.map(own -> new EtcdMember(machine, own));
    }

    void begin() {
        machine.timeline().every(machine.world(), BACKUP, () -> {
            if (answers() && machine.starts().areDone()) {
                keepBackup();
            }
        });
        member.ifPresent(EtcdMember::prepare);
    }

    Optional<EtcdMember> member() {
        return member;
    }

    boolean answers() {
        return reachable && (member.isEmpty() || member.get().serves());
    }

    void reachable(boolean now) {
        reachable = now;
    }

    void keepBackup() {
        backup = Optional.of(machine.objects().backup());
    }

    /** Only a snapshot file of the cluster is left, and the node is a new one. */
    void isLost() {
        member.ifPresent(own -> {
            Objects.Backup nothing = machine.objects().backup();
            Blueprint.populate(machine.objects());
            own.restore(machine.objects().backup());
            machine.objects().restore(nothing, 0);
        });
    }

    /** As people restore it. */
    void restore(Duration away) {
        if (backup.isEmpty()) {
            return;
        }
        if (member.isPresent()) {
            member.get().restore(backup.get());
        } else {
            replace(backup.get(), away);
        }
    }

    /** The API servers are ended too and start again, because what they remember is of a history that is gone. */
    private void replace(Objects.Backup by, Duration away) {
        machine.trace()
                .say(
                        "fault",
                        "etcd is restored as of revision " + by.revision() + ", was at "
                                + machine.objects().revision());
        reachable = false;
        machine.kubelet().runs().stream()
                .flatMap(run -> run.program.stream())
                .filter(program -> program.role == Role.API_SERVER)
                .forEach(program -> program.endAt(machine.now()));
        machine.objects().restore(by, 0);
        machine.invariants().historyWentBack();
        machine.timeline().after(machine.world(), away, () -> reachable = true);
    }
}
