package dev.ouroboros.status.judge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.status.StatusScene;
import dev.ouroboros.status.model.CheckpointSlots;
import dev.ouroboros.status.model.ComponentHealth.Grade;
import dev.ouroboros.status.model.ComponentStatus;
import dev.ouroboros.status.model.Convergence.Converged;
import dev.ouroboros.status.model.Convergence.Waiting;
import dev.ouroboros.status.model.NodeCheckpoints;
import dev.ouroboros.status.model.NodeCheckpoints.Told;
import dev.ouroboros.status.model.Remark;
import dev.ouroboros.status.model.Slot;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class CheckpointJudgeTest {
    private static final Evidence<CheckpointSlots> TOLD = Evidence.known(new CheckpointSlots(
            Optional.of(new Slot("2e".repeat(32), Optional.of(StatusScene.TOLD_AT.minusSeconds(600)))),
            Optional.empty()));
    private static final Evidence<CheckpointSlots> SAVED = Evidence.known(new CheckpointSlots(
            Optional.of(new Slot("3f".repeat(32), Optional.of(StatusScene.NOW.minusSeconds(600)))), Optional.empty()));

    private final StatusScene scene = new StatusScene();

    private Optional<Evidence<List<NodeCheckpoints>>> checkpoints(String component) {
        return scene.report().components().stream()
                .filter(each -> each.name().equals(component))
                .findFirst()
                .flatMap(ComponentStatus::checkpoints);
    }

    private List<NodeCheckpoints> apiServers() {
        return checkpoints("kube-apiserver").orElseThrow().orElse(List.of());
    }

    private static NodeCheckpoints own(Evidence<CheckpointSlots> slots) {
        return new NodeCheckpoints("one", slots, Optional.empty());
    }

    private static NodeCheckpoints told(String node, Evidence<CheckpointSlots> slots, String doubt) {
        return new NodeCheckpoints(node, slots, Optional.of(new Told(Optional.of(StatusScene.TOLD_AT), doubt)));
    }

    private String reason(String node) {
        return apiServers().stream()
                .filter(each -> each.node().equals(node))
                .map(NodeCheckpoints::slots)
                .map(slots -> slots instanceof Unknown<CheckpointSlots>(String why) ? why : slots.toString())
                .findFirst()
                .orElse("not there");
    }

    private List<String> remarks() {
        return scene.report().remarks().stream()
                .map(remark -> remark.about() + ": " + remark.text())
                .toList();
    }

    @Test
    void knowsOfOtherNodesWhatTheirKeepersSay() {
        scene.another("two", Optional.of(StatusScene.told(StatusScene.API_SERVER)));
        assertThat(apiServers()).containsExactly(own(SAVED), told("two", TOLD, ""));
        assertThat(remarks()).isEmpty();
        assertThat(scene.report().convergence()).isEqualTo(new Converged());
    }

    @Test
    void doubtsWhatNoKeeperThatWorksStandsFor() {
        scene.node("two", true, Optional.of(StatusScene.told(StatusScene.API_SERVER)))
                .podOn("two", StatusScene.API_SERVER, true)
                .podOn("two", StatusScene.KEEPER, false)
                .copyOfTheKeeperOn("two");
        assertThat(apiServers()).containsExactly(own(SAVED), told("two", TOLD, "no keeper is ready on two"));
    }

    /** As on a node that the API tells nothing new of: the copy works alone. */
    @Test
    void believesTheKeepersCopyWhereItStandsAlone() {
        scene.node("two", true, Optional.of(StatusScene.told(StatusScene.API_SERVER)))
                .podOn("two", StatusScene.API_SERVER, true)
                .copyOfTheKeeperOn("two");
        assertThat(apiServers()).containsExactly(own(SAVED), told("two", TOLD, ""));
    }

    @Test
    void saysWhichCheckpointItsNodeCannotRead() {
        String told = StatusScene.told(StatusScene.SCHEDULER)
                .replace(
                        "\"components\":{",
                        "\"components\":{\"kube-system/kube-apiserver\":{\"unknown\":\"is torn\"},");
        scene.another("two", Optional.of(told));
        assertThat(apiServers()).containsExactly(own(SAVED), told("two", Evidence.unknown("is torn"), ""));
    }

    @Test
    void believesTheDiskOfThisNodeBeforeWhatItsKeeperSaid() {
        scene.node("one", true, Optional.of(StatusScene.told(StatusScene.API_SERVER)))
                .podOn("one", StatusScene.KEEPER, true);
        assertThat(apiServers()).containsExactly(own(SAVED));
    }

    @Test
    void believesTheKeeperWhereTheDiskMayNotBeRead() {
        scene.node("one", true, Optional.of(StatusScene.told(StatusScene.API_SERVER)))
                .podOn("one", StatusScene.KEEPER, true)
                .diskCannotBeRead("permission denied");
        assertThat(apiServers()).containsExactly(told("one", TOLD, ""));
        scene.node("one", true, Optional.of("nonsense"));
        assertThat(apiServers()).containsExactly(own(Evidence.unknown("permission denied")));
    }

    /** What is torn on the disk is not made whole by what was said before. */
    @Test
    void doesNotHideATornCheckpointBehindWhatWasSaid() {
        scene.node("one", true, Optional.of(StatusScene.told(StatusScene.API_SERVER)))
                .podOn("one", StatusScene.KEEPER, true)
                .tornCheckpoint(StatusScene.API_SERVER, "slots.json: is torn");
        assertThat(apiServers()).containsExactly(own(Evidence.unknown("slots.json: is torn")));
    }

    @Test
    void knowsThemWhereNoNodeIsSeen() {
        scene.node("one", true, Optional.of(StatusScene.told(StatusScene.API_SERVER)))
                .daemonSet(StatusScene.KEEPER, "v1", "")
                .podOn("one", StatusScene.KEEPER, true)
                .noNode();
        assertThat(apiServers()).containsExactly(told("one", TOLD, ""));
        assertThat(checkpoints("kube-scheduler"))
                .as("a pod of it is there, and nothing is told of it")
                .contains(Evidence.known(List.of(
                        told("one", Evidence.known(new CheckpointSlots(Optional.empty(), Optional.empty())), ""))));
        assertThat(remarks()).contains("kube-scheduler: no checkpoint: it would not come back after a power cut");
    }

    /** As after {@code change remove-keeper}: no keeper can explain anything. */
    @Test
    void whereNoKeeperIsItsWayBackIsNamed() {
        scene.slots(StatusScene.SCHEDULER, Optional.empty(), Optional.empty()).keeperIsAway("connection refused");

        assertThat(scene.report().remarks()).anySatisfy(remark -> {
            assertThat(remark.text())
                    .isEqualTo("no checkpoint, and no keeper: it would not come back after a power cut");
            assertThat(remark.next()).startsWith("ouro up");
        });
    }

    @Test
    void saysWhyNothingIsKnownOfANode() {
        scene.another("two", Optional.empty())
                .another("three", Optional.of("{\"format\": 7}"))
                .another("four", Optional.of("nonsense"))
                .another("gone", Optional.empty())
                .noNodeObject("gone");
        assertThat(reason("two")).isEqualTo("no keeper has said so on Node two (annotation ouroboros.dev/checkpoints)");
        assertThat(reason("three"))
                .isEqualTo("annotation ouroboros.dev/checkpoints of Node three has format 7; known is format 1");
        assertThat(reason("four")).startsWith("annotation ouroboros.dev/checkpoints of Node four is not JSON: ");
        assertThat(reason("gone")).isEqualTo("there is no Node gone");
        assertThat(remarks()).as("what is only unknown is no problem").isEmpty();
        assertThat(scene.report().convergence()).isEqualTo(new Converged());
    }

    @Test
    void saysThatTheNodesAreNotKnown() {
        scene.another("two", Optional.of(StatusScene.told(StatusScene.API_SERVER)))
                .nodesAreUnknown("nodes is forbidden");
        assertThat(reason("two")).isEqualTo("the Nodes are not known: nodes is forbidden");
    }

    /** A worker may have a pod of what asks for a checkpoint, and has no keeper. */
    @Test
    void namesNoNodeWhereNoKeeperIsOrShouldBe() {
        scene.node("worker", true, Optional.empty()).podOn("worker", StatusScene.API_SERVER, true);
        assertThat(apiServers()).extracting(NodeCheckpoints::node).containsExactly("one");
    }

    @Test
    void doubtsAKeeperThatIsNotThereToSayOtherwise() {
        scene.node("two", false, Optional.of(StatusScene.told(StatusScene.API_SERVER)))
                .podOn("two", StatusScene.KEEPER, true)
                .node("three", true, Optional.of(StatusScene.told(StatusScene.API_SERVER)))
                .podOn("three", StatusScene.KEEPER, false)
                .node("four", true, Optional.of(StatusScene.told(StatusScene.API_SERVER)));
        assertThat(apiServers())
                .containsExactly(
                        told("four", TOLD, "no keeper is ready on four"),
                        own(SAVED),
                        told("three", TOLD, "no keeper is ready on three"),
                        told("two", TOLD, "Node two is not ready"));
        assertThat(remarks())
                .contains(
                        "checkpoints of two: as its keeper said last, 2026-03-01T02:00:00Z: Node two is not ready",
                        "checkpoints of four: as its keeper said last, 2026-03-01T02:00:00Z: no keeper is ready on four");
    }

    @Test
    void waitsForWhatAnotherNodeHasNotProvenAndForNothingThatNobodyKeepsUp() {
        String candidate = StatusScene.told(StatusScene.API_SERVER).replace("lastGood", "candidate");
        scene.another("two", Optional.of(candidate));
        assertThat(scene.report().convergence())
                .isEqualTo(new Waiting("kube-apiserver: its checkpoint on two is not last-good yet"));
        assertThat(scene.report().remarks())
                .containsExactly(
                        new Remark(Grade.MOVING, "kube-apiserver", "its checkpoint on two is not proven yet", ""));

        StatusScene without = new StatusScene().node("two", true, Optional.of(candidate));
        assertThat(without.report().convergence()).isEqualTo(new Converged());
    }

    /** Its pod lives on one. What it saved on two while it was there, nothing there will ever prove. */
    @Test
    void waitsForNoProofOnANodeThatTheComponentHasLeft() {
        String candidateOfTheLast = StatusScene.told(StatusScene.API_SERVER, StatusScene.SCHEDULER)
                .replaceFirst("(.*)lastGood", "$1candidate");
        scene.another("two", Optional.of(candidateOfTheLast));
        assertThat(scene.report().convergence()).isEqualTo(new Converged());

        scene.podOn("two", StatusScene.SCHEDULER, true);
        assertThat(scene.report().convergence())
                .isEqualTo(new Waiting("kube-scheduler: its checkpoint on two is not last-good yet"));
    }

    @Test
    void saysThatAClockIsAhead() {
        scene.another(
                "two", Optional.of(StatusScene.told(StatusScene.API_SERVER).replace("T02:00:00Z", "T04:00:00Z")));
        assertThat(remarks())
                .containsExactly("checkpoints of two: of 2026-03-01T04:00:00Z, which is yet to come:"
                        + " its clock was ahead of what this one's is now, and ages are too small");
    }
}
