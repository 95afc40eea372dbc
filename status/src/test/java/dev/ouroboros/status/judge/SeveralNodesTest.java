package dev.ouroboros.status.judge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.status.StatusScene;
import dev.ouroboros.status.model.ComponentHealth;
import dev.ouroboros.status.model.ComponentStatus;
import dev.ouroboros.status.model.Convergence.Waiting;
import dev.ouroboros.status.model.Remark;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A cluster of which the node that is looked at is one of several. */
final class SeveralNodesTest {
    private static final String RUNS = "[{\"state\": {\"running\": {}}}]";
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

    /** The other two serve, and it does not come back by itself. */
    @ParameterizedTest
    @ValueSource(strings = {RUNS, CRASHES})
    void aServerThatRanAndDoesNotServeIsNotOnItsWay(String containers) {
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

    @Test
    void aServerThatIsStartedForTheFirstTimeIsOnItsWay() {
        scene.daemonSetOnNodes(StatusScene.API_SERVER, 3, 3, 2, "")
                .podOn("two", StatusScene.API_SERVER, true)
                .troubledPodOn("three", StatusScene.API_SERVER, CREATED);

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

    @Test
    void thatNoneIsReadyIsAProblemWhateverItIsAbout() {
        scene.daemonSetOnNodes(StatusScene.KEEPER, 2, 2, 0, "").troubledPodOn("two", StatusScene.KEEPER, CREATED);

        assertThat(component("ouroboros-keeper").health()).isEqualTo(ComponentHealth.bad("0/2 ready"));
    }
}
