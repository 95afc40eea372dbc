package dev.ouroboros.keeper.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.front.FrontState;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs the keeper's decisions against a modelled machine while things go wrong, and then stop going wrong. */
@Isolated("computes for many seconds; others of this module wait with limits")
final class KeeperModelTest {
    private static final int SEEDS = 2000;
    private static final int FAULTY_SECONDS = 90;

    enum Fault {
        POWER_LOSS,
        PRINCIPAL_KILLED,
        UNDERSTUDY_KILLED,
        PRINCIPAL_HANGS,
        API_SERVER_POD_DELETED,
        CONTROLLERS_DELETED,
        KEEPER_KILLED,
        KEEPER_POD_DELETED,
        FRONT_FLUSHED,
        ETCD_AWAY,
        ETCD_BACK,
        SCALED_TO_ZERO,
        SCALED_BACK,
        GOOD_CHANGE,
        BAD_CHANGE,
        LABEL_LOST;

        void strike(ModelMachine machine, Random random) {
            ModelMember someone = List.copyOf(machine.members.values()).get(random.nextInt(3));
            switch (this) {
                case POWER_LOSS -> machine.losePower();
                case PRINCIPAL_KILLED -> someone.principal.end();
                case UNDERSTUDY_KILLED -> someone.understudy.end();
                case PRINCIPAL_HANGS -> machine.api().principal.hungFor = 0;
                case API_SERVER_POD_DELETED -> machine.deletePod(KeeperScene.API_SERVER);
                case CONTROLLERS_DELETED -> {
                    machine.deletePod(KeeperScene.CONTROLLER_MANAGER);
                    machine.deletePod(KeeperScene.SCHEDULER);
                }
                case KEEPER_KILLED -> machine.killKeeper();
                case KEEPER_POD_DELETED -> machine.deletePod(KeeperScene.KEEPER);
                case FRONT_FLUSHED -> machine.front = new FrontState.NotInstalled();
                case ETCD_AWAY -> machine.etcd = false;
                case ETCD_BACK -> machine.etcd = true;
                case SCALED_TO_ZERO, SCALED_BACK -> {
                    ComponentName one = random.nextBoolean() ? KeeperScene.CONTROLLER_MANAGER : KeeperScene.SCHEDULER;
                    machine.scale(one, this == SCALED_BACK ? 1 : 0);
                }
                case GOOD_CHANGE -> someone.template = ModelMember.BETTER;
                case BAD_CHANGE -> someone.template = ModelMember.BAD;
                case LABEL_LOST -> {
                    machine.labelled = false;
                    machine.serviceLeadsHere = false;
                }
            }
        }
    }

    @Test
    void comesToRestAfterWhateverHappened() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            ModelMachine machine = new ModelMachine(random);
            machine.trouble = random.nextInt(3) * 10;
            machine.rejects = random.nextInt(3) * 30;
            try {
                for (int second = 0; second < FAULTY_SECONDS; second++) {
                    if (random.nextInt(15) == 0) {
                        Fault.values()[random.nextInt(Fault.values().length)].strike(machine, random);
                    }
                    machine.step();
                }
                machine.calm();
                machine.settle("seed " + seed);
            } catch (AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + machine, e);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void losesTheApiAtMostOnceByOneFault(Fault fault) {
        for (int seed = 0; seed < 100; seed++) {
            Random random = new Random(seed);
            ModelMachine machine = new ModelMachine(random);
            machine.rejects = seed % 2 * 50;
            fault.strike(machine, random);
            boolean answered = machine.apiAnswers();
            for (int second = 0; second < 15; second++) {
                machine.step();
            }
            machine.calm();

            assertThat(machine.settle(fault + " by seed " + seed) + (answered ? 0 : 1))
                    .as("%s by seed %d", fault, seed)
                    .isLessThanOrEqualTo(1);
        }
    }

    @Test
    void losesTheApiAtMostOnceAPowerLossAlthoughTheKeeperIsKilledAtAnyMoment() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            ModelMachine machine = new ModelMachine(random);
            machine.losePower();
            int killedAt = random.nextInt(40);
            for (int second = 0; second < killedAt; second++) {
                machine.step();
            }
            boolean answered = machine.apiAnswers();
            machine.killKeeper();

            assertThat(machine.settle("seed " + seed))
                    .as("seed %d, killed after %d s, API answered %s", seed, killedAt, answered)
                    .isZero();
        }
    }

    /** Both are away for longer than any grace; what comes back finds nobody who makes or places its pods. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void bringsBackWhatWasScaledToZeroForLongerThanTheGrace(int power) {
        List<ComponentName> both = List.of(KeeperScene.CONTROLLER_MANAGER, KeeperScene.SCHEDULER);
        for (int choice = 1; choice < 4; choice++) {
            ModelMachine machine = new ModelMachine(new Random(choice));
            for (int one = 0; one < 2; one++) {
                if ((choice & 1 << one) != 0) {
                    machine.scale(both.get(one), 0);
                }
            }
            int grace = (int) KeeperSettings.DEFAULT.retireGrace().toSeconds();
            for (int second = 0; second < 2 * grace; second++) {
                machine.step();
                if (second == grace / 2 && power == 1) {
                    machine.losePower();
                } else if (second == grace / 2 && power == 2) {
                    machine.killKeeper();
                }
            }
            for (ComponentName name : both) {
                assertThat(machine.of(name).understudy.age)
                        .as("understudy of " + name)
                        .isNegative();
                assertThat(machine.of(name).principal.age > 0)
                        .as("pod of " + name)
                        .isEqualTo(machine.of(name).replicas == 1);
            }
            machine.calm();
            machine.settle("scaled to zero " + choice + ", " + power);
        }
    }

    @Test
    void losesNoRequestWhenAnApiServerPodIsDeletedThatTakesItsTimeToEnd() {
        ModelMachine machine = new ModelMachine(new Random(1));
        machine.deletePod(KeeperScene.API_SERVER);
        machine.step();

        assertThat(machine.last).extracting(Decision.Planned::reason).containsExactly(Reason.PRINCIPAL_IS_LEAVING);
    }
}
