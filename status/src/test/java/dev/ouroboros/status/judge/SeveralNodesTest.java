package dev.ouroboros.status.judge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.kubelet.KubeletReport;
import dev.ouroboros.status.StatusScene;
import dev.ouroboros.status.model.Change;
import dev.ouroboros.status.model.ComponentHealth;
import dev.ouroboros.status.model.ComponentStatus;
import dev.ouroboros.status.model.Convergence.Waiting;
import dev.ouroboros.status.model.Remark;
import dev.ouroboros.status.view.DataView;
import dev.ouroboros.status.view.Palette;
import dev.ouroboros.status.view.TextView;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A cluster of which the node that is looked at is one of several. */
final class SeveralNodesTest {
    private static final String RUNS = "[{\"state\": {\"running\": {}}}]";
    private static final String RUNS_AGAIN = "[{\"restartCount\": 1, \"state\": {\"running\": {}}}]";
    private static final String CRASHES = """
            [{"state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}}}]""";
    private static final String CREATED = """
            [{"state": {"waiting": {"reason": "ContainerCreating"}}}]""";

    private final StatusScene scene = new StatusScene();

    private ComponentStatus component(String name) {
        return scene.report().components().stream()
                .filter(component -> component.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static String told(String step) {
        return """
                , "annotations": {"ouroboros.dev/change-state": "%s"}""".formatted(step);
    }

    @Test
    void aNodeWithoutAKeeperTellsWhatItsAgentDoes() {
        scene.agentSays("{\"balancer\": {\"servers\": [\"10.2.0.1:6443\", \"10.2.0.2:6443\"]}}");

        assertThat(scene.report().sources())
                .anySatisfy(source -> {
                    assertThat(source.name()).isEqualTo("node agent");
                    assertThat(source.text())
                            .isEqualTo("node one answers, its clients are led to 10.2.0.1:6443, 10.2.0.2:6443");
                })
                .noneMatch(source -> source.name().equals("keeper"));

        scene.agentSays("{\"balancer\": {\"servers\": [], \"trouble\": \"nft: no such table\"}}");
        assertThat(scene.report().sources()).anySatisfy(source -> {
            assertThat(source.text()).endsWith("led to no API server; nft: no such table");
            assertThat(source.known()).isFalse();
        });
    }

    /** The other two serve, and it does not come back by itself. */
    @ParameterizedTest
    @ValueSource(strings = {RUNS_AGAIN, CRASHES})
    void aServerThatRanAndDoesNotServeIsNotOnItsWay(String containers) {
        scene.node("three", true, Optional.empty());
        scene.daemonSetOnNodes(StatusScene.API_SERVER, 3, 3, 2, "")
                .podOn("two", StatusScene.API_SERVER, true)
                .troubledPodOn("three", StatusScene.API_SERVER, containers);

        assertThat(component("kube-apiserver").health()).isEqualTo(ComponentHealth.bad("2/3 ready"));
        assertThat(scene.report().whatTheControlPlaneLacks())
                .extracting(Remark::about)
                .containsExactly("kube-apiserver");
        assertThat(scene.report().convergence())
                .as("it may still recover: who waits goes on waiting")
                .isInstanceOf(Waiting.class);
    }

    /** Its kubelet says nothing any more, so that its container seems to run. */
    @Test
    void aServerWhoseNodeIsOffIsNotOnItsWay() {
        scene.nodeIsOff("three")
                .daemonSetOnNodes(StatusScene.API_SERVER, 3, 3, 2, "")
                .podOn("two", StatusScene.API_SERVER, true)
                .troubledPodOn("three", StatusScene.API_SERVER, RUNS);

        assertThat(component("kube-apiserver").health()).isEqualTo(ComponentHealth.bad("2/3 ready"));
    }

    /** As on a node that has just joined the control plane: its container runs long before the server serves. */
    @ParameterizedTest
    @ValueSource(strings = {CREATED, RUNS})
    void aServerThatIsStartedForTheFirstTimeIsOnItsWay(String containers) {
        scene.node("three", true, Optional.empty())
                .daemonSetOnNodes(StatusScene.API_SERVER, 3, 3, 2, "")
                .podOn("two", StatusScene.API_SERVER, true)
                .troubledPodOn("three", StatusScene.API_SERVER, containers);

        assertThat(component("kube-apiserver").health()).isEqualTo(ComponentHealth.moving("2/3 ready"));
    }

    /** Its DaemonSet counts the last pod of a change as of the template as soon as it is made. */
    @ParameterizedTest
    @CsvSource({"2, ''", "3, Replacing"})
    void aServerThatIsReplacedIsOnItsWay(int updated, String step) {
        scene.daemonSetOnNodes(StatusScene.API_SERVER, 3, updated, 2, step.isEmpty() ? "" : told(step))
                .podOn("two", StatusScene.API_SERVER, true)
                .troubledPodOn("three", StatusScene.API_SERVER, RUNS);

        assertThat(component("kube-apiserver").health()).isEqualTo(ComponentHealth.moving("2/3 ready"));
    }

    /** As the steward, which begins when all else has. */
    @ParameterizedTest
    @ValueSource(strings = {CREATED, RUNS})
    void anAddOnThatIsStartedForTheFirstTimeIsOnItsWayAsAWhole(String containers) {
        scene.daemonSetOnNodes(StatusScene.STEWARD, 1, 1, 0, "").troubledPodOn("one", StatusScene.STEWARD, containers);

        assertThat(component("ouroboros-steward").health()).isEqualTo(ComponentHealth.moving("not ready"));
    }

    @Test
    void thatNoneIsReadyIsAProblemWhateverItIsAbout() {
        scene.daemonSetOnNodes(StatusScene.KEEPER, 2, 2, 0, "").troubledPodOn("two", StatusScene.KEEPER, CREATED);

        assertThat(component("ouroboros-keeper").health()).isEqualTo(ComponentHealth.bad("0/2 ready"));
    }

    @Test
    void namesTheNodeOfEachPodThatIsNotReady() {
        scene.daemonSetOnNodes(StatusScene.API_SERVER, 3, 3, 1, "")
                .troubledPodOn("two", StatusScene.API_SERVER, RUNS)
                .troubledPodOn("three", StatusScene.API_SERVER, CRASHES);

        assertThat(component("kube-apiserver").waitsFor())
                .isEqualTo("three: CrashLoopBackOff: back-off 5m0s; two: not ready");
        assertThat(scene.report().convergence())
                .isEqualTo(new Waiting("kube-system/kube-apiserver: 1 of 3 pods are ready"
                        + " (three: CrashLoopBackOff: back-off 5m0s; two: not ready)"));
    }

    @Test
    void saysOfEachNodeWhatIsWrongWithIt() {
        scene.nodeIsOff("three").diskPressure().nodeIsOff("two");

        ComponentStatus kubelet = component("kubelet");
        assertThat(kubelet.health()).isEqualTo(ComponentHealth.bad("1/3 ready, DiskPressure"));
        assertThat(kubelet.waitsFor())
                .isEqualTo("one: kubelet has disk pressure; three: Kubelet stopped posting node status.;"
                        + " two: Kubelet stopped posting node status.");
    }

    @Test
    void namesANodeOfWhichNobodySaysWhyItIsNotReady() {
        scene.node("two", false, Optional.empty());

        assertThat(component("kubelet").waitsFor()).isEqualTo("two: not ready");
    }

    @Test
    void namesTheNodeThatWentBackToItsFormerKubelet() {
        scene.kubelet("two", KubeletReport.State.FAILED).kubelet("three", KubeletReport.State.TRYING);

        assertThat(component("kubelet").health()).isEqualTo(ComponentHealth.good("3/3 ready"));
        assertThat(scene.report().remarks())
                .contains(
                        new Remark(
                                ComponentHealth.Grade.BAD,
                                "kubelet",
                                "node two has gone back to the former one: it ended three times",
                                "ouro kubelet rollback takes the wish back; ouro kubelet set --again tries it once more"),
                        new Remark(
                                ComponentHealth.Grade.MOVING,
                                "kubelet",
                                "node three tries another one: it ended three times",
                                ""));
    }

    @Test
    void saysOnWhichNodeNoKubeletRuns() {
        scene.another("two", Optional.empty()).kubeletIsDead();

        assertThat(component("kubelet").health()).isEqualTo(ComponentHealth.bad("does not run on one"));
    }

    @ParameterizedTest
    @CsvSource({
        "Proving, Waiting, two: Proving, believes the node that is at it",
        "Failed, Waiting, two: Failed, believes the node on which it failed",
        "Waiting, Proving, one: Proving, believes the node that is looked at when it is at it",
        "Waiting, None, two: Waiting, believes the annotation when this node has no change",
    })
    void aChangeIsOfTheNodeThatIsAtIt(String annotated, String here, String told, String because) {
        scene.daemonSetOnNodes(StatusScene.API_SERVER, 3, 0, 3, changeOf("two", annotated))
                .change("{\"state\": \"%s\", \"message\": \"\", \"progress\": \"\"}".formatted(here));

        assertThat(scene.report().changes())
                .as(because)
                .extracting(change -> change.node() + ": " + change.step())
                .containsExactly(told);
        assertThat(DataView.of(scene.report()).at("/changes/0/node").asText()).isEqualTo(told.substring(0, 3));
    }

    /** It says how far the change is, which no annotation does. */
    @Test
    void aKeeperIsBelievedRatherThanItsOwnAnnotation() {
        scene.daemonSetOnNodes(StatusScene.API_SERVER, 3, 0, 3, changeOf("one", "Waiting"))
                .change("{\"state\": \"Waiting\", \"message\": \"its turn\", \"progress\": \"2 s of 10 s\"}");

        assertThat(scene.report().changes()).extracting(Change::message).containsExactly("its turn; 2 s of 10 s");
    }

    @Test
    void peopleAreToldOnWhichNodeAChangeIs() {
        scene.daemonSetOnNodes(StatusScene.API_SERVER, 3, 0, 3, changeOf("two", "Proving"));
        assertThat(TextView.of(scene.report(), Palette.PLAIN, false))
                .contains("change:  kube-apiserver: Proving on two\n");
        assertThat(scene.report().convergence()).isEqualTo(new Waiting("kube-system/kube-apiserver: Proving on two: "));

        scene.daemonSetOnNodes(StatusScene.API_SERVER, 3, 0, 3, changeOf("two", "Failed"));
        assertThat(scene.report().remarks()).extracting(Remark::text).contains("change Failed on two: ");
    }

    @Test
    void whereThereIsOneNodeItIsNotNamed() {
        scene.daemonSetOnNodes(StatusScene.API_SERVER, 1, 0, 1, changeOf("one", "Proving"));
        assertThat(TextView.of(scene.report(), Palette.PLAIN, false)).contains("change:  kube-apiserver: Proving\n");
    }

    private static String changeOf(String node, String step) {
        return """
                , "annotations": {"ouroboros.dev/change-state": "%s", "ouroboros.dev/change-node": "%s"}""".formatted(step, node);
    }
}
