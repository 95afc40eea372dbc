package dev.ouroboros.keeper.kubelet.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.kubelet.decide.KubeletSeen.NodeView;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.kubelet.KubeletGeneration;
import dev.ouroboros.model.kubelet.KubeletReport;
import dev.ouroboros.model.kubelet.KubeletReport.State;
import dev.ouroboros.model.kubelet.KubeletWish;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class KubeletDutyTest {
    private static final String WISH = "{\"config\":{\"maxPods\":50}}";
    private static final String OTHER = "{\"config\":{\"maxPods\":60}}";
    private static final String DIGEST = "0123456789abcdef".repeat(4);
    private static final KubeletGeneration BASE = new KubeletGeneration(
            "v1.20.2",
            "/bin/kubelet",
            Optional.empty(),
            Json.object().with("cgroupDriver", Json.text("cgroupfs")),
            new TreeMap<>(),
            Optional.empty(),
            Optional.empty());

    private String wish = "";
    private Optional<KubeletGeneration> base = Optional.of(BASE);
    private String current = "base";
    private String started = "";
    private Optional<String> trial = Optional.empty();
    private final TreeSet<String> generations = new TreeSet<>(Set.of("base"));
    private final SortedMap<String, String> outcomes = new TreeMap<>();
    private final TreeSet<String> programs = new TreeSet<>();
    private Optional<Duration> wellFor = Optional.empty();
    private boolean reports = true;
    private boolean wasReady = true;

    private static String name(String text) {
        try {
            return KubeletWish.read(text).on(BASE).name();
        } catch (MalformedJson e) {
            throw new AssertionError(e);
        }
    }

    private KubeletDuty duty() {
        return KubeletDuty.of(new KubeletSeen(
                base,
                current,
                Optional.of(started.isEmpty() ? current : started),
                trial,
                generations,
                outcomes,
                programs,
                wellFor,
                new NodeView(wish, reports, reports, wasReady)));
    }

    private void expect(State state, KubeletAction action) {
        assertThat(duty().report().state()).isEqualTo(state);
        assertThat(duty().action()).isEqualTo(action);
    }

    /** Whoever rolls a program out has no pod leave a node that has not got it. */
    @Test
    void itSaysWhichProgramsWereBrought() {
        programs.add(DIGEST);
        KubeletReport report = duty().report();
        assertThat(report.lacks(DIGEST)).isFalse();
        assertThat(report.lacks("f".repeat(64))).isTrue();
        assertThat(KubeletReport.read(JsonText.text(report.json()))).contains(report);
    }

    @Test
    void whatIsWishedIsStagedTriedAndRuns() throws MalformedJson {
        expect(State.RUNNING, new KubeletAction.Nothing());

        wish = WISH;
        String name = name(WISH);
        expect(State.TRYING, new KubeletAction.Stage(KubeletWish.read(WISH).on(BASE)));
        assertThat(duty().report().wish()).isEqualTo(KubeletReport.digestOf(WISH));

        generations.add(name);
        expect(State.TRYING, new KubeletAction.Try(name, true));

        trial = Optional.of(name);
        expect(State.TRYING, new KubeletAction.Nothing());

        current = name;
        expect(State.TRYING, new KubeletAction.Nothing());

        // The guard has ended, and the service did not start what was confirmed.
        trial = Optional.empty();
        started = "base";
        expect(State.TRYING, new KubeletAction.Try(name, true));

        started = "";
        trial = Optional.empty();
        outcomes.put(name, "confirmed");
        expect(State.RUNNING, new KubeletAction.Nothing());
        assertThat(duty().report().running()).isEqualTo(name);
    }

    @Test
    void whatFailedIsNotTriedAgainUntilAnotherThatIsWishedRuns() throws MalformedJson {
        wish = WISH;
        generations.add(name(WISH));
        outcomes.put(name(WISH), "failed its kubelet ended 3 times");
        expect(State.FAILED, new KubeletAction.Nothing());
        assertThat(duty().report().message()).isEqualTo("its kubelet ended 3 times");
        assertThat(duty().report().running()).isEqualTo("base");

        wish = OTHER;
        assertThat(duty().action()).isInstanceOf(KubeletAction.Stage.class);

        wish = "";
        expect(State.RUNNING, new KubeletAction.ForgetFailures(new TreeSet<>(Set.of(name(WISH)))));
        outcomes.clear();
        expect(State.RUNNING, new KubeletAction.Forget(name(WISH)));
        generations.remove(name(WISH));

        wish = WISH;
        expect(State.TRYING, new KubeletAction.Stage(KubeletWish.read(WISH).on(BASE)));
    }

    @Test
    void aBaseThatFailedIsTriedAgainWhenAnotherOneHasRun() {
        wish = WISH;
        current = name(WISH);
        generations.add(name(WISH));
        outcomes.put(name(WISH), "confirmed");
        outcomes.put("base", "failed its kubelet ended 3 times");
        wish = "";
        expect(State.FAILED, new KubeletAction.Nothing());

        wish = WISH;
        expect(State.RUNNING, new KubeletAction.ForgetFailures(new TreeSet<>(Set.of("base"))));
        outcomes.remove("base");

        wish = "";
        expect(State.TRYING, new KubeletAction.Try("base", true));
    }

    @Test
    void aChangedWishWinsInTheMiddleOfATrial() {
        wish = WISH;
        generations.add(name(WISH));
        generations.add(name(OTHER));
        trial = Optional.of(name(WISH));
        current = name(WISH);

        wish = OTHER;
        expect(State.TRYING, new KubeletAction.Try(name(OTHER), true));

        wish = "";
        expect(State.TRYING, new KubeletAction.Try("base", true));
    }

    /** It is not Ready for the one that was tried, and is to be for the next one. */
    @Test
    void aNodeThatWasReadyBeforeATrialHasToBeAfterTheNextOne() {
        wish = OTHER;
        generations.add(name(WISH));
        generations.add(name(OTHER));
        trial = Optional.of(name(WISH));
        current = name(WISH);
        reports = false;
        expect(State.TRYING, new KubeletAction.Try(name(OTHER), true));

        wasReady = false;
        expect(State.TRYING, new KubeletAction.Try(name(OTHER), false));
    }

    @Test
    void aKubeletThatIsWellAndDoesNotReportIsCondemned() {
        wish = WISH;
        generations.add(name(WISH));
        trial = Optional.of(name(WISH));
        current = name(WISH);
        reports = false;

        wellFor = Optional.of(Duration.ofSeconds(19));
        expect(State.TRYING, new KubeletAction.Nothing());

        wellFor = Optional.of(Duration.ofSeconds(20));
        assertThat(duty().action())
                .isEqualTo(new KubeletAction.Condemn(name(WISH), "its kubelet is well, and its Node is not Ready"));

        wasReady = false;
        expect(State.TRYING, new KubeletAction.Nothing());

        wasReady = true;
        reports = true;
        expect(State.TRYING, new KubeletAction.Nothing());
    }

    @Test
    void whatRunsWellIsNotCondemnedLaterOn() {
        wish = WISH;
        generations.add(name(WISH));
        current = name(WISH);
        reports = false;

        expect(State.RUNNING, new KubeletAction.Nothing());
    }

    @Test
    void aProgramThatIsNotThereIsWaitedFor() {
        wish = "{\"program\":{\"version\":\"v1.21.0\",\"digest\":\"" + DIGEST + "\"}}";
        expect(State.WAITING, new KubeletAction.Nothing());
        assertThat(duty().report().message()).contains(DIGEST);

        programs.add(DIGEST);
        assertThat(duty().action()).isInstanceOf(KubeletAction.Stage.class);
    }

    @Test
    void whatCannotBeHadIsRefusedAndWhatRunsGoesOn() {
        wish = "{\"config\":{\"cgroupDriver\":\"systemd\"}}";
        expect(State.REFUSED, new KubeletAction.Nothing());
        assertThat(duty().report().message()).contains("cgroupDriver cannot be 'systemd'");

        wish = "{\"config\":5}";
        expect(State.REFUSED, new KubeletAction.Nothing());
        assertThat(duty().report().message())
                .isEqualTo(
                        "annotation ouroboros.dev/kubelet config is no object; expected fields of a KubeletConfiguration");
    }

    @Test
    void aNodeOfBeforeSaysHowItIsChanged() {
        base = Optional.empty();
        wish = WISH;
        expect(State.UNMANAGED, new KubeletAction.Nothing());
        assertThat(duty().report().message()).contains("ouro host prepare", "ouro up");
    }

    @Test
    void whereTheNodeIsMadeAnewUnderItWhatIsWishedFollows() throws MalformedJson {
        wish = WISH;
        current = name(WISH);
        generations.add(name(WISH));
        base = Optional.of(new KubeletGeneration(
                "v1.20.3",
                BASE.program(),
                BASE.digest(),
                BASE.config(),
                new TreeMap<>(Map.of("v", "2")),
                Optional.empty(),
                Optional.empty()));

        expect(State.TRYING, new KubeletAction.Stage(KubeletWish.read(WISH).on(base.orElseThrow())));
    }
}
