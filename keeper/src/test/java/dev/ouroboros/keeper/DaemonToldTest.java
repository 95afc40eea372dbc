package dev.ouroboros.keeper;

import static dev.ouroboros.api.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.testing.FakeApiServer.Fault;
import dev.ouroboros.keeper.decide.CheckpointSummary;
import dev.ouroboros.keeper.decide.CheckpointSummary.Slot;
import dev.ouroboros.keeper.decide.CheckpointSummary.Told;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the whole keeper says on its Node of the checkpoints on its disk, and how often. */
final class DaemonToldTest {
    private static final String NODE = "/api/v1/nodes/" + KeeperWorld.NODE;
    private static final ComponentName API_SERVER = new ComponentName("kube-system", "kube-apiserver");
    /** Enough of them, after what was to be decided on was seen, for one to show that it decides otherwise. */
    private static final int MANY = 3;

    private KeeperWorld world;

    @BeforeEach
    void begin(@TempDir Path directory) throws Exception {
        world = new KeeperWorld(directory);
    }

    @AfterEach
    void end() throws Exception {
        world.close();
    }

    private Optional<String> annotation() {
        return world.principal
                .get(NODE)
                .flatMap(node -> node.at("metadata", "annotations", CheckpointSummary.ANNOTATION)
                        .text());
    }

    private Optional<Slot> told() {
        Optional<Evidence<Told>> told = annotation().map(CheckpointSummary::read);
        return told.isPresent() && told.get() instanceof Evidence.Known<Told>(Told known)
                ? Optional.ofNullable(known.summary().components().get(API_SERVER))
                        .flatMap(CheckpointSummary.Saved::lastGood)
                : Optional.empty();
    }

    private boolean isLastGoodTold() {
        return told().map(slot -> slot.revision().digest()).equals(world.lastGood());
    }

    private void annotate(Json value) {
        Json.Fields node = world.principal.get(NODE).orElseThrow();
        Json.Fields annotations = Json.object().with(CheckpointSummary.ANNOTATION, value);
        world.principal.put(
                NODE, node.with("metadata", ((Json.Fields) node.at("metadata")).with("annotations", annotations)));
    }

    private long writes() {
        return world.principal.requests().stream()
                .filter(request -> request.startsWith("PATCH " + NODE))
                .count();
    }

    private long decisions() {
        return world.ask("/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith("ouroboros_keeper_decisions_total "))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(line.indexOf(' ') + 1)))
                .sum();
    }

    private void decideOften() throws InterruptedException {
        long before = decisions();
        eventually("many decisions", () -> decisions() >= before + MANY);
    }

    @Test
    void tellsOnceWhatIsSavedAndSinceWhen() throws Exception {
        Instant begin = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        world.settle();
        eventually("told", this::isLastGoodTold);
        long writes = writes();

        decideOften();

        assertThat(writes())
                .as("a candidate, last-good, and no more")
                .isEqualTo(writes)
                .isLessThanOrEqualTo(2);
        assertThat(told().flatMap(Slot::savedAt))
                .hasValueSatisfying(savedAt -> assertThat(savedAt).isBetween(begin, Instant.now()));
        assertThat(world.ask("/decisions").body())
                .contains("publish-checkpoints")
                .contains("NODE_TELLS_OTHERWISE");
    }

    @Test
    void tellsOfAChange() throws Exception {
        world.settle();
        eventually("told", this::isLastGoodTold);
        Optional<String> before = world.lastGood();

        world.secret("key", "second");

        eventually("the new one is proven", () -> !world.lastGood().equals(before));
        eventually("and told", this::isLastGoodTold);
    }

    @Test
    void tellsAgainWhatSomebodyElseWroteOverOrRemoved() throws Exception {
        world.settle();
        eventually("told", this::isLastGoodTold);
        annotate(Json.text("nonsense"));
        eventually("told again", this::isLastGoodTold);
        annotate(Json.absent());
        eventually("and again", this::isLastGoodTold);
    }

    @Test
    void tellsThatACheckpointCannotBeRead() throws Exception {
        world.settle();
        eventually("told", this::isLastGoodTold);
        world.stopKeeper();
        Path slots = world.directory.resolve("state/checkpoints/kube-system/kube-apiserver/slots.json");
        Files.writeString(slots, "torn");

        world.startKeeper();
        eventually(
                "told",
                () -> annotation()
                        .filter(text -> text.contains("\"unknown\":\"") && text.contains("slots.json"))
                        .isPresent());
        long writes = writes();
        decideOften();

        assertThat(writes()).isEqualTo(writes);
    }

    @Test
    void saysNothingAnyMoreWhenItWasRemoved() throws Exception {
        world.settle();
        eventually("told", this::isLastGoodTold);

        world.principal.delete("/apis/apps/v1/namespaces/kube-system/daemonsets/ouroboros-keeper");
        eventually("it ends", () -> !world.keeperRuns());

        assertThat(annotation()).isEmpty();
        assertThat(world.lastGood()).isEmpty();
    }

    @Test
    void tellsLaterWhatNoApiServerTook() throws Exception {
        world.principal.fault("PATCH " + NODE, new Fault.Status(500, Map.of()));
        world.settle();
        eventually(
                "it tries",
                () -> world.state().at("failing").fields().keySet().stream()
                        .anyMatch(action -> action.startsWith("publish-checkpoints")));
        assertThat(annotation()).isEmpty();

        world.principal.heal();

        eventually("told", this::isLastGoodTold);
    }
}
