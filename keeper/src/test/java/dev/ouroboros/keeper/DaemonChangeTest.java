package dev.ouroboros.keeper;

import static dev.ouroboros.api.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.api.testing.FakeApiServer.Fault;
import dev.ouroboros.model.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole keeper when somebody changes the template of the API server's DaemonSet. */
final class DaemonChangeTest {
    private static final String SYSTEM = "/namespaces/kube-system/";
    private static final String SET = "/apis/apps/v1" + SYSTEM + "daemonsets/kube-apiserver";
    private static final String REVISIONS = "/apis/apps/v1" + SYSTEM + "controllerrevisions/";
    private static final String POD = "/api/v1" + SYSTEM + "pods/" + KeeperWorld.POD;
    private static final String OTHER_POD = "/api/v1" + SYSTEM + "pods/kube-apiserver-other";
    private static final String LEASE = "/apis/coordination.k8s.io/v1" + SYSTEM + "leases/ouroboros-change";
    private static final String LIST_OF_SECRETS = "GET /api/v1/namespaces/kube-system/secrets?";

    private Path directory;
    private KeeperWorld world;
    private long generation = 1;

    @BeforeEach
    void begin(@TempDir Path place) throws Exception {
        directory = place;
        world = new KeeperWorld(place);
        world.pod(true);
        Json.Fields set = world.principal.get(SET).orElseThrow();
        Json.Fields spec = (Json.Fields) set.at("spec");
        world.principal.put(
                SET,
                set.with(
                        "spec",
                        spec.with("updateStrategy", Json.object().with("type", Json.text("OnDelete")))
                                .with(
                                        "selector",
                                        Json.object()
                                                .with(
                                                        "matchLabels",
                                                        Json.object().with("k8s-app", Json.text("kube-apiserver"))))));
        takeUp("first");
        // Before the keeper looks: to it a pod without the hash of its template is a change, for which it may take the
        // Lease.
        label("first");
        world.settleWithItsPod();
    }

    @AfterEach
    void end() throws Exception {
        world.close();
    }

    private static Json.Fields labels(Json set) {
        return set.at("spec", "selector", "matchLabels") instanceof Json.Fields labels ? labels : Json.object();
    }

    /** As the DaemonSet controller: writes the template down under a hash. */
    private void takeUp(String hash) {
        Json.Fields set = world.principal.get(SET).orElseThrow();
        Json.Fields metadata = (Json.Fields) set.at("metadata");
        Json.Fields stored =
                world.principal.put(SET, set.with("metadata", metadata.with("generation", Json.number(generation))));
        Json.Fields revision =
                FakeApiServer.object("apps/v1", "ControllerRevision", "kube-system", "kube-apiserver-" + hash);
        Json.Fields owner = Json.object().with("uid", stored.at("metadata", "uid"));
        Json.Fields template = (Json.Fields) stored.at("spec", "template");
        world.principal.put(
                REVISIONS + "kube-apiserver-" + hash,
                revision.with(
                                "metadata",
                                ((Json.Fields) revision.at("metadata"))
                                        .with("ownerReferences", Json.items(Stream.of(owner)))
                                        .with(
                                                "labels",
                                                labels(stored).with("controller-revision-hash", Json.text(hash))))
                        .with("revision", Json.number(generation))
                        .with(
                                "data",
                                Json.object()
                                        .with(
                                                "spec",
                                                Json.object()
                                                        .with(
                                                                "template",
                                                                template.with("$patch", Json.text("replace"))))));
    }

    /** As the DaemonSet controller: the pod was made from the template of this hash. */
    private void label(String hash) {
        Json.Fields pod = world.principal.get(POD).orElseThrow();
        Json.Fields metadata = (Json.Fields) pod.at("metadata");
        world.principal.put(
                POD,
                pod.with(
                        "metadata",
                        metadata.with("labels", Json.object().with("controller-revision-hash", Json.text(hash)))));
    }

    /** As a person with kubectl. */
    private void change(String flag) {
        change(podSpec -> withFlag(podSpec, flag));
    }

    private void change(UnaryOperator<Json.Fields> podSpecs) {
        Json.Fields set = world.principal.get(SET).orElseThrow();
        Json.Fields spec = (Json.Fields) set.at("spec");
        Json.Fields template = (Json.Fields) spec.at("template");
        Json.Fields changed = template.with("spec", podSpecs.apply((Json.Fields) template.at("spec")));
        generation++;
        world.principal.put(
                SET,
                set.with("metadata", ((Json.Fields) set.at("metadata")).with("generation", Json.number(generation)))
                        .with("spec", spec.with("template", changed)));
    }

    private static Json.Fields withFlag(Json.Fields podSpec, String flag) {
        Json.Fields container = (Json.Fields) podSpec.at("containers").items().getFirst();
        List<String> command = Stream.concat(
                        container.at("command").items().stream()
                                .map(word -> word.text().orElseThrow()),
                        Stream.of(flag))
                .toList();
        return podSpec.with("containers", Json.items(Stream.of(container.with("command", Json.texts(command)))));
    }

    private static Json.Fields withVersion(Json.Fields podSpec, String tag) {
        return withImage(podSpec, "localhost/it:" + tag);
    }

    private static Json.Fields withImage(Json.Fields podSpec, String image) {
        Json.Fields container = (Json.Fields) podSpec.at("containers").items().getFirst();
        return podSpec.with("containers", Json.items(Stream.of(container.with("image", Json.text(image)))));
    }

    private Optional<Json.Fields> pod() {
        return world.principal.get(POD);
    }

    private String annotation(String name) {
        return world.principal
                .get(SET)
                .flatMap(set -> set.at("metadata", "annotations", "ouroboros.dev/change-" + name)
                        .text())
                .orElse("");
    }

    private void awaitState(String state) throws Exception {
        try {
            eventually(state, () -> annotation("state").equals(state));
        } catch (AssertionError e) {
            throw new AssertionError(
                    e.getMessage() + "; the keeper: " + world.ask("/state").body() + "; the pod: " + pod(), e);
        }
    }

    /** As kubelet and DaemonSet controller: the pod is gone, its server ends, another pod is made from the template. */
    private void replacePod(String hash) throws IOException, InterruptedException {
        eventually("the pod is deleted", () -> pod().isEmpty());
        world.principal.die();
        world.kubelet.stopped(KeeperWorld.POD);
        Json.Fields template =
                (Json.Fields) world.principal.get(SET).orElseThrow().at("spec", "template");
        world.pod(true);
        Json.Fields made = pod().orElseThrow();
        world.principal.put(
                POD,
                made.with("metadata", ((Json.Fields) made.at("metadata")).with("uid", Json.text("pod-2")))
                        .with("spec", template.at("spec")));
        label(hash);
        world.kubelet.runs(KeeperWorld.POD, "pod-2", "kube-apiserver", true);
        world.principal.listen();
    }

    @Test
    void provesACandidateReplacesThePrincipalUnderItsCoverAndComesToRest() throws Exception {
        Optional<String> before = world.lastGood();
        change("--v=3");
        awaitState("Waiting");
        takeUp("second");
        awaitState("Proving");
        assertThat(world.front.calls()).doesNotContain("understudy");

        replacePod("second");
        assertThat(world.front.calls()).contains("understudy");
        awaitState("Done");

        assertThat(world.front.calls()).endsWith("principal");
        assertThat(world.lastGood()).isNotEqualTo(before);
        assertThat(world.hasUnderstudy()).isFalse();
        assertThat(world.ask("/decisions").body())
                .contains("record-proven", "replace-principal", "CANDIDATE_PROVED", "report-change");
        eventually(
                "the lease is free",
                () -> world.principal
                        .get(LEASE)
                        .flatMap(lease -> lease.at("spec", "holderIdentity").text())
                        .equals(Optional.of("")));
    }

    /** The kubelet pulls it when it starts the candidate, after the checkpoint was saved: a loss of power in between would leave neither it nor the former server. */
    @Test
    void theImageOfACandidateIsArchivedBeforeThePrincipalEnds() throws Exception {
        String pulled = "registry.example/kube-apiserver:v1.20.2-1";
        change(podSpec -> withImage(podSpec, pulled));
        awaitState("Waiting");
        takeUp("second");

        eventually("the pod is deleted", () -> pod().isEmpty());

        assertThat(world.kubelet.archived()).contains(pulled);
    }

    /**
     * After etcd was restored from a backup generations count a second time. Found by the simulator: each new pod was deleted as one of
     * the template before, for ever.
     */
    @Test
    void takesAnotherTemplateOfTheSameGenerationForAnotherOne() throws Exception {
        change("--v=3");
        takeUp("second");
        awaitState("Proving");
        generation--;
        change("--v=4");
        takeUp("third");

        replacePod("third");
        awaitState("Done");

        assertThat(pod()).isPresent();
    }

    @Test
    void leavesThePrincipalAloneWhenTheCandidateDoesNotAnswerEveryQuestion() throws Exception {
        world.understudy.fault(LIST_OF_SECRETS, new Fault.Status(500, Map.of()));
        change("--v=3");
        takeUp("second");
        awaitState("Failed");

        assertThat(annotation("message")).contains("list of Secrets", "500");
        assertThat(pod()).isPresent();
        assertThat(world.front.calls()).doesNotContain("understudy");
        eventually("the candidate is gone", () -> !world.hasUnderstudy());
        assertThat(Files.readString(directory.resolve("state/keeper/change.json")))
                .contains("list of Secrets");
    }

    /** The kubelet keeps the containers of an earlier candidate for a while. */
    @Test
    void doesNotTakeTheEndsOfTheCandidateBeforeForThoseOfThisOne() throws Exception {
        world.kubelet.leftBehind("understudy-kube-apiserver", "kube-apiserver", 5);
        change("--v=3");
        takeUp("second");

        replacePod("second");
        awaitState("Done");
    }

    @Test
    void triesWhatFailedAgainOnlyWhenItIsAskedTo() throws Exception {
        world.understudy.fault(LIST_OF_SECRETS, new Fault.Status(500, Map.of()));
        change("--v=3");
        takeUp("second");
        awaitState("Failed");
        world.understudy.heal();
        world.stopKeeper();
        world.startKeeper();
        eventually("it remembers", () -> world.ask("/state").body().contains("\"state\":\"Failed\""));

        Json.Fields set = world.principal.get(SET).orElseThrow();
        Json.Fields annotations = (Json.Fields) set.at("metadata", "annotations");
        world.principal.put(
                SET,
                set.with(
                        "metadata",
                        ((Json.Fields) set.at("metadata"))
                                .with(
                                        "annotations",
                                        annotations.with("ouroboros.dev/change-retry", Json.text("again")))));
        awaitState("Proving");
    }

    @Test
    void refusesWithTheFieldsPath() throws Exception {
        change("--secure-port=6444");
        takeUp("second");
        awaitState("Refused");

        assertThat(annotation("message")).contains("spec.template.spec.containers[0].command --secure-port");
        assertThat(world.hasUnderstudy()).isFalse();
        eventually(
                "an Event",
                () -> world.principal.requests().stream()
                        .anyMatch(request -> request.startsWith("POST /api/v1/namespaces/kube-system/events")));
    }

    /** Asked for while the change before is on its way: this node's own server could be followed by it, the other node's not. */
    @Test
    void refusesWhatMayNotServeBesideTheServerOfAnotherNode() throws Exception {
        otherServer(podSpec -> withVersion(podSpec, "v1.19.8"));
        change(podSpec -> withVersion(podSpec, "v1.21.0"));
        takeUp("second");
        awaitState("Refused");

        assertThat(annotation("message"))
                .contains("containers[0].image: v1.21.0 is more than one minor version from v1.19.8, beside API server"
                        + " node-2/kube-apiserver-other")
                .contains("delete its Node if it is gone")
                .doesNotContain("jumps over");
        assertThat(world.hasUnderstudy()).isFalse();

        world.principal.delete(OTHER_POD);
        status(1);
        awaitState("Proving");
    }

    @Test
    void goesOnBesideTheServerOfAnotherNodeThatItGetsAlongWith() throws Exception {
        otherServer(podSpec -> withFlag(podSpec, "--v=1"));
        change("--v=3");
        takeUp("second");
        awaitState("Proving");
    }

    /** On another node, made from a template of before. */
    private void otherServer(UnaryOperator<Json.Fields> podSpecs) {
        Json.Fields pod = pod().orElseThrow();
        Json.Fields spec = (Json.Fields) pod.at("spec");
        Json.Fields metadata = (Json.Fields) pod.at("metadata");
        world.principal.put(
                OTHER_POD,
                pod.with(
                                "metadata",
                                metadata.with("name", Json.text("kube-apiserver-other"))
                                        .with("uid", Json.text("pod-other"))
                                        .with(
                                                "labels",
                                                Json.object()
                                                        .with("k8s-app", Json.text("kube-apiserver"))
                                                        .with("controller-revision-hash", Json.text("zeroth"))))
                        .with("spec", podSpecs.apply(spec).with("nodeName", Json.text("node-2"))));
        status(2);
    }

    /** As the DaemonSet controller: one pod is of the present template, of so many. */
    private void status(long nodes) {
        Json.Fields set = world.principal.get(SET).orElseThrow();
        world.principal.put(
                SET,
                set.with(
                        "status",
                        Json.object()
                                .with("observedGeneration", Json.number(generation))
                                .with("desiredNumberScheduled", Json.number(nodes))
                                .with("updatedNumberScheduled", Json.number(1))));
    }

    @Test
    void waitsForTheNodeThatHoldsTheLease() throws Exception {
        heldByAnotherNode(0);
        change("--v=3");
        takeUp("second");

        AtomicInteger looks = new AtomicInteger();
        eventually("it says so", () -> {
            // As its holder does: one that is not renewed is nobody's soon, on a slow machine before it was said.
            if (looks.incrementAndGet() % 100 == 0) {
                heldByAnotherNode(looks.get());
            }
            return annotation("message").contains("node-2");
        });
        assertThat(world.hasUnderstudy()).isFalse();
    }

    private void heldByAnotherNode(int renewals) {
        Json.Fields lease = FakeApiServer.object("coordination.k8s.io/v1", "Lease", "kube-system", "ouroboros-change");
        world.principal.put(
                LEASE,
                lease.with(
                        "spec",
                        Json.object()
                                .with("holderIdentity", Json.text("node-2"))
                                .with("renewTime", Json.text("2026-01-01T00:00:00.%06dZ".formatted(renewals)))));
    }
}
