package dev.ouroboros.upgrade.apply;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.render.lint.ManifestFile;
import dev.ouroboros.upgrade.decide.Direction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is run beside an upgrade: commands, Jobs, and pods that pull images; and what is said when it goes wrong. */
final class HooksTest {
    private final InstantSource clock = InstantSource.fixed(Instant.parse("2026-11-21T12:00:00Z"));
    private final UpgradeJournal journal = new UpgradeJournal(
            "42",
            Direction.FORWARD,
            "1.20.2",
            "1.21.0",
            clock.instant(),
            List.of(),
            false,
            Set.of(),
            Optional.empty(),
            List.of());
    private static final String JOB = """
            apiVersion: batch/v1
            kind: Job
            metadata: {name: check, namespace: default}
            """;

    @TempDir
    private Path directory = Path.of("");

    private final ModelCluster cluster = new ModelCluster(new Random(0));
    private final List<String> said = new ArrayList<>();
    private final ProcedureListener listener = new ProcedureListener() {
        @Override
        public void did(String what) {
            said.add(what);
        }

        @Override
        public void waits(String why, Duration since) {}
    };

    private Patience patience() {
        return new Patience(listener, Duration.ofHours(1), Duration.ZERO, clock);
    }

    private void run(Optional<String> command, Optional<Path> job) {
        new Hooks(
                        new Hooks.Asked(command, job),
                        new Hooks.Asked(Optional.empty(), Optional.empty()),
                        new LocalDisk(),
                        new LocalProcesses(),
                        cluster,
                        listener,
                        patience(),
                        Duration.ofMinutes(1))
                .run(true, journal);
    }

    private Path job(String text) throws IOException {
        return Files.writeString(directory.resolve("job.yaml"), text);
    }

    private static Json manifest(String text) {
        return ManifestFile.manifests(text, "test").getFirst();
    }

    @Test
    void aCommandThatFailsStopsTheUpgrade() {
        run(Optional.of("echo from $OURO_UPGRADE_FROM to $OURO_UPGRADE_TO"), Optional.empty());
        assertThat(said).contains("  from 1.20.2 to 1.21.0");
        Refusal.of(
                () -> run(Optional.of("exit 3"), Optional.empty()),
                ErrorCode.COMPONENT_FAILED,
                "--pre-hook",
                "ended with exit code 3",
                "nothing was changed: remove the reason and run the same command again");
    }

    @Test
    void aJobIsOneWithAName() throws IOException {
        Path missing = directory.resolve("none.yaml");
        Refusal.of(
                () -> run(Optional.empty(), Optional.of(missing)),
                ErrorCode.NOT_FOUND,
                "--pre-job " + missing,
                "there is no such file",
                "correct the path");
        for (String other : List.of(JOB + "---\n" + JOB, JOB.replace("Job", "Pod"), "kind: Job\n")) {
            Path file = job(other);
            Refusal.of(
                    () -> run(Optional.empty(), Optional.of(file)),
                    ErrorCode.BAD_USAGE,
                    "--pre-job " + file,
                    "is not one Job with a name",
                    "put each Job into a file of its own");
        }
    }

    @Test
    void aJobThatFailedStopsTheUpgrade() throws IOException {
        Path file = job(JOB);
        ended("Complete");
        run(Optional.empty(), Optional.of(file));
        ended("Failed");
        Refusal.of(
                () -> run(Optional.empty(), Optional.of(file)),
                ErrorCode.COMPONENT_FAILED,
                "--pre-job",
                "Job check-42 failed",
                "remove the reason");
    }

    /** The Job as it ended before it is looked at. */
    private void ended(String type) {
        cluster.end(
                manifest(JOB.replace("check", "check-42")),
                Json.object()
                        .with(
                                "conditions",
                                Json.items(List.of(Json.object()
                                                .with("type", Json.text(type))
                                                .with("status", Json.text("True")))
                                        .stream())));
    }

    @Test
    void aJobThatSomebodyDeletesStopsTheUpgrade() throws IOException {
        Path file = job(JOB);
        cluster.forgets = "Job";
        Refusal.of(
                () -> run(Optional.empty(), Optional.of(file)),
                ErrorCode.COMPONENT_FAILED,
                "--pre-job",
                "Job check-42 was deleted",
                "run the same command again");
    }

    @Test
    void anImageThatANodeCannotPullIsNamedBeforeAnythingIsChanged() {
        NamedManifests target = serverThatRunsOn("worker");
        cluster.forgets = "Pod";
        Refusal.of(
                () -> new ImagePulls(cluster, listener, patience()).run(target),
                ErrorCode.COMPONENT_FAILED,
                "node worker",
                "cannot pull an image: its pod was deleted",
                "mend the name of the image in the Cluster document");
    }

    @Test
    void aNodeThatIsOffIsNotWaitedForToPullAnything() {
        NamedManifests target = serverThatRunsOn("off");
        cluster.forgets = "Pod";
        new ImagePulls(cluster, listener, patience()).run(target);
        assertThat(cluster.written).isEmpty();
    }

    private NamedManifests serverThatRunsOn(String node) {
        cluster.set(manifest("""
                apiVersion: v1
                kind: Pod
                metadata: {name: one, namespace: kube-system, labels: {app: server}}
                spec: {nodeName: NODE, containers: [{name: main, image: "registry/server:1"}]}
                """.replace("NODE", node)));
        return NamedManifests.of(Map.of("manifests/server.yaml", """
                apiVersion: apps/v1
                kind: DaemonSet
                metadata: {name: server, namespace: kube-system}
                spec:
                  selector: {matchLabels: {app: server}}
                  template:
                    metadata: {labels: {app: server}}
                    spec: {containers: [{name: main, image: "registry/server:2"}]}
                """));
    }

    private static String scheduler(String image) {
        return """
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: scheduler, namespace: kube-system}
                spec:
                  selector: {matchLabels: {app: scheduler}}
                  template:
                    metadata: {labels: {app: scheduler}}
                    spec:
                      nodeSelector: {node-role.kubernetes.io/master: ""}
                      containers: [{name: main, image: "IMAGE", command: [kube-scheduler]}]
                """.replace("IMAGE", image);
    }

    private void runsOnTheFirstNode(String image) {
        cluster.set(manifest("""
                apiVersion: v1
                kind: Pod
                metadata: {name: one, namespace: kube-system, labels: {app: scheduler}}
                spec: {nodeName: n1, containers: [{name: main, image: "IMAGE"}]}
                """.replace("IMAGE", image)));
    }

    @Test
    void everyNodeThatMayRunALeaderNextPullsItsNewImage() {
        cluster.set(manifest(scheduler("registry/scheduler:1")));
        runsOnTheFirstNode("registry/scheduler:2");
        NamedManifests target =
                NamedManifests.of(Map.of("manifests/scheduler.yaml", scheduler("registry/scheduler:2")));
        cluster.forgets = "Pod";

        Refusal.of(
                () -> new ImagePulls(cluster, listener, patience()).run(target),
                ErrorCode.COMPONENT_FAILED,
                "node n2",
                "cannot pull an image: its pod was deleted",
                "mend the name of the image in the Cluster document");
        assertThat(said).containsExactly("node n2 pulls registry/scheduler:2");
    }

    private static String steward() {
        return scheduler("registry/steward:1")
                .replace("Deployment", "DaemonSet")
                .replace("scheduler", "steward")
                .replace("kube-steward", "steward")
                .replace("nodeSelector", "serviceAccountName: steward\n      nodeSelector");
    }

    /** Else a name that no registry knows would be found when all else is changed. Its ServiceAccount comes with it, and later. */
    @Test
    void nodesPullTheImageOfAWorkloadThatIsNew() {
        cluster.forgets = "Pod";

        Refusal.of(
                () -> new ImagePulls(cluster, listener, patience())
                        .run(NamedManifests.of(Map.of("manifests/steward.yaml", steward()))),
                ErrorCode.COMPONENT_FAILED,
                "node n1",
                "cannot pull an image: its pod was deleted",
                "mend the name of the image in the Cluster document");
        assertThat(said).containsExactly("node n1 pulls registry/steward:1", "node n2 pulls registry/steward:1");
    }

    @Test
    void whatIsNewInANamespaceThatIsNewIsPulledLaterAndThatIsSaid() {
        cluster.lacksNamespace = "kube-system";

        new ImagePulls(cluster, listener, patience())
                .run(NamedManifests.of(Map.of("manifests/steward.yaml", steward())));

        assertThat(said)
                .containsExactly(
                        "node n1 pulls registry/steward:1 later: the namespace kube-system is new",
                        "node n2 pulls registry/steward:1 later: the namespace kube-system is new");
    }

    @Test
    void noOtherNodePullsTheImageThatALeaderHasAlready() {
        cluster.set(manifest(scheduler("registry/scheduler:1")));
        runsOnTheFirstNode("registry/scheduler:1");

        new ImagePulls(cluster, listener, patience())
                .run(NamedManifests.of(Map.of("manifests/scheduler.yaml", scheduler("registry/scheduler:1"))));

        assertThat(said).containsExactly("every node runs the images already that it will need");
    }

    /** As from 1.23 to 1.24: nodes get the new role after the images. */
    @Test
    void nodesThatHaveTheRoleOfBeforePullWhereTheRoleMoves() {
        cluster.set(manifest(scheduler("registry/scheduler:1")));
        runsOnTheFirstNode("registry/scheduler:2");
        cluster.forgets = "Pod";

        Refusal.of(
                () -> new ImagePulls(cluster, listener, patience())
                        .run(NamedManifests.of(Map.of(
                                "manifests/scheduler.yaml",
                                scheduler("registry/scheduler:2").replace("/master", "/control-plane")))),
                ErrorCode.COMPONENT_FAILED,
                "node n2",
                "cannot pull an image: its pod was deleted",
                "mend the name of the image in the Cluster document");
    }

    @Test
    void aJournalThatIsNoneIsNamed() throws IOException {
        Path file = directory.resolve(".ouroboros/upgrade.json");
        Files.createDirectories(file.resolveSibling(""));
        for (String torn : List.of("{", "{}")) {
            Files.writeString(file, torn);
            Refusal.of(
                    () -> new UpgradeJournalFile(new LocalDisk(), directory).read(),
                    ErrorCode.DAMAGED_FILE,
                    file,
                    "cannot be read",
                    "move it away if no upgrade is under way");
        }
    }
}
