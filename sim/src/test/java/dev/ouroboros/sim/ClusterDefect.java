package dev.ouroboros.sim;

import dev.ouroboros.keeper.decide.ChangeSeen;
import dev.ouroboros.keeper.decide.ChangeSeen.LeaseSeen;
import dev.ouroboros.keeper.decide.ChangeSeen.Others;
import dev.ouroboros.keeper.decide.ChangeSeen.Target;
import dev.ouroboros.keeper.decide.KeeperSettings;
import dev.ouroboros.keeper.decide.Observation;
import dev.ouroboros.keeper.decide.Proof;
import dev.ouroboros.keeper.observe.LocalServers;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.node.disk.Disk;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/** What would be wrong with the keepers of several nodes if they left out what they do for each other's sake. */
enum ClusterDefect implements Distortion {
    IGNORES_THE_LEASE("It changes its API server whoever holds the Lease") {
        @Override
        public Observation seen(Observation seen) {
            ChangeSeen change = seen.change();
            return change.lease() instanceof Evidence.Known
                    ? Defect.withChange(
                            seen,
                            new ChangeSeen(
                                    change.target(),
                                    change.record(),
                                    Evidence.known(new LeaseSeen.Mine(false)),
                                    change.principal(),
                                    change.understudy(),
                                    change.trouble(),
                                    change.understudyEnds()))
                    : seen;
        }
    },
    SPEAKS_OVER_OTHERS("It writes what it waits for over what another keeper says of a change") {
        @Override
        public Observation seen(Observation seen) {
            ChangeSeen change = seen.change();
            return change.target() instanceof Evidence.Known<Optional<Target>>(Optional<Target> target)
                    ? Defect.withChange(
                            seen,
                            new ChangeSeen(
                                    Evidence.known(target.map(ClusterDefect::asIfAlone)),
                                    change.record(),
                                    change.lease(),
                                    change.principal(),
                                    change.understudy(),
                                    change.trouble(),
                                    change.understudyEnds()))
                    : seen;
        }
    },
    FORGETS_THE_LIST("It forgets the API servers that it knew when its machine loses its power") {
        @Override
        public Disk disk(Disk disk) {
            return Defect.intercepting(
                    Disk.class,
                    disk,
                    "readText",
                    (answer, file) -> ((Path) file).endsWith("servers.json") ? Optional.empty() : answer);
        }
    },
    OBEYS_A_LABEL_AT_ONCE(
            "It removes a control plane at once where the label is gone, and asks nobody who serves then") {
        @Override
        public KeeperSettings settings(KeeperSettings settings) {
            return new KeeperSettings(
                    settings.failover(),
                    settings.patience(),
                    settings.leaderPatience(),
                    settings.steady(),
                    settings.drain(),
                    settings.soak(),
                    settings.prove(),
                    settings.candidateDeadline(),
                    settings.retireGrace(),
                    Duration.ZERO,
                    settings.pivotGrace(),
                    settings.lease(),
                    settings.cut());
        }

        @Override
        public Observation seen(Observation seen) {
            return Defect.withOthers(seen, Evidence.known(1));
        }
    },
    BELIEVES_READYZ("It asks no API server for more than that it is ready") {
        @Override
        public LocalServers servers(LocalServers servers) {
            return Defect.intercepting(
                    LocalServers.class, servers, "examine", (_, _) -> new Proof.Passed(Instant.EPOCH));
        }
    },
    MOVES_THE_ONLY_LEADER(
            "It takes a controller manager or scheduler off its node whether there is another one or not") {
        @Override
        public Observation seen(Observation seen) {
            return Defect.each(seen, component -> LEADERS.contains(component.role()), Defect::asThereIsAnotherOne);
        }
    };

    private static final Set<Role> LEADERS = Set.of(Role.CONTROLLER_MANAGER, Role.SCHEDULER);

    private final String sentence;

    ClusterDefect(String sentence) {
        this.sentence = sentence;
    }

    String sentence() {
        return sentence;
    }

    private static Target asIfAlone(Target target) {
        return new Target(
                target.component(),
                target.made(),
                target.madeFrom(),
                target.current(),
                target.paused(),
                target.retry(),
                target.reported(),
                Others.NONE);
    }
}
