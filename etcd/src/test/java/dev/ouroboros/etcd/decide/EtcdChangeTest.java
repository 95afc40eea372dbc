package dev.ouroboros.etcd.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.etcd.decide.EtcdChangeSeen.Members;
import dev.ouroboros.etcd.decide.EtcdChangeSeen.Written;
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
    private static final EtcdChange CHANGE = new EtcdChange(Duration.ofMinutes(5), false);

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
    void oneThatClientsCannotTalkToIsTakenBack() {
        ModelEtcdMembers world = world(bad -> bad.targetRefusesClients = true);
        EtcdChangeState end = world.run();

        assertThat(end.phase()).isEqualTo(EtcdChangePhase.FAILED);
        assertThat(end.failure())
                .hasValueSatisfying(
                        why -> assertThat(why)
                                .endsWith(
                                        "every client of etcd to be at the first door: 10.0.0.1 has 0 of 74 connections to the first door"));
        world.judge(0);
    }

    @Test
    void aThirdVoteThatIsGoneForGoodIsRemovedFirst() {
        for (int second = 60; second < 400; second += 7) {
            int moment = second;
            ModelEtcdMembers world = world(lost -> lost.thirdVoteIsLostAfter = Optional.of(moment));
            EtcdChangeState end = world.run();
            assertThat(end.phase().isFinal()).as("lost after " + moment + " s").isTrue();
            world.judgeMembers(moment);
        }
    }

    @Test
    void withoutALeaderTheFormerManifestIsWrittenOnTheWayBack() {
        EtcdChangeState back = EtcdChangeState.initial(false, Instant.EPOCH)
                .switching("a", Instant.EPOCH)
                .givingUp(EtcdChangePhase.ROLLING_BACK, "too late", Instant.EPOCH);
        EtcdChangeSeen nobody = new EtcdChangeSeen(
                Evidence.unknown("it has no leader"),
                Map.of(),
                Evidence.known(Written.TARGET),
                Evidence.unknown(""),
                Evidence.unknown(""),
                Evidence.unknown(""),
                Optional.empty());
        var first = CHANGE.decide(nobody, back, at(0));
        assertThat(first.action()).as("an election may be under way").isEmpty();
        assertThat(CHANGE.decide(nobody, first.state(), at(20)).action()).hasValue(new EtcdChangeAction.WriteFormer());
    }

    @Test
    void oneThatMayHaveRaisedTheClusterIsNotTakenBack() {
        EtcdChangeState back = EtcdChangeState.initial(false, Instant.EPOCH)
                .switching("a", Instant.EPOCH)
                .givingUp(EtcdChangePhase.ROLLING_BACK, "too late", Instant.EPOCH);
        EtcdChange raising = new EtcdChange(Duration.ofMinutes(5), true);
        var ended = raising.decide(ofThree(Written.TARGET, false, true, "b"), back, at(1));
        assertThat(ended.action()).isEmpty();
        assertThat(ended.state().phase()).isEqualTo(EtcdChangePhase.FAILED);
        assertThat(ended.state().failure())
                .hasValueSatisfying(why ->
                        assertThat(why).startsWith("too late; it follows").contains("was not taken back"));
    }

    @Test
    void itGoesOnWhereverItWasKilled() throws Exception {
        int places = KilledAnywhere.checkPairs(() -> world(_ -> {}));
        assertThat(places).isGreaterThan(30);
        KilledAnywhere.check(() -> world(bad -> bad.targetIsBad = true));
        KilledAnywhere.check(() -> world(old -> old.secondDoorIsUnknown = true));
        KilledAnywhere.check(() -> world(bad -> bad.targetRefusesClients = true));
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
        EtcdChangeState begun = EtcdChangeState.initial(true, Instant.EPOCH);
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
        EtcdChangeSeen.Member principal = new EtcdChangeSeen.Member("1", false, true, true, false);
        EtcdChangeSeen seen = new EtcdChangeSeen(
                Evidence.known(new Members(principal, Map.of(), new TreeMap<>(Map.of("node-9", principal)))),
                Map.of(),
                Evidence.unknown(""),
                Evidence.unknown(""),
                Evidence.unknown(""),
                Evidence.unknown(""),
                Optional.empty());
        var step = CHANGE.decide(seen, EtcdChangeState.initial(true, Instant.EPOCH), Instant.EPOCH);
        assertThat(step.action()).isEmpty();
        assertThat(step.waitingFor() + step.detail())
                .isEqualTo("the end of another change of its members: it has node-9");
    }

    /** What is seen of a member among three. */
    private static EtcdChangeSeen ofThree(Written written, boolean leads, boolean othersAreCurrent, String pod) {
        EtcdChangeSeen.Member principal = new EtcdChangeSeen.Member("1", false, leads, true, false);
        return new EtcdChangeSeen(
                Evidence.known(new Members(
                        principal,
                        Map.of(),
                        new TreeMap<>(Map.of(
                                "node-2", new EtcdChangeSeen.Member("2", false, !leads, true, false),
                                "node-3", new EtcdChangeSeen.Member("3", false, false, othersAreCurrent, false))))),
                Map.of(),
                Evidence.known(written),
                Evidence.known(Optional.of(pod)),
                Evidence.known(true),
                Evidence.unknown("not asked"),
                Optional.empty());
    }

    @Test
    void oneOfSeveralWaitsUntilClientsMustHaveFoundTheOthers() {
        EtcdChangeState begun = EtcdChangeState.initial(false, Instant.EPOCH);
        var first = CHANGE.decide(ofThree(Written.FORMER, true, true, "a"), begun, Instant.EPOCH);
        assertThat(first.action()).isEmpty();
        var early = CHANGE.decide(ofThree(Written.FORMER, true, true, "a"), first.state(), at(149));
        assertThat(early.waitingFor()).isEqualTo("clients of etcd to be connected at the other members");
        var disturbed = CHANGE.decide(ofThree(Written.FORMER, true, false, "a"), early.state(), at(149));
        assertThat(disturbed.state().steadySince()).as("it begins anew").isEmpty();

        var leads = CHANGE.decide(ofThree(Written.FORMER, true, true, "a"), early.state(), at(150));
        assertThat(leads.action()).hasValue(new EtcdChangeAction.MoveLeader("2"));
        var switching = CHANGE.decide(ofThree(Written.FORMER, false, true, "a"), leads.state(), at(151));
        assertThat(switching.state().phase()).isEqualTo(EtcdChangePhase.SWITCHING);
        assertThat(CHANGE.decide(ofThree(Written.FORMER, false, true, "a"), switching.state(), at(152))
                        .action())
                .hasValue(new EtcdChangeAction.WriteTarget());
        assertThat(CHANGE.decide(ofThree(Written.FORMER, false, false, "a"), switching.state(), at(152))
                        .state()
                        .phase())
                .as("another one is away")
                .isEqualTo(EtcdChangePhase.CROSSING);
        var runs = CHANGE.decide(ofThree(Written.TARGET, false, true, "b"), switching.state(), at(160));
        assertThat(runs.state().phase()).isEqualTo(EtcdChangePhase.RETURNING);
        assertThat(CHANGE.decide(ofThree(Written.TARGET, false, true, "b"), runs.state(), at(161))
                        .state()
                        .phase())
                .isEqualTo(EtcdChangePhase.DONE);
    }

    @Test
    void oneOfSeveralThatDoesNotStartGetsItsFormerManifest() {
        EtcdChangeState switching =
                EtcdChangeState.initial(false, Instant.EPOCH).switching("a", Instant.EPOCH);
        var late = CHANGE.decide(ofThree(Written.TARGET, false, true, "a"), switching, at(300));
        assertThat(late.state().phase()).isEqualTo(EtcdChangePhase.ROLLING_BACK);
        assertThat(CHANGE.decide(ofThree(Written.TARGET, true, true, "b"), late.state(), at(301))
                        .action())
                .as("it leads, although it was given up")
                .hasValue(new EtcdChangeAction.MoveLeader("2"));
        assertThat(CHANGE.decide(ofThree(Written.TARGET, false, true, "b"), late.state(), at(301))
                        .action())
                .hasValue(new EtcdChangeAction.WriteFormer());
        var back = CHANGE.decide(ofThree(Written.FORMER, false, true, "a"), late.state(), at(310));
        assertThat(back.state().phase()).isEqualTo(EtcdChangePhase.RETURNING);
        var ended = CHANGE.decide(ofThree(Written.FORMER, false, true, "a"), back.state(), at(311));
        assertThat(ended.state().phase()).isEqualTo(EtcdChangePhase.FAILED);
    }

    private static Instant at(int second) {
        return Instant.EPOCH.plusSeconds(second);
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
