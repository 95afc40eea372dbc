package dev.ouroboros.core.keeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.core.front.FrontState;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs the keeper's decisions against a modelled machine while things go wrong, and then stop going wrong. */
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
                case API_SERVER_POD_DELETED -> machine.deletePod(Scene.API_SERVER);
                case CONTROLLERS_DELETED -> {
                    machine.deletePod(Scene.CONTROLLER_MANAGER);
                    machine.deletePod(Scene.SCHEDULER);
                }
                case KEEPER_KILLED -> machine.killKeeper();
                case KEEPER_POD_DELETED -> machine.deletePod(Scene.KEEPER);
                case FRONT_FLUSHED -> machine.front = new FrontState.NotInstalled();
                case ETCD_AWAY -> machine.etcd = false;
                case ETCD_BACK -> machine.etcd = true;
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

    @Test
    void losesNoRequestWhenAnApiServerPodIsDeletedThatTakesItsTimeToEnd() {
        ModelMachine machine = new ModelMachine(new Random(1));
        machine.deletePod(Scene.API_SERVER);
        machine.step();

        assertThat(machine.last).extracting(Decision.Planned::reason).containsExactly(Reason.PRINCIPAL_IS_LEAVING);
    }
}
