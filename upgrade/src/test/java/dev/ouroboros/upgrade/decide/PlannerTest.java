package dev.ouroboros.upgrade.decide;

import static dev.ouroboros.upgrade.decide.PlanFinding.Severity.BLOCKING;
import static dev.ouroboros.upgrade.decide.PlanFinding.Severity.UNKNOWN;
import static dev.ouroboros.upgrade.decide.PlanFinding.Severity.WARNING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.upgrade.decide.ClusterSeen.DeprecatedRequest;
import dev.ouroboros.upgrade.decide.ClusterSeen.Expiry;
import dev.ouroboros.upgrade.decide.ClusterSeen.Stored;
import dev.ouroboros.upgrade.merge.Conflict;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

final class PlannerTest {
    private final UpgradeScene scene = new UpgradeScene();

    @Test
    void plansTheUpgradeOfAClusterThatIsWell() {
        UpgradePlan plan = scene.plan();

        assertThat(plan.isBlocked()).as("%s", plan.findings()).isFalse();
        assertThat(plan.steps().stream().map(PlanStep::kind))
                .containsExactly(
                        PlanStep.Kind.SNAPSHOT,
                        PlanStep.Kind.IMAGES,
                        PlanStep.Kind.ASSETS,
                        PlanStep.Kind.SHARED_OBJECTS,
                        PlanStep.Kind.API_SERVER,
                        PlanStep.Kind.ADD_ONS,
                        PlanStep.Kind.ACCEPTANCE,
                        PlanStep.Kind.KUBELET);
        assertThat(plan.kubelets()).anyMatch(line -> line.contains("--enable-cadvisor-json-endpoints"));
    }

    /** A Deployment that is scaled to none, or whose controller does not run, says that it is at rest. */
    @ParameterizedTest
    @CsvSource({
        "kube-scheduler, 0, False, is scaled to 0, placed nowhere",
        "kube-controller-manager, 0, False, is scaled to 0, nobody would make the pods",
        "kube-scheduler, 1, False, no pod of it is ready, placed nowhere",
        "kube-controller-manager, 1, False, no pod of it is ready, nobody would make the pods",
        "kube-scheduler, 1, True, '', ''",
    })
    void aClusterInWhichNobodyPlacesOrMakesPodsIsNotBegunWith(
            String component, int replicas, String ready, String evidence, String consequence) {
        scene.with("""
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: %1$s, namespace: kube-system, generation: 1}
                spec: {replicas: %2$d, template: {spec: {containers: [{name: %1$s, image: "registry/%1$s:v1.20.2"}]}}}
                status: {observedGeneration: 1, replicas: %2$d, updatedReplicas: %2$d, availableReplicas: %2$d}
                """.formatted(component, replicas), """
                apiVersion: v1
                kind: Pod
                metadata: {name: %1$s-x, namespace: kube-system}
                spec: {nodeName: n1, containers: [{name: %1$s, image: "registry/%1$s:v1.20.2"}]}
                status: {phase: Running, conditions: [{type: Ready, status: "%2$s"}]}
                """.formatted(component, ready));

        if (evidence.isEmpty()) {
            assertThat(scene.blocking()).isEmpty();
        } else {
            assertThat(scene.blocking()).singleElement().satisfies(finding -> {
                assertThat(finding.object()).isEqualTo("Deployment kube-system/" + component);
                assertThat(finding.evidence()).contains(evidence);
                assertThat(finding.consequence()).contains(consequence);
            });
        }
    }

    @Test
    void aWorkerThatIsOffIsNoChangeUnderWayAndHoldsUpNothing() {
        scene.workerWithoutProxy("n2", false, "");

        assertThat(scene.blocking()).isEmpty();
        assertThat(scene.of(WARNING)).anySatisfy(finding -> {
            assertThat(finding.object()).isEqualTo("Node n2");
            assertThat(finding.consequence()).contains("when it is ready again");
        });
    }

    /** The keeper changes one node after the other, and waits for all. */
    @Test
    void aWorkloadThatAKeeperChangesWaitsForANodeThatIsOff() {
        scene.workerWithoutProxy("n2", false, "ouroboros.dev/change-state: Done");

        assertThat(scene.blocking()).singleElement().satisfies(finding -> {
            assertThat(finding.object()).isEqualTo("DaemonSet kube-system/kube-proxy");
            assertThat(finding.evidence()).isEqualTo("no pod of it is ready on n2, which is not ready");
            assertThat(finding.next()).isEqualTo("turn it on, or remove it: kubectl delete node n2");
        });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "true  | ''                                    | a change is under way: 1 of 2 pods are ready",
                "false | ouroboros.dev/change-state: Replacing | a change is under way: Replacing"
            })
    void aPodThatIsNotReadyIsWaitedForWhereItsNodeIsWellOrAChangeIsUnderWay(
            boolean nodeReady, String annotations, String evidence) {
        scene.workerWithoutProxy("n2", nodeReady, annotations);

        assertThat(scene.blocking()).extracting(PlanFinding::evidence).containsExactly(evidence);
    }

    @Test
    void whatSomebodyChangedInTheClusterAtTheSamePlaceStopsIt() {
        ObjectName secret = new ObjectName("", "Secret", "kube-system", "s");
        ObjectName server = new ObjectName("apps", "DaemonSet", "kube-system", "kube-apiserver");
        scene.conflicts = Evidence.known(new TreeMap<>(Map.of(
                server,
                List.of(new Conflict("command --v", Json.text("1"), Json.text("3"), Json.text("2"))),
                secret,
                List.of(new Conflict("data.key", Json.text("a"), Json.text("b"), Json.text("c"))))));

        assertThat(scene.blocking())
                .extracting(PlanFinding::evidence)
                .containsExactly(
                        "command --v was made as 1, is 3 in the cluster, and is to become 2",
                        "data.key was made as (secret), is (secret) in the cluster, and is to become (secret)");
        scene.conflicts = Evidence.unknown("403");
        assertThat(scene.blocking()).isEmpty();
        assertThat(scene.of(UNKNOWN)).anyMatch(finding -> finding.evidence().equals("403"));
    }

    @Test
    void plansNothingForAServerThatDoesNotEvenSayItsVersion() {
        scene.serverAnswers = false;
        assertThatThrownBy(scene::plan)
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        failure -> assertThat(failure.problems())
                                .containsExactly(new Problem(
                                        ErrorCode.API_UNAVAILABLE,
                                        "kube-apiserver",
                                        "no API server says its version",
                                        "",
                                        "ouro status")));
    }

    /** What is wrong with a cluster, how bad that is, what it is about, and a word of the evidence. */
    static Stream<Arguments> findings() {
        return Stream.of(
                row(
                        BLOCKING,
                        "route",
                        "kube-apiserver",
                        "more than one minor version",
                        scene -> scene.target = "1.22.1"),
                row(BLOCKING, "route", "kube-apiserver", "is older", scene -> {
                    scene.target = "1.20.0";
                    scene.server = UpgradeScene.version("1.21.0");
                }),
                row(WARNING, "skew", "kube-apiserver", "is older", scene -> scene.target = "1.20.1"),
                row(BLOCKING, "skew", "Node n1", "kubelet v1.18.0 on n1 with kube-apiserver v1.21.0", scene -> {
                    scene.node = scene.node.replace("kubeletVersion: v1.20.2", "kubeletVersion: v1.18.0");
                }),
                row(BLOCKING, "skew", "Node n1", "it is so already", scene -> {
                    scene.node = scene.node.replace("kubeletVersion: v1.20.2", "kubeletVersion: v1.21.0");
                }),
                row(BLOCKING, "flags", "DaemonSet kube-system/kube-apiserver", "not from the manifests", scene -> {
                    scene.target = "1.21.0";
                    scene.liveFlags.add("--basic-auth-file=x");
                }),
                row(BLOCKING, "flags", "DaemonSet kube-system/kube-apiserver", "own kube-apiserver", scene -> {
                    scene.targetFlags.add("--goaway-chance=0");
                    scene.programs.put(
                            Component.API_SERVER,
                            Evidence.known(new Intent.Program(Set.of("goaway-chance"), Set.of())));
                }),
                row(WARNING, "flags", "DaemonSet kube-system/kube-apiserver", "not from the manifests", scene -> {
                    scene.isBaseKnown = false;
                    scene.liveFlags.add("--basic-auth-file=x");
                }),
                row(UNKNOWN, "flags", "DaemonSet kube-system/kube-apiserver", "feature gate A is set", scene -> {
                    scene.liveFlags.add("--feature-gates=A=true");
                }),
                row(WARNING, "flags", "DaemonSet kube-system/kube-apiserver", "feature gate B is set", scene -> {
                    scene.liveFlags.add("--feature-gates=A=true,B=false");
                    scene.programs.put(Component.API_SERVER, Evidence.known(new Intent.Program(Set.of(), Set.of("A"))));
                }),
                row(BLOCKING, "removed-apis", "extensions/v1beta1 ingresses", "CREATE", scene -> {
                    scene.server = UpgradeScene.version("1.21.0");
                    scene.target = "1.22.0";
                    scene.requests.add(request("extensions", "ingresses", "1.22", "CREATE", "LIST"));
                }),
                row(WARNING, "removed-apis", "extensions/v1beta1 ingresses", "listed and watched", scene -> {
                    scene.server = UpgradeScene.version("1.21.0");
                    scene.target = "1.22.0";
                    scene.requests.add(request("extensions", "ingresses", "1.22", "LIST", "WATCH"));
                }),
                row(WARNING, "removed-apis", "extensions/v1beta1 ingresses", "deleted in a namespace", scene -> {
                    scene.server = UpgradeScene.version("1.21.0");
                    scene.target = "1.22.0";
                    scene.requests.add(request("extensions", "ingresses", "1.22", "LIST", "DELETECOLLECTION"));
                }),
                row(BLOCKING, "removed-apis", "PodDisruptionBudget ns/p", "z-addon-x.yaml", scene -> {
                    scene.server = UpgradeScene.version("1.24.0");
                    scene.target = "1.25.0";
                    scene.addOns.add(
                            "{apiVersion: policy/v1beta1, kind: PodDisruptionBudget, metadata: {name: p, namespace: ns}}");
                }),
                row(WARNING, "removed-apis", "cronjobs.batch", "3 stored as batch/v1beta1", scene -> {
                    scene.server = UpgradeScene.version("1.24.0");
                    scene.target = "1.25.0";
                    scene.stored.add(new Stored("cronjobs.batch", "batch/v1beta1", 3));
                }),
                row(BLOCKING, "nodes", "Node n1", "is not ready", scene -> {
                    scene.node =
                            scene.node.replace("{type: Ready, status: \"True\"}", "{type: Ready, status: Unknown}");
                }),
                row(BLOCKING, "nodes", "Node n1", "DiskPressure", scene -> {
                    scene.node = scene.node.replace("status: \"False\"", "status: \"True\"");
                }),
                row(BLOCKING, "nodes", "Node n1", "cordon", scene -> scene.node += "spec: {unschedulable: true}\n"),
                row(BLOCKING, "memory", "Node n1", "381 MiB", scene -> {
                    scene.summary = scene.summary.replace("4000000000", "300000000");
                }),
                row(WARNING, "memory", "Node n1", "two at once", scene -> {
                    scene.summary = scene.summary.replace("4000000000", "500000000");
                }),
                row(BLOCKING, "disk", "Node n1", "imageFs", scene -> {
                    scene.summary = scene.summary.replace(
                            "imageFs: {availableBytes: 50000000000", "imageFs: {availableBytes: 500000000");
                }),
                row(WARNING, "disk", "Node n1", "nodeFs", scene -> {
                    scene.summary = scene.summary.replace(
                            "  fs: {availableBytes: 50000000000", "  fs: {availableBytes: 10500000000");
                }),
                row(BLOCKING, "state", "DaemonSet kube-system/kube-apiserver", "0 of 1 pods", scene -> {
                    scene.apiServerStatus =
                            scene.apiServerStatus.replace("updatedNumberScheduled: 1", "updatedNumberScheduled: 0");
                }),
                row(BLOCKING, "state", "DaemonSet kube-system/kube-apiserver", "paused", scene -> {
                    scene.apiServerAnnotations = "{ouroboros.dev/paused: \"true\"}";
                }),
                row(BLOCKING, "certificates", "tls/apiserver.crt", "ended", scene -> {
                    scene.certificates.add(expiry(Duration.ofDays(-1)));
                }),
                row(WARNING, "certificates", "tls/apiserver.crt", "in 29 days", scene -> {
                    scene.certificates.add(expiry(Duration.ofDays(29)));
                }),
                row(WARNING, "certificates", "tls/apiserver.crt", "its key is of another kind", scene -> {
                    scene.reissued.put("tls/apiserver.crt", "its key is of another kind");
                }),
                row(WARNING, "etcd", "etcd 3.4.9", "etcd 3.4.13", scene -> {
                    scene.server = UpgradeScene.version("1.27.0");
                    scene.target = "1.28.0";
                    scene.etcd = "3.4.9";
                }),
                row(
                        WARNING,
                        "way-back",
                        "etcd",
                        "3 members, and 1.21 is another minor version",
                        PlannerTest::ofThreeMembers),
                row(WARNING, "images", "Node n1", "kube-apiserver:v1.21.0", scene -> scene.loadsImages = false),
                row(
                        BLOCKING,
                        "image-versions",
                        "spec.images.kubeApiserver",
                        "kube-apiserver:v1.20.2-custom",
                        scene -> scene.targetTag = Optional.of("v1.20.2-custom")),
                row(
                        WARNING,
                        "image-versions",
                        "spec.images.kubeApiserver",
                        "does not change: registry/kube-apiserver@sha256:0f",
                        scene -> scene.image = "registry/kube-apiserver@sha256:0f"),
                row(
                        WARNING,
                        "image-versions",
                        "spec.images.kubeApiserver",
                        "does not change",
                        scene -> scene.image = "registry/kube-apiserver:TAG@sha256:0f"),
                row(
                        WARNING,
                        "image-versions",
                        "spec.images.kubeApiserver",
                        "does not change",
                        scene -> scene.image = "registry/kube-apiserver:stable"),
                row(BLOCKING, "edited-files", "/assets/manifests/x.yaml", "was edited", scene -> {
                    scene.edited.add(new Problem(
                            ErrorCode.EDITED_FILE, "/assets/manifests/x.yaml", "was edited", "", "make it elsewhere"));
                }),
                row(BLOCKING, "asset-directory", "asset directory", "1.21.0 already", scene -> {
                    scene.isDifferent = false;
                }),
                row(WARNING, "under-way", "upgrade", "begun at noon", scene -> {
                    scene.underWay = Optional.of("begun at noon");
                }),
                row(WARNING, "left-behind", "target", "ServiceAccount kube-system/old", scene -> {
                    scene.goneFromTheTarget.add("""
                            apiVersion: v1
                            kind: ServiceAccount
                            metadata: {name: old, namespace: kube-system}
                            """);
                }),
                row(BLOCKING, "target", "spec.kubeProxy.mode", "no mode nftables", scene -> {
                    scene.problems.add(new Problem(
                            ErrorCode.INVALID_CONFIG,
                            "spec.kubeProxy.mode",
                            "no mode nftables",
                            "iptables",
                            "choose it"));
                }));
    }

    @ParameterizedTest(name = "{0} {1}: {3}")
    @MethodSource("findings")
    void finds(PlanFinding.Severity severity, String check, String object, String word, Consumer<UpgradeScene> change) {
        change.accept(scene);
        alignKubelet();

        assertThat(scene.of(severity)).as("%s", scene.plan().findings()).anySatisfy(finding -> {
            assertThat(finding.check()).isEqualTo(check);
            assertThat(finding.object()).isEqualTo(object);
            assertThat(finding.evidence()).contains(word);
        });
        assertThat(scene.plan().isBlocked()).isEqualTo(severity == BLOCKING);
    }

    @Test
    void aBuildOfTheTargetWithASuffixIsOfTheTarget() {
        scene.targetTag = Optional.of("v1.21.0-custom");

        assertThat(scene.plan().findings()).noneMatch(finding -> finding.check().equals("image-versions"));
    }

    /** Somebody chose it when the cluster was made; it is no part of what is asked for now. */
    @Test
    void anImageThatStaysWhereTheVersionStaysIsNoFinding() {
        scene.target = "1.20.2";
        for (String image : List.of("registry/kube-apiserver:v1.20.1", "registry/kube-apiserver@sha256:0f")) {
            scene.image = image;
            assertThat(scene.plan().findings())
                    .noneMatch(finding -> finding.check().equals("image-versions"));
        }
    }

    /** Its asset directory is the target's, and not all of the cluster is yet. */
    @Test
    void anUpgradeThatIsUnderWayIsNotBlockedByItsOwnDirectory() {
        scene.isDifferent = false;
        scene.underWay = Optional.of("begun at noon");

        assertThat(scene.blocking()).isEmpty();
    }

    private static void ofThreeMembers(UpgradeScene scene) {
        String flag = "--etcd-servers=https://10.0.0.1:2379,https://10.0.0.2:2379,https://10.0.0.3:2379";
        List.of(scene.liveFlags, scene.baseFlags, scene.targetFlags).forEach(flags -> flags.add(flag));
    }

    @Test
    void withinAMinorVersionTheManifestsLeadBackHoweverManyMembersEtcdHas() {
        ofThreeMembers(scene);
        scene.target = "1.20.15";

        assertThat(scene.plan().findings()).noneMatch(finding -> finding.check().equals("way-back"));
    }

    /** {@code --binaries} has no CoreDNS. */
    @Test
    void anImageOfARegistryIsPulledAlsoWhereOthersAreMade() {
        scene.loadsImages = true;

        assertThat(scene.of(WARNING)).anySatisfy(finding -> {
            assertThat(finding.check()).isEqualTo("images");
            assertThat(finding.evidence()).contains("registry/kube-apiserver:v1.21.0");
            assertThat(finding.next()).isEqualTo("crictl pull them beforehand");
        });
    }

    /** A later server has later kubelets, else every row would be about them. */
    private void alignKubelet() {
        if (scene.server.minor() > 20) {
            scene.node = scene.node.replace("kubeletVersion: v1.20.2", "kubeletVersion: " + scene.server);
        }
    }

    @Test
    void aFlagThatOnlyTheBaseHasIsNoFinding() {
        scene.liveFlags.add("--insecure-port=0");
        scene.baseFlags.add("--insecure-port=0");
        scene.server = UpgradeScene.version("1.23.0");
        scene.target = "1.24.0";
        alignKubelet();

        assertThat(scene.blocking()).isEmpty();
    }

    @Test
    void anApiThatGoesLaterIsNoFinding() {
        scene.requests.add(request("extensions", "ingresses", "1.22", "CREATE"));

        assertThat(scene.blocking()).isEmpty();
    }

    private static DeprecatedRequest request(String group, String resource, String removed, String... verbs) {
        return new DeprecatedRequest(group, "v1beta1", resource, removed, Set.of(verbs));
    }

    private static Expiry expiry(Duration left) {
        return new Expiry("tls/apiserver.crt", "CN=kube-apiserver", UpgradeScene.NOW.plus(left));
    }

    private static Arguments row(
            PlanFinding.Severity severity, String check, String object, String word, Consumer<UpgradeScene> change) {
        return Arguments.of(severity, check, object, word, change);
    }
}
