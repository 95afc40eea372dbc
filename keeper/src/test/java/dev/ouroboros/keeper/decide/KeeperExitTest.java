package dev.ouroboros.keeper.decide;

import static dev.ouroboros.keeper.decide.ModelMember.BETTER;
import static dev.ouroboros.keeper.decide.ModelMember.GOOD;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.decide.ModelMember.Pod;
import dev.ouroboros.keeper.decide.Observation.StartSeen;
import dev.ouroboros.keeper.decide.StaticManifest.Absent;
import dev.ouroboros.keeper.decide.StaticManifest.OfStart;
import dev.ouroboros.keeper.decide.StaticManifest.Ours;
import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.front.FrontState;
import dev.ouroboros.model.front.FrontState.NotInstalled;
import dev.ouroboros.model.front.FrontState.ToPrincipal;
import dev.ouroboros.model.front.FrontState.ToUnderstudy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * No state without an exit: from every combination of what can be found on a node, a keeper that just began brings it to rest when
 * nothing else goes wrong. Whatever a keeper remembered when it was killed is lost, so these are all states there are.
 */
@Isolated("computes for many seconds; others of this module wait with limits")
final class KeeperExitTest {
    private enum Server {
        DEAD,
        HUNG,
        READY
    }

    private enum PodState {
        GONE,
        UNBOUND,
        RUNS,
        FAILED,
        TERMINATING
    }

    private static final List<StaticManifest> MANIFESTS =
            List.of(new Absent(), new Ours(GOOD), new Ours(BETTER), new OfStart());
    private static final List<Slots> SLOTS = List.of(
            new Slots(Optional.empty(), Optional.of(GOOD)),
            new Slots(Optional.of(GOOD), Optional.empty()),
            new Slots(Optional.of(BETTER), Optional.of(GOOD)));
    private static final List<FrontState> FRONTS =
            List.of(new NotInstalled(), new ToPrincipal(), new ToUnderstudy(Duration.ofSeconds(3)));

    private int runs;

    @Test
    void thereIsAWayToRestFromEveryState() {
        for (Server principal : Server.values()) {
            for (PodState pod : PodState.values()) {
                for (StaticManifest manifest : MANIFESTS) {
                    for (Slots slots : SLOTS) {
                        for (FrontState front : FRONTS) {
                            ofTheNode(principal, pod, manifest, slots, front);
                        }
                    }
                }
            }
        }
        assertThat(runs).isEqualTo(3 * 5 * 4 * 3 * 3 * 8 + 5 * 4 * 3 * 8);
    }

    private void ofTheNode(Server principal, PodState pod, StaticManifest manifest, Slots slots, FrontState front) {
        boolean calm = principal == Server.READY && front instanceof ToPrincipal;
        for (int rest = 0; rest < (calm ? 16 : 8); rest++) {
            ModelMachine machine = new ModelMachine(new Random(runs));
            ModelMember api = machine.api();
            boolean booted = (rest & 1) != 0;
            if (booted) {
                machine.losePower();
            }
            boolean controllersGone = (rest & 2) != 0;
            if (controllersGone) {
                List.of(machine.of(KeeperScene.CONTROLLER_MANAGER), machine.of(KeeperScene.SCHEDULER))
                        .forEach(member -> set(member, Server.DEAD, PodState.GONE));
            }
            boolean scaled = (rest & 8) != 0;
            if (scaled) {
                // Who began while both were scaled to zero sees them wanted again after a while.
                scale(machine, 0);
                for (int second = 0; second < 20; second++) {
                    machine.step();
                }
                scale(machine, 1);
            }
            boolean abandoned = (rest & 4) != 0;
            machine.start = Evidence.known(new StartSeen.Idle(abandoned));
            set(api, booted ? Server.DEAD : principal, pod);
            api.manifest = manifest;
            api.slots = slots;
            machine.front = front;
            machine.settle("%s, %s, %s, %s, %s, %d".formatted(principal, pod, manifest, slots, front, rest));
            runs++;
        }
    }

    private static void scale(ModelMachine machine, int replicas) {
        machine.scale(KeeperScene.CONTROLLER_MANAGER, replicas);
        machine.scale(KeeperScene.SCHEDULER, replicas);
    }

    private static void set(ModelMember member, Server server, PodState state) {
        switch (server) {
            case DEAD -> member.principal.end();
            case HUNG -> member.principal.hungFor = 0;
            case READY -> {}
        }
        Pod pod = member.pod.orElseThrow();
        switch (state) {
            case GONE -> member.pod = Optional.empty();
            case UNBOUND -> pod.bound = false;
            case RUNS -> {}
            case FAILED -> pod.failed = true;
            case TERMINATING -> pod.terminatingFor = 0;
        }
    }
}
