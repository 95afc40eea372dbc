package dev.ouroboros.etcd.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.etcd.decide.EtcdChangeSeen.Members;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.procedure.testing.KilledAnywhere;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class EtcdChangeTest {
    private static final EtcdChange CHANGE = new EtcdChange(Duration.ofMinutes(5));

    private static ModelEtcdMembers world(Consumer<ModelEtcdMembers> setting) {
        ModelEtcdMembers world = new ModelEtcdMembers(CHANGE);
        setting.accept(world);
        return world;
    }

    @Test
    void aMemberIsExchangedAndNobodyIsWithoutADoor() {
        ModelEtcdMembers world = world(_ -> {});
        EtcdChangeState end = world.run();

        assertThat(end.phase()).isEqualTo(EtcdChangePhase.DONE);
        world.judge(0);
    }

    @Test
    void oneThatDoesNotStartGetsItsFormerManifest() {
        ModelEtcdMembers world = world(bad -> bad.targetIsBad = true);
        EtcdChangeState end = world.run();

        assertThat(end.phase()).isEqualTo(EtcdChangePhase.FAILED);
        assertThat(end.failure())
                .hasValueSatisfying(
                        why -> assertThat(why).contains("still waited for etcd to run as the new manifest says"));
        world.judge(0);
    }

    @Test
    void nothingIsStoppedWhereAClientKnowsNoSecondDoor() {
        ModelEtcdMembers world = world(old -> old.secondDoorIsUnknown = true);
        EtcdChangeState end = world.run();

        assertThat(end.phase()).isEqualTo(EtcdChangePhase.FAILED);
        assertThat(end.failure())
                .hasValueSatisfying(
                        why -> assertThat(why).endsWith("10.0.0.1 has 0 of 74 connections to the second door"));
        assertThat(world.leftWithoutDoor).isZero();
        world.judge(0);
    }

    @Test
    void itGoesOnWhereverItWasKilled() throws Exception {
        int places = KilledAnywhere.checkPairs(() -> world(_ -> {}));
        assertThat(places).isGreaterThan(30);
        KilledAnywhere.check(() -> world(bad -> bad.targetIsBad = true));
        KilledAnywhere.check(() -> world(old -> old.secondDoorIsUnknown = true));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void thePowerMayGoAtAnySecond(boolean targetIsBad) {
        for (int second = 1; second < 400; second++) {
            int moment = second;
            ModelEtcdMembers world = world(cut -> {
                cut.targetIsBad = targetIsBad;
                cut.powerCutAfter = Optional.of(moment);
            });
            assertThat(world.run().phase())
                    .as("cut after " + moment + " s")
                    .isEqualTo(targetIsBad ? EtcdChangePhase.FAILED : EtcdChangePhase.DONE);
            world.judge(moment);
        }
    }

    @Test
    void unknownWaitsAndIsGivenUp() {
        EtcdChangeSeen nothing = new EtcdChangeSeen(
                Evidence.unknown("nobody answers"),
                Map.of(),
                Evidence.unknown(""),
                Evidence.unknown(""),
                Evidence.unknown(""),
                Evidence.unknown(""),
                Optional.empty());
        EtcdChangeState begun = EtcdChangeState.initial(Instant.EPOCH);
        for (EtcdChangePhase phase : EtcdChangePhase.values()) {
            if (!phase.isFinal()) {
                var step = CHANGE.decide(nothing, begun.moveTo(phase, Instant.EPOCH), Instant.EPOCH);
                assertThat(step.action()).as(phase.name()).isEmpty();
                assertThat(step.waitingFor()).isEqualTo("an answer of etcd");
            }
        }
        var late = CHANGE.decide(nothing, begun, Instant.EPOCH.plus(Duration.ofMinutes(5)));
        assertThat(late.state().phase()).isEqualTo(EtcdChangePhase.RETURNING);
        assertThat(late.state().failure())
                .hasValue("after 300 s it still waited for an answer of etcd: nobody answers");
    }

    @Test
    void membersThatSomebodyElseAddedAreWaitedFor() {
        EtcdChangeSeen.Member principal = new EtcdChangeSeen.Member("1", false, true, true);
        EtcdChangeSeen seen = new EtcdChangeSeen(
                Evidence.known(new Members(principal, Map.of(), "node-9")),
                Map.of(),
                Evidence.unknown(""),
                Evidence.unknown(""),
                Evidence.unknown(""),
                Evidence.unknown(""),
                Optional.empty());
        var step = CHANGE.decide(seen, EtcdChangeState.initial(Instant.EPOCH), Instant.EPOCH);
        assertThat(step.action()).isEmpty();
        assertThat(step.waitingFor() + step.detail())
                .isEqualTo("the end of another change of its members: it has node-9");
    }

    @Test
    void whoHasFewerConnectionsToOneDoorIsNamed() {
        Doors doors = new Doors(
                new TreeMap<>(Map.of("10.0.0.1", 74, "10.0.0.2", 3)),
                new TreeMap<>(Map.of("10.0.0.1", 75, "10.0.0.3", 1)));
        assertThat(doors.leftAtFirst()).hasValue("10.0.0.2 has 0 of 3 connections to the second door");
        assertThat(doors.leftAtSecond())
                .hasValue(
                        "10.0.0.1 has 74 of 75 connections to the first door, 10.0.0.3 has 0 of 1 connections to the first door");
    }
}
