package dev.ouroboros.keeper.decide;

import static dev.ouroboros.keeper.decide.SceneComponent.NEW;
import static dev.ouroboros.keeper.decide.SceneComponent.OLD;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.decide.Action.RecordFailure;
import dev.ouroboros.keeper.decide.ChangeSeen.LeaseSeen;
import dev.ouroboros.keeper.decide.ChangeSeen.Others;
import dev.ouroboros.keeper.decide.ChangeSeen.Target;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A candidate whose container cannot be started, as the kubelet says it: the principal serves on. */
final class CandidateTroubleTest {
    private static final String NOT_FOUND = "ErrImagePull: failed to resolve reference: example.test/x:1: not found";
    private static final String BACK_OFF = "ImagePullBackOff: Back-off pulling image \"example.test/x:1\"";

    private final KeeperScene scene = KeeperScene.of(new SceneComponent(Role.API_SERVER)
            .manifest(new StaticManifest.Ours(NEW))
            .saved(Optional.of(NEW), Optional.of(OLD)));

    private List<Action> after(Duration time, String trouble) {
        return after(time, Evidence.unknown("not asked"), trouble, 0);
    }

    private List<Action> after(Duration time, Evidence<Proof> understudy, String trouble, int ends) {
        Target target = KeeperScene.target("old", "", Optional.empty(), Others.NONE);
        scene.change = new ChangeSeen(
                Evidence.known(Optional.of(target)),
                Evidence.known(ChangeRecord.NONE),
                Evidence.known(new LeaseSeen.Mine(false)),
                Evidence.known(new Proof.Passed(KeeperScene.BEGIN)),
                understudy,
                trouble,
                ends);
        return scene.actionsAfter(time);
    }

    private static List<String> failures(List<Action> actions) {
        return actions.stream()
                .flatMap(action -> action instanceof RecordFailure failed
                        ? Stream.of(failed.failure().message())
                        : Stream.empty())
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"InvalidImageName: couldn't parse \"X\"", "ErrImageNeverPull: image is not present"})
    void fewerTriesThanTheDeadlineAreMadeOfWhatCanNeverStart(String trouble) {
        assertThat(failures(after(Duration.ZERO, trouble))).containsExactly("the candidate: " + trouble);
    }

    @Test
    void aRegistryMayBeAwayForLessThanTheDeadline() {
        assertThat(failures(after(Duration.ZERO, NOT_FOUND))).isEmpty();
        assertThat(failures(after(Duration.ofSeconds(60), BACK_OFF))).isEmpty();
        assertThat(failures(after(Duration.ofSeconds(30), ""))).isEmpty();
    }

    @Test
    void whyAnImageCouldNotBePulledIsStillKnownAtTheDeadline() {
        after(Duration.ZERO, NOT_FOUND);
        after(Duration.ofSeconds(60), BACK_OFF);
        assertThat(scene.decide().state().change().status().progress())
                .contains(NOT_FOUND)
                .contains("60 s of 300 s");
        assertThat(failures(after(Duration.ofMinutes(4), BACK_OFF)))
                .containsExactly(
                        "the candidate: " + NOT_FOUND + "; it had 300 s, which the keeper's --candidate-deadline says");
    }

    /** On a fifteenth of a processor a candidate needs longer than five minutes, and so did the server that it is to replace. */
    @Test
    void whereThePrincipalWasSlowTheCandidateMayBe() {
        scene.api().pods(SceneComponent.bootedIn(Duration.ofSeconds(200)));
        after(Duration.ZERO, NOT_FOUND);

        assertThat(failures(after(Duration.ofSeconds(790), NOT_FOUND))).isEmpty();
        assertThat(failures(after(Duration.ofSeconds(20), NOT_FOUND)))
                .containsExactly(
                        "the candidate: " + NOT_FOUND
                                + "; it had 800 s, as principals take up to 200 s here; the keeper's --candidate-deadline gives more");
    }

    @ParameterizedTest
    @CsvSource({"0, 300", "20, 300", "100, 400", "600, 1800", "1800, 1800", "1801, 300"})
    void howLongACandidateGetsFollowsFromHowLongPrincipalsTook(long boot, long deadline) {
        assertThat(deadline(seen(PrincipalBoots.UNKNOWN, "one", boot))).isEqualTo(Duration.ofSeconds(deadline));
    }

    /** Its kubelet says since when it is ready, which begins anew when etcd was away for a moment. */
    @Test
    void readinessThatComesAndGoesIsNoBoot() {
        PrincipalBoots booted = seen(PrincipalBoots.UNKNOWN, "one", 100);
        assertThat(deadline(seen(booted, "one", 1500))).isEqualTo(Duration.ofSeconds(400));
        assertThat(deadline(seen(booted, "two", 200))).isEqualTo(Duration.ofSeconds(800));
        assertThat(deadline(seen(booted, "two", 20))).isEqualTo(Duration.ofSeconds(400));
    }

    private static PrincipalBoots seen(PrincipalBoots before, String uid, long seconds) {
        PrincipalPod pod =
                new PrincipalPod(uid, "pod", true, false, 0, false, Optional.of(Duration.ofSeconds(seconds)));
        return before.with(List.of(pod), KeeperSettings.DEFAULT);
    }

    private static Duration deadline(PrincipalBoots boots) {
        return boots.deadline(KeeperSettings.DEFAULT);
    }

    /** Seed 7292: a keeper that was late did not see that the port was closed meanwhile. */
    @Test
    void whatAProcessThatEndedHasAnsweredProvesNothing() {
        Duration prove = KeeperSettings.DEFAULT.prove();
        Evidence<Proof> passes = Evidence.known(new Proof.Passed(KeeperScene.BEGIN));
        scene.api().understudyServes().manifest(new StaticManifest.Ours(NEW));
        assertThat(proofs(after(Duration.ZERO, passes, "", 0))).isZero();
        assertThat(proofs(after(prove, passes, "", 1))).isZero();
        assertThat(proofs(after(prove.minusSeconds(1), passes, "", 1))).isZero();

        assertThat(proofs(after(Duration.ofSeconds(1), passes, "", 1))).isOne();
    }

    /** Found on an emulated machine: the API was away for longer than half a minute, and the candidate had to begin again, each time. */
    @Test
    void aCandidateStaysWhileNobodyTellsWhatIsAskedFor() {
        scene.api().understudyServes().manifest(new StaticManifest.Ours(NEW));
        after(Duration.ZERO, Evidence.unknown("not asked"), "", 0);
        scene.api().withoutApi();
        scene.change = ChangeSeen.unknown("no API");
        scene.actions();

        assertThat(stops(scene.actionsAfter(
                        KeeperSettings.DEFAULT.candidateDeadline().minusSeconds(1))))
                .isZero();
        assertThat(stops(scene.actionsAfter(Duration.ofSeconds(2)))).isOne();
    }

    private static long stops(List<Action> actions) {
        return actions.stream().filter(Action.StopUnderstudy.class::isInstance).count();
    }

    private static long proofs(List<Action> actions) {
        return actions.stream().filter(Action.RecordProven.class::isInstance).count();
    }
}
