package dev.ouroboros.status.judge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.status.StatusScene;
import dev.ouroboros.status.model.Change.Progress;
import dev.ouroboros.status.model.ComponentHealth;
import dev.ouroboros.status.model.ComponentHealth.Grade;
import dev.ouroboros.status.model.ComponentStatus;
import dev.ouroboros.status.model.Convergence;
import dev.ouroboros.status.model.Convergence.Converged;
import dev.ouroboros.status.model.Convergence.Failed;
import dev.ouroboros.status.model.Convergence.Waiting;
import dev.ouroboros.status.model.Layer;
import dev.ouroboros.status.model.Owner;
import dev.ouroboros.status.model.Remark;
import dev.ouroboros.status.model.Report;
import dev.ouroboros.status.seen.DatedCertificate;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class JudgeTest {
    private static final String TEMPLATE_SET_AT = """
            , "managedFields": [{"manager": "kubectl-set", "time": "2026-03-01T02:59:00Z",
                                 "fieldsV1": {"f:spec": {"f:template": {}}}}]""";

    private final StatusScene scene = new StatusScene();

    private Convergence convergence() {
        return scene.report().convergence();
    }

    private static String changed(String state, String since) {
        return TEMPLATE_SET_AT + """
                , "annotations": {"ouroboros.dev/change-state": "%s", "ouroboros.dev/change-since": "%s",
                                  "ouroboros.dev/change-message": "unknown flag: --nonsense"}""".formatted(state, since);
    }

    private ComponentStatus component(String name) {
        return scene.report().components().stream()
                .filter(component -> component.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void convergesWhenEverythingIsAsItsTemplateAsksFor() {
        assertThat(convergence()).isEqualTo(new Converged());
    }

    @Test
    void convergesOnTheApisWordAloneWhereNoNodeIsSeen() {
        scene.noNode();
        assertThat(convergence()).isEqualTo(new Converged());
    }

    /** It is ready, and cannot do what clients ask of it, as to read Secrets: its keeper says what, in an Event of the Node. */
    @Test
    void namesAnApiServerToWhichTheServiceDoesNotLead() {
        scene.node("two", true, Optional.empty()).podOn("two", StatusScene.API_SERVER, true);
        assertThat(scene.report().remarks())
                .contains(new Remark(
                        Grade.MOVING,
                        "kube-apiserver",
                        "the one on two is ready, and the kubernetes Service does not lead to it yet",
                        "kubectl describe node two says why, when it stays so"));

        scene.named("one", "two");
        assertThat(scene.report().remarks()).noneMatch(remark -> remark.text().contains("Service"));
    }

    /** The node that had the leader keeps its checkpoint, and nothing there changes by waiting. */
    @Test
    void convergesWhereTheLeaderLivesOnAnotherNode() {
        scene.keeper(StatusScene.SCHEDULER, "SCHEDULER", "ELSEWHERE", "another node has it", "");

        assertThat(convergence()).isEqualTo(new Converged());
        assertThat(component("kube-scheduler").health()).isEqualTo(ComponentHealth.good("ready"));
    }

    @Test
    void neverConvergesWhileTheApiIsUnknown() {
        scene.apiIsAway("connection refused");
        assertThat(convergence()).isEqualTo(new Waiting("the API server: connection refused"));
    }

    /** Without a controller manager nobody writes the status of its Deployment: it goes on to say that one of one is ready. */
    @Test
    void doesNotBelieveTheCountsOfAnotherSpecification() {
        scene.noNode();
        scene.scaled(StatusScene.SCHEDULER, 1, 1, false);

        assertThat(component("kube-scheduler").health()).isEqualTo(ComponentHealth.moving("not taken up yet"));
    }

    @Test
    void saysThatASchedulerWasScaledToZeroAndTheWayBack() {
        scene.scaled(StatusScene.SCHEDULER, 0, 0, true);
        scene.keeper(StatusScene.SCHEDULER, "SCHEDULER", "SWITCHED_OFF", "it was scaled to zero", "its replicas");

        assertThat(component("kube-scheduler").health()).isEqualTo(ComponentHealth.bad("scaled to 0"));
        assertThat(scene.report().remarks()).anySatisfy(remark -> {
            assertThat(remark.grade()).isEqualTo(Grade.BAD);
            assertThat(remark.text()).contains("scaled to 0", "no new pod gets a node");
            assertThat(remark.next()).isEqualTo("kubectl -n kube-system scale deployment kube-scheduler --replicas=1");
        });
        assertThat(scene.report().whatTheControlPlaneLacks())
                .extracting(Remark::about)
                .containsExactly("kube-scheduler");
    }

    /** Who waits for rest would wait for ever. */
    @Test
    void aSchedulerThatWasScaledToZeroIsNotWaitedFor() {
        scene.scaled(StatusScene.SCHEDULER, 0, 0, true);

        assertThat(convergence())
                .isEqualTo(new Failed("kube-scheduler: scaled to 0;"
                        + " kubectl -n kube-system scale deployment kube-scheduler --replicas=1 gives it back"));
    }

    /** Before anybody has counted, as when the controller manager itself is scaled to zero. */
    @Test
    void saysSoWithoutAKeeperAndWithoutACount() {
        scene.noNode();
        scene.scaled(StatusScene.SCHEDULER, 0, 1, false);

        assertThat(component("kube-scheduler").health()).isEqualTo(ComponentHealth.bad("scaled to 0"));
    }

    /** Its Node goes on to be Ready, while pods are ended and none is let in. */
    @Test
    void aNodeWhoseDiskIsFullIsNotWell() {
        scene.diskPressure();

        assertThat(component("kubelet").health()).isEqualTo(ComponentHealth.bad("DiskPressure"));
        assertThat(scene.report().remarks()).anySatisfy(remark -> {
            assertThat(remark.text()).isEqualTo("DiskPressure: one: kubelet has disk pressure");
            assertThat(remark.next()).isEqualTo("ouro doctor");
        });
    }

    @Test
    void whatPeopleScaleToZeroOfTheirOwnIsNoProblem() {
        ComponentName operator = new ComponentName("networking", "operator");
        scene.scaled(operator, 0, 0, true);

        assertThat(component("operator").health().grade()).isEqualTo(Grade.GOOD);
        assertThat(scene.report().whatTheControlPlaneLacks()).isEmpty();
    }

    /** A network add-on is often in a namespace of its own. */
    @Test
    void showsAnAddOnOfAnotherNamespaceWithTheCertificatesOfThere() {
        scene.daemonSet(new ComponentName("networking", "flannel"), "v0.26.1", "");

        ComponentStatus flannel = component("flannel");
        assertThat(flannel.layer()).isEqualTo(Layer.ADD_ONS);
        assertThat(flannel.title()).isEqualTo("networking/flannel");
        assertThat(flannel.owner()).isEqualTo(Evidence.known(Owner.DAEMON_SET));
        assertThat(flannel.version()).isEqualTo(Evidence.known("0.26.1"));
        assertThat(flannel.health().grade()).isEqualTo(Grade.GOOD);
        assertThat(flannel.certificates().orElse(List.of()))
                .extracting(DatedCertificate::subject)
                .containsExactly("CN=flannel");
    }

    /** The agents of other nodes, on a cluster whose only node has a keeper. */
    @Test
    void aDaemonSetThatWantsNoPodAnywhereIsNoComponentOfTheCluster() {
        scene.daemonSetForNobody(new ComponentName("kube-system", "ouroboros-node-agent"));

        assertThat(scene.report().components())
                .extracting(ComponentStatus::name)
                .contains("kube-apiserver")
                .doesNotContain("ouroboros-node-agent");
        assertThat(convergence()).isEqualTo(new Converged());
    }

    @Test
    void waitsForAnAddOnOfAnotherNamespaceThatIsNotReady() {
        scene.deployment(new ComponentName("networking", "operator"), "v1.0.0", 0);

        assertThat(convergence()).isEqualTo(new Waiting("networking/operator: 0 of 1 pods are ready"));
    }

    @Test
    void aControlPlaneInAnotherNamespaceIsSomebodysGuest() {
        scene.daemonSet(new ComponentName("guests", "etcd"), "v3.6.0", "");

        ComponentStatus guest = scene.report().components().stream()
                .filter(each -> each.title().equals("guests/etcd"))
                .findFirst()
                .orElseThrow();
        assertThat(guest.layer()).isEqualTo(Layer.ADD_ONS);
        assertThat(guest.certificates().orElse(List.of()))
                .extracting(DatedCertificate::subject)
                .containsExactly("CN=etcd");
    }

    @Test
    void doesNotConvergeWhileOtherNamespacesAreUnknown() {
        scene.othersAreUnknown("timed out");

        assertThat(convergence()).isEqualTo(new Waiting("the API server: timed out"));
    }

    @Test
    void saysThatOtherNamespacesMayNotBeRead() {
        scene.othersAreUnknown("daemonsets.apps is forbidden");

        assertThat(scene.report().sources())
                .anySatisfy(source -> assertThat(source.name() + ": " + source.text())
                        .isEqualTo("other namespaces: daemonsets.apps is forbidden"));
        assertThat(convergence()).isEqualTo(new Converged());
    }

    @Test
    void waitsForPodsOfTheNewTemplate() {
        scene.daemonSet(StatusScene.API_SERVER, "v1.20.2", "", 0);
        assertThat(convergence())
                .isEqualTo(new Waiting("kube-system/kube-apiserver: 0 of 1 pods are of the new template"));
    }

    /** Whoever waits for a node that was switched off would wait for ever. */
    @Test
    void namesTheNodeThatARolloutWaitsFor() {
        scene.nodeIsOff("two");
        scene.daemonSet(StatusScene.API_SERVER, "v1.20.2", "", 0);
        assertThat(convergence())
                .isEqualTo(
                        new Waiting(
                                "kube-system/kube-apiserver: 0 of 1 pods are of the new template (node two says nothing: boot it, or delete its Node)"));
    }

    @Test
    void waitsForAControllerThatHasNotSeenTheTemplate() {
        scene.daemonSet(StatusScene.API_SERVER, "v1.20.2", "", 1, 1);
        assertThat(convergence())
                .isEqualTo(new Waiting("kube-system/kube-apiserver: its controller has not seen its last change yet"));
    }

    @Test
    void waitsForACheckpointToBeProven() {
        scene.slots(StatusScene.API_SERVER, Optional.of(scene.saved()), Optional.of(scene.saved()));
        assertThat(convergence()).isEqualTo(new Waiting("kube-apiserver: its checkpoint is not last-good yet"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Failed", "Refused", "RolledBack"})
    void failsWithTheKeepersReason(String state) {
        scene.daemonSet(StatusScene.API_SERVER, "v1.20.2", changed(state, "2026-03-01T02:59:30Z"), 0);
        assertThat(convergence())
                .isEqualTo(new Failed("kube-system/kube-apiserver: " + state + ": unknown flag: --nonsense"));
        assertThat(scene.report().remarks().getFirst().text())
                .isEqualTo("change " + state + ": unknown flag: --nonsense");
        String next = scene.report().remarks().getFirst().next();
        assertThat(next).contains("ouro explain kube-apiserver");
        assertThat(next.contains("ouro change abort"))
                .as("the way back, unless the keeper has gone it")
                .isEqualTo(!state.equals("RolledBack"));
    }

    @Test
    void isNotMisledByTheVerdictOnAnEarlierTemplate() {
        scene.daemonSet(StatusScene.API_SERVER, "v1.20.2", changed("Failed", "2026-03-01T02:58:30Z"), 0);
        assertThat(convergence())
                .isEqualTo(new Waiting("kube-system/kube-apiserver: Waiting: the keeper to look at the new template"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Waiting", "Paused", "Proving", "Switching", "Replacing", "Soaking", "RollingBack"})
    void waitsForAChangeThatMayStillEndWell(String state) {
        scene.daemonSet(StatusScene.API_SERVER, "v1.20.2", changed(state, "2026-03-01T02:59:30Z"));
        assertThat(convergence()).isInstanceOf(Waiting.class);
    }

    @Test
    void takesAChangeFromTheKeeperWhenTheApiIsAway() {
        scene.apiIsAway("connection refused").change("""
                {"state": "Replacing", "message": "the principal", "progress": "12 s of 120 s",
                 "since": "2026-03-01T02:59:30Z", "revision": null}""");
        assertThat(scene.report().changes()).singleElement().satisfies(change -> {
            assertThat(change.step()).isEqualTo("Replacing");
            assertThat(change.progress()).isEqualTo(Progress.UNDER_WAY);
            assertThat(change.message()).isEqualTo("the principal; 12 s of 120 s");
        });
    }

    @Test
    void takesFromTheKeeperHowFarAChangeIs() {
        scene.daemonSet(StatusScene.API_SERVER, "v1.20.2", changed("Waiting", "2026-03-01T02:59:30Z"), 0)
                .change("""
                {"state": "Proving", "message": "the candidate", "progress": "2 s of 10 s", "revision": "ab",
                 "since": "2026-03-01T02:59:58Z"}""");
        assertThat(scene.report().changes()).singleElement().satisfies(change -> {
            assertThat(change.step()).isEqualTo("Proving");
            assertThat(change.message()).isEqualTo("the candidate; 2 s of 10 s");
        });
    }

    @Test
    void believesTheDaemonSetThatAChangeFailedOnAnotherNode() {
        scene.daemonSet(StatusScene.API_SERVER, "v1.20.2", changed("Failed", "2026-03-01T02:59:30Z"), 0)
                .change("{\"state\": \"None\", \"message\": \"\", \"progress\": \"\"}");
        assertThat(convergence()).isInstanceOf(Failed.class);
    }

    @Test
    void aReadyPodIsNoExcuseForWhatTheKeeperSees() {
        scene.keeper(StatusScene.SCHEDULER, "SCHEDULER", "HELPLESS", "", "a checkpoint");
        assertThat(component("kube-scheduler").health().grade()).isEqualTo(Grade.BAD);
    }

    @Test
    void aKeeperThatIsContentIsNoExcuseForPodsThatAreNotReady() {
        scene.deployment(StatusScene.SCHEDULER, "v1.20.2", 0);
        assertThat(component("kube-scheduler").health().text()).isEqualTo("not ready");
    }

    @Test
    void believesTheRuntimeWhenNobodyElseAnswers() {
        scene.apiIsAway("connection refused").keeperIsAway("the keeper on 127.0.0.1:26445 does not answer");
        assertThat(component("kube-apiserver").health().text()).isEqualTo("running");
        assertThat(component("kube-apiserver").checkpoints().orElseThrow()).isInstanceOf(Evidence.Known.class);
        assertThat(scene.report().isEmpty()).isTrue();
    }

    @Test
    void anEtcdThatLeftNoTraceIsMissing() {
        scene.apiIsAway("connection refused").etcdIsGone();
        ComponentStatus etcd = component("etcd");
        assertThat(etcd.health().text()).isEqualTo("missing");
        assertThat(etcd.health().grade()).isEqualTo(Grade.BAD);
        assertThat(etcd.owner()).isEqualTo(Evidence.known(Owner.STATIC_POD));
        assertThat(etcd.nodes()).containsExactly("one");
        assertThat(etcd.certificates().orElse(List.of())).hasSize(1);
    }

    /** Where the API answers it says what pods there are: an etcd may be on machines of its own. */
    @Test
    void noEtcdIsMissingWhereTheApiAnswers() {
        scene.etcdIsGone();
        assertThat(scene.report().components())
                .extracting(ComponentStatus::name)
                .doesNotContain("etcd");
    }

    /** Everything that the API said came out of it. */
    @Test
    void theEtcdThatAnsweredIsNoProblemBecauseAKubeletIsLate() {
        scene.etcdIsNotSaidToBeReady();
        assertThat(component("etcd").health().text()).isEqualTo("running");
        assertThat(scene.report().remarks()).isEmpty();
    }

    /** Right after 'up' a kubelet of 1.20 may say so of a member that has answered for a minute. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[]                                                                                       | MOVING",
                "[{\"state\": {\"waiting\": {\"reason\": \"ContainerCreating\"}}}]                            | MOVING",
                "[{\"state\": {\"waiting\": {\"reason\": \"ErrImagePull\"}}}]                                 | BAD",
                "[{\"state\": {\"running\": {}}}]                                                           | BAD",
                "[{\"state\": {\"terminated\": {\"reason\": \"Error\"}}}]                                     | BAD"
            })
    void aMemberOfEtcdWhoseKubeletIsLateIsOnItsWay(String containers, Grade grade) {
        scene.another("two", Optional.empty()).etcdOn("two", false, containers);
        assertThat(component("etcd").health().text()).isEqualTo("1/2 ready");
        assertThat(component("etcd").health().grade()).isEqualTo(grade);
        assertThat(scene.report().whatTheControlPlaneLacks().isEmpty()).isEqualTo(grade == Grade.MOVING);
    }

    @Test
    void aCheckpointThatCannotBeReadIsAProblem() {
        scene.tornCheckpoint(StatusScene.SCHEDULER, "slots.json: is torn");
        assertThat(scene.report().remarks().getFirst().text())
                .isEqualTo("its checkpoint cannot be used: slots.json: is torn");
    }

    @Test
    void saysOnceWhatTheKeeperAndTheDiskSay() {
        scene.tornCheckpoint(StatusScene.SCHEDULER, "slots.json: is torn")
                .keeperProblems("\"slots.json: is torn\", \"pod.json: is not part of the checkpoint\"");
        assertThat(scene.report().remarks())
                .extracting(Remark::text)
                .containsExactly(
                        "its checkpoint cannot be used: slots.json: is torn",
                        "pod.json: is not part of the checkpoint");
    }

    /** The keeper tells moments by counting back from now, so that they differ by nanoseconds each time. */
    @Test
    void reportsThatDifferInMomentsOnlyAreAlike() {
        Report earlier = scene.report();
        scene.keeper(
                StatusScene.SCHEDULER,
                "SCHEDULER",
                "SERVING",
                "the principal serves",
                "",
                StatusScene.NOW.minusNanos(1));
        assertThat(scene.report()).isNotEqualTo(earlier);
        assertThat(scene.report().timeless()).isEqualTo(earlier.timeless());
    }

    @Test
    void copiesAreNoComponents() {
        assertThat(scene.report().components())
                .extracting(ComponentStatus::name)
                .containsExactly("kubelet", "etcd", "kube-apiserver", "kube-scheduler");
    }
}
