package dev.ouroboros.sim;

import dev.ouroboros.model.component.Role;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** The cluster's etcd as its clients see it: away for a while, put back to a backup; in some runs a process with its data on the node's disk. */
final class Etcd {
    private static final Duration BACKUP = Duration.ofSeconds(45);
    /** For so long nobody leads when a member is lost; a real one elects only when the lost one led. */
    private static final Duration ELECTION = Duration.ofMillis(1500);

    private final ClusterModel cluster;
    private final Optional<EtcdMemberModel> member;
    private boolean reachable = true;
    private Instant electsUntil = Instant.MIN;
    private Optional<Objects.Backup> backup = Optional.empty();

    /** @param chance for an etcd that the kubelet runs and {@code start} restores; otherwise empty */
    Etcd(ClusterModel cluster, Optional<Chance> chance) {
        this.cluster = cluster;
        this.member = chance.map(own -> new EtcdMemberModel(cluster.first(), own));
    }

    void begin() {
        cluster.timeline().every(cluster.world(), BACKUP, () -> {
            boolean answers = cluster.machines().stream().anyMatch(this::answers);
            if (answers && cluster.first().starts().areDone()) {
                keepBackup();
            }
        });
        member.ifPresent(EtcdMemberModel::prepare);
    }

    Optional<EtcdMemberModel> member() {
        return member;
    }

    /** Whether API servers of a machine are answered, which ask any member that they reach. */
    boolean answers(Machine from) {
        return reachable && (member.isEmpty() || member.get().serves()) && (!cluster.hasSeveral() || hasQuorum(from));
    }

    /** Each machine has a member. */
    private boolean hasQuorum(Machine from) {
        if (cluster.now().isBefore(electsUntil)) {
            return false;
        }
        for (Machine asked : cluster.machines()) {
            if (asked.memberIsUp() && cluster.network().reaches(from, asked) && isOfQuorum(asked)) {
                return true;
            }
        }
        return false;
    }

    private boolean isOfQuorum(Machine asked) {
        int together = 0;
        for (Machine other : cluster.machines()) {
            if (other.memberIsUp() && cluster.network().reaches(asked, other)) {
                together++;
            }
        }
        return 2 * together > cluster.machines().size();
    }

    /** A machine has lost its power, and with it a member. */
    void losePower() {
        member.ifPresent(EtcdMemberModel::losePower);
        elect();
    }

    /** Members have lost each other. */
    void elect() {
        electsUntil = cluster.now().plus(ELECTION);
    }

    void reachable(boolean now) {
        reachable = now;
    }

    void keepBackup() {
        backup = Optional.of(cluster.objects().backup());
    }

    /** Only a snapshot file of the cluster is left, and the node is a new one. */
    void isLost() {
        member.ifPresent(own -> {
            Objects.Backup nothing = cluster.objects().backup();
            Blueprint.populate(cluster.objects(), cluster.machines());
            own.restore(cluster.objects().backup());
            cluster.objects().restore(nothing, 0);
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
        cluster.trace()
                .say(
                        "fault",
                        "etcd is restored as of revision " + by.revision() + ", was at "
                                + cluster.objects().revision());
        reachable = false;
        cluster.runs()
                .flatMap(run -> run.program.stream())
                .filter(program -> program.role == Role.API_SERVER)
                .forEach(program -> program.endAt(cluster.now()));
        cluster.objects().restore(by, 0);
        cluster.historyWentBack();
        cluster.timeline().after(cluster.world(), away, () -> reachable = true);
    }
}
