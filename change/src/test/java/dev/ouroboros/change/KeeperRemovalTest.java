package dev.ouroboros.change;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.decide.ChangeReport;
import dev.ouroboros.keeper.decide.CheckpointSummary;
import dev.ouroboros.model.component.KeeperObjects;
import dev.ouroboros.model.component.NodeAgentObjects;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import dev.ouroboros.node.testing.ModelDisk;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class KeeperRemovalTest {
    private static final String PODS = "/api/v1/namespaces/kube-system/pods/";
    private static final String SECRETS = "/api/v1/namespaces/kube-system/secrets/";
    private static final String KEEPER = "/apis/apps/v1/namespaces/kube-system/daemonsets/ouroboros-keeper";
    private static final String NODE = "/api/v1/nodes/one";

    private final FakeCluster cluster = new FakeCluster();
    private final ModelDisk disk = new ModelDisk();
    private final List<String> said = new ArrayList<>();
    private Duration settling = Duration.ofNanos(-1);
    private Runnable agentIsWaitedFor = () -> {};

    @BeforeEach
    void aClusterWithAKeeper() {
        put(FakeCluster.DAEMON_SET, "kube-apiserver", "'status': {'desiredNumberScheduled': 1, 'numberReady': 1}");
        put(KEEPER, "ouroboros-keeper", "'spec': {}");
        put(PODS + "ouroboros-keeper-one", "ouroboros-keeper-one", keeperPod());
        put(PODS + "kube-apiserver-x", "kube-apiserver-x", "'spec': {'containers': [{'name': 'kube-apiserver'}]}");
        put(SECRETS + "ouroboros-keeper-0a1b", "ouroboros-keeper-0a1b", "'data': {}");
        put(SECRETS + "kube-apiserver-0a1b", "kube-apiserver-0a1b", "'data': {}");
        put(NODE, "one", "'spec': {}");
        annotate(NODE, CheckpointSummary.ANNOTATION, "{}");
        annotate(FakeCluster.DAEMON_SET, ChangeReport.STATE_ANNOTATION, "Done");
        for (String path : KeeperObjects.paths()) {
            put(path, path.substring(path.lastIndexOf('/') + 1), "'rules': []");
        }
    }

    @Test
    void everythingOfTheKeeperGoesAndNothingElse() {
        assertThat(removal(this::keeperGoes).run()).containsExactly("one");

        assertThat(cluster.objects)
                .containsOnlyKeys(
                        FakeCluster.DAEMON_SET, NODE, PODS + "kube-apiserver-x", SECRETS + "kube-apiserver-0a1b");
        assertThat(annotation(FakeCluster.DAEMON_SET, ChangeReport.STATE_ANNOTATION))
                .isEmpty();
    }

    /** A keeper without rights does not know that it is not wanted. */
    @Test
    void itsRightsStayUntilItIsGone() {
        Runnable waiting = () -> {
            assertThat(cluster.objects).containsKeys(KeeperObjects.paths().toArray(String[]::new));
            assertThat(cluster.objects)
                    .containsKey(SECRETS + "ouroboros-keeper-0a1b")
                    .doesNotContainKey(KEEPER);
            keeperGoes();
        };

        removal(waiting).run();

        assertThat(said).anyMatch(line -> line.contains("Pod kube-system/ouroboros-keeper-one, Node one"));
    }

    /** Its static copy asks the API whether it is wanted: without rights it would stay for ever. */
    @Test
    void rightsOfAgentsStayUntilNoneIsLeftOnANodeThatIsReady() {
        for (String path : NodeAgentObjects.paths()) {
            put(path, path.substring(path.lastIndexOf('/') + 1), "'rules': []");
        }
        put("/api/v1/nodes/two", "two", "'status': {'conditions': [{'type': 'Ready', 'status': 'True'}]}");
        put("/api/v1/nodes/three", "three", "'status': {'conditions': [{'type': 'Ready', 'status': 'Unknown'}]}");
        putAgent("two");
        putAgent("three");
        List<Integer> rightsWhileItWaited = new ArrayList<>();
        agentIsWaitedFor = () -> {
            rightsWhileItWaited.add((int) NodeAgentObjects.rights().stream()
                    .filter(path -> cluster.objects.containsKey(path))
                    .count());
            assertThat(cluster.objects)
                    .doesNotContainKey(NodeAgentObjects.paths().getFirst());
            cluster.objects.remove(PODS + "ouroboros-node-agent-two");
        };

        removal(this::keeperGoes).run();

        assertThat(rightsWhileItWaited)
                .containsExactly(NodeAgentObjects.rights().size());
        assertThat(cluster.objects)
                .doesNotContainKeys(NodeAgentObjects.rights().toArray(String[]::new))
                .containsKey(PODS + "ouroboros-node-agent-three");
    }

    /** A static copy has the label of understudies, and stands in for nothing that clients need. */
    private void putAgent(String node) {
        String name = "ouroboros-node-agent-" + node;
        cluster.put(
                PODS + name,
                FakeCluster.json("{'metadata': {'name': '" + name
                        + "', 'uid': 'u', 'labels': {'ouroboros.dev/understudy': 'x'}}, 'spec': {'nodeName': '" + node
                        + "', 'containers': [{'name': 'ouroboros-node-agent'}]}}"));
    }

    @Test
    void oneThatWasKilledGoesOn() {
        cluster.objects.remove(KEEPER);
        keeperGoes();
        cluster.objects.remove(KeeperObjects.paths().getFirst());

        assertThat(removal(() -> {}).run()).isEmpty();
        assertThat(cluster.objects).hasSize(4);
    }

    @Test
    void theNodeAtHandIsCleanedAndTheOthersAreNamed() {
        disk.tamper(Path.of("/node/var/lib/ouroboros/keeper/state"), "", Disk.OWNER_ONLY_FILE);

        assertThat(removal(this::keeperGoes).run(() -> List.of(remains("one"))))
                .isEqualTo(new KeeperRemoval.Removed(List.of("one"), List.of(), false));
        assertThat(disk.list(Path.of("/node/var/lib/ouroboros"))).isEmpty();

        aClusterWithAKeeper();
        assertThat(removal(this::keeperGoes).run(() -> List.of(remains("two"))))
                .isEqualTo(new KeeperRemoval.Removed(List.of(), List.of("one"), false));
    }

    @Test
    void everyNodeAtHandIsCleaned() {
        put(PODS + "ouroboros-keeper-two", "ouroboros-keeper-two", keeperPod().replace("'one'", "'two'"));
        put("/api/v1/nodes/two", "two", "'spec': {}");
        Runnable meanwhile = () -> {
            cluster.objects.remove(PODS + "ouroboros-keeper-two");
            keeperGoes();
        };

        assertThat(removal(meanwhile).run(() -> List.of(remains("one"), remains("two"))))
                .isEqualTo(new KeeperRemoval.Removed(List.of("one", "two"), List.of(), true));
    }

    @Test
    void whatTheNodeStillHasOfAKeeperIsNamed() {
        disk.tamper(Path.of("/node/etc/kubernetes/manifests/ouroboros-keeper-one.yaml"), "", Disk.OWNER_ONLY_FILE);

        Refusal.of(() -> removal(this::keeperGoes).run(() -> List.of(remains("one"))), ErrorCode.COMPONENT_FAILED)
                .lineContains("still has of the keeper: /etc/kubernetes/manifests/ouroboros-keeper-one.yaml");
    }

    private KeeperRemains remains(String node) {
        Processes noFront = new Processes() {
            @Override
            public Result run(Command command) {
                return new Result(command.describe(), 1, "", "No such file or directory");
            }

            @Override
            public Result stream(Command command, Consumer<String> line) {
                return run(command);
            }

            @Override
            public int attach(Command command) {
                return 1;
            }
        };
        return new KeeperRemains(node, disk, noFront, Path.of("/node"), List.of());
    }

    @Test
    void isRefusedWhileAnUnderstudyStandsIn() {
        putUnderstudy();

        requireRefused("Pod kube-system/kube-scheduler-one");
    }

    /** Seen on 1.20.2: the control plane was at rest, and the mirror pod of an understudy was listed for some seconds more. */
    @Test
    void anUnderstudyThatIsOnlyStillListedIsWaitedFor() {
        putUnderstudy();
        settling = Duration.ofHours(1);

        assertThat(removal(this::keeperGoes).run()).containsExactly("one");
        assertThat(said).contains("Pod kube-system/kube-scheduler-one: an understudy that is still listed");
    }

    private void putUnderstudy() {
        put(PODS + "kube-scheduler-one", "kube-scheduler-one", "'spec': {'containers': [{'name': 'kube-scheduler'}]}");
        Json.Fields pod = (Json.Fields) cluster.read(PODS + "kube-scheduler-one");
        cluster.put(
                PODS + "kube-scheduler-one",
                pod.with(
                        "metadata",
                        ((Json.Fields) pod.at("metadata"))
                                .with("labels", FakeCluster.json("{'ouroboros.dev/understudy': 'x'}"))));
    }

    @Test
    void isRefusedWhileAChangeIsUnderWay() {
        annotate(FakeCluster.DAEMON_SET, ChangeReport.STATE_ANNOTATION, "Proving");

        requireRefused("a change of it is under way (Proving)");
    }

    @Test
    void isRefusedWithoutAnApiServerThatServes() {
        put(FakeCluster.DAEMON_SET, "kube-apiserver", "'status': {'desiredNumberScheduled': 2, 'numberReady': 1}");

        requireRefused("has 1 of 2 pods ready");
    }

    @Test
    void anApiServerThatIsAwayForAMomentIsAskedAgain() {
        cluster.failures = 1;

        assertThat(removal(this::keeperGoes).run()).containsExactly("one");
    }

    private void requireRefused(String why) {
        int before = cluster.objects.size();
        Refusal.of(() -> removal(() -> {}).run(), ErrorCode.CHANGE_REFUSED).lineContains(why);
        assertThat(cluster.objects).hasSize(before);
    }

    /** @param meanwhile what happens when it is waited for the first time */
    private KeeperRemoval removal(Runnable meanwhile) {
        ProcedureListener listener = new ProcedureListener() {
            @Override
            public void did(String what) {
                said.add(what);
            }

            @Override
            public void waits(String why, Duration since) {
                said.add(why);
                if (why.contains("kube-scheduler-one")) {
                    cluster.objects.remove(PODS + "kube-scheduler-one");
                }
                if (why.contains("ouroboros-node-agent-")) {
                    agentIsWaitedFor.run();
                }
                if (why.contains("ouroboros-keeper-one")) {
                    meanwhile.run();
                }
            }
        };
        return new KeeperRemoval(
                cluster,
                listener,
                new Patience(listener, Duration.ofMinutes(1), Duration.ofMillis(1), InstantSource.system()),
                settling,
                InstantSource.system());
    }

    private void keeperGoes() {
        cluster.objects.remove(PODS + "ouroboros-keeper-one");
        put(NODE, "one", "'spec': {}");
    }

    private static String keeperPod() {
        return "'spec': {'nodeName': 'one', 'containers': [{'name': 'ouroboros-keeper'}]}";
    }

    private void put(String path, String name, String fields) {
        cluster.put(path, FakeCluster.json("{'metadata': {'name': '" + name + "', 'uid': 'u'}, " + fields + "}"));
    }

    private void annotate(String path, String name, String value) {
        Json.Fields object = (Json.Fields) cluster.read(path);
        Json.Fields metadata = (Json.Fields) object.at("metadata");
        cluster.put(
                path,
                object.with(
                        "metadata", metadata.with("annotations", Json.object().with(name, Json.text(value)))));
    }

    private Optional<String> annotation(String path, String name) {
        return cluster.read(path).at("metadata", "annotations", name).text();
    }
}
