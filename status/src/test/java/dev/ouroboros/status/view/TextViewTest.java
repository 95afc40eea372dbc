package dev.ouroboros.status.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.kubelet.KubeletReport;
import dev.ouroboros.status.StatusScene;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class TextViewTest {
    private final StatusScene scene = new StatusScene();

    private String text() {
        return TextView.of(scene.report(), Palette.PLAIN, false);
    }

    @Test
    void saysNothingButTheTableWhenAllIsWell() {
        assertThat(text()).isEqualTo("""
                API server   https://192.0.2.1:6443 answers, v1.20.2
                keeper       node one answers, new connections go to the principal

                LAYER   COMPONENT        OWNER        NODE   VERSION   HEALTH    CHECKPOINT      CERTIFICATES
                0       kubelet          process      one    1.20.2    ready     -               364d
                1       etcd             static pod   one    3.4.23    ready     -               364d
                2       kube-apiserver   DaemonSet    one    1.20.2    serving   last-good 10m   364d
                3       kube-scheduler   Deployment   one    1.20.2    serving   last-good 10m   364d
                self-hosted: layers 2-3
                """);
    }

    /** Its static pods are written by what the API was told. */
    @Test
    void whereTheStewardManagesEtcdItIsTheClustersOwn() {
        scene.daemonSet(StatusScene.STEWARD, "0.1", "");
        assertThat(text()).contains("self-hosted: layers 1-4");
        scene.stewardThatLeavesEtcdAlone();
        assertThat(text()).contains("self-hosted: layers 2-4");
    }

    /** And so are kubelets, where every node does what is wished of its own. */
    @Test
    void whereThereIsAStewardAndNodesGuardTheirKubeletsEveryLayerIsTheClustersOwn() {
        scene.kubelet("one", KubeletReport.State.RUNNING);
        assertThat(text()).contains("self-hosted: layers 2-3");
        scene.stewardThatLeavesEtcdAlone();
        assertThat(text()).contains("self-hosted: layers 0, 2-4");
        scene.daemonSet(StatusScene.STEWARD, "0.1", "");
        assertThat(text()).contains("self-hosted: layers 0-4");
        scene.kubelet("two", KubeletReport.State.UNMANAGED);
        assertThat(text()).contains("self-hosted: layers 1-4");
    }

    @Test
    void tellsFromTheNodeAloneWhereThingsStandWhenTheApiIsAway() {
        scene.apiIsAway("connection refused")
                .keeper(
                        StatusScene.API_SERVER,
                        "API_SERVER",
                        "DOUBTFUL",
                        "the principal is not known to serve",
                        "the principal: not ready ([+]ping ok\\n[-]etcd failed: reason withheld\\nreadyz check failed)");
        assertThat(text()).isEqualTo("""
                API server   unknown: https://192.0.2.1:6443: connection refused
                keeper       node one answers, new connections go to the principal

                LAYER   COMPONENT        OWNER        NODE   VERSION   HEALTH               CHECKPOINT      CERTIFICATES
                0       kubelet          process      one    1.20.2    running              -               364d
                1       etcd             static pod   one    3.4.23    running              -               364d
                2       kube-apiserver   API pod      one    1.20.2    not known to serve   last-good 10m   364d
                3       kube-proxy       API pod      one    1.20.2    running              -               ?
                3       kube-scheduler   API pod      one    1.20.2    serving              last-good 10m   364d
                self-hosted: layers 2-3

                unknown: certificates of kube-proxy
                         the API does not say: connection refused

                problem: kube-apiserver: not known to serve, waits for the principal: not ready (etcd failed)
                         next: ouro explain kube-apiserver
                """);
    }

    @Test
    void tellsFromTheApiAloneAndWhatOnlyANodeKnows() {
        scene.noNode();
        assertThat(text()).isEqualTo("""
                API server   https://192.0.2.1:6443 answers, v1.20.2
                node         unknown: this machine is no control-plane node

                LAYER   COMPONENT        OWNER        NODE   VERSION   HEALTH   CHECKPOINT   CERTIFICATES
                0       kubelet          process      one    1.20.2    ready    -            ?
                1       etcd             static pod   one    3.4.23    ready    -            ?
                2       kube-apiserver   DaemonSet    one    1.20.2    ready    ?            364d
                3       kube-scheduler   Deployment   one    1.20.2    ready    ?            364d
                self-hosted: layers 2-3

                unknown: certificates of kubelet, certificates of etcd, checkpoint of kube-apiserver, checkpoint of kube-scheduler
                         only its node knows: ask there, or give --name
                """);
    }

    @Test
    void takesNothingFromAnApiServerOfAnotherCluster() {
        scene.apiOfAnotherCluster();
        assertThat(text())
                .startsWith("API server   unknown: https://192.0.2.1:6443 answers for another cluster"
                        + " (0d4f2c52-0000-4000-8000-000000000002) than node one is part of"
                        + " (0d4f2c52-0000-4000-8000-000000000001)\n")
                .contains("2       kube-apiserver   API pod ");
    }

    @Test
    void showsTheChangeWithItsStepAndWhatItWaitsFor() {
        scene.daemonSet(StatusScene.API_SERVER, "v1.20.2", """
                , "annotations": {"ouroboros.dev/change-state": "Proving", "ouroboros.dev/change-revision": "%s",
                   "ouroboros.dev/change-since": "2026-03-01T02:59:46Z",
                   "ouroboros.dev/change-message": "the candidate: does not listen"}""".formatted("ab".repeat(32)), 0);
        assertThat(text()).contains("""
                change:  kube-apiserver: Proving for 14s, revision abababab
                         the candidate: does not listen
                """);
    }

    @Test
    void endsWithWhatIsWrongTheWorstFirst() {
        scene.certificatesUntil(StatusScene.NOW.plus(Duration.ofDays(3)))
                .slots(StatusScene.SCHEDULER, Optional.empty(), Optional.empty())
                .kubeletIsDead();
        assertThat(text()).endsWith("""
                problem: kubelet: does not run
                         next: ouro doctor
                problem: kube-scheduler: no checkpoint: it would not come back after a power cut
                         next: ouro explain kube-scheduler
                note:    kube-apiserver: certificate expires 2026-03-04T03:00:00Z (CN=kube-apiserver, Secret kube-apiserver, apiserver.crt)
                note:    kube-scheduler: certificate expires 2026-03-04T03:00:00Z (CN=scheduler, Secret kube-scheduler, kubeconfig)
                """);
    }

    @Test
    void coloursDoNotMoveColumns() {
        scene.kubeletIsDead();
        String coloured = TextView.of(scene.report(), Palette.TERMINAL, true);
        assertThat(coloured).contains("\u001b[31mdoes not run\u001b[0m");
        assertThat(coloured.replaceAll("\u001b\\[\\d+m", ""))
                .isEqualTo(TextView.of(scene.report(), Palette.PLAIN, true));
    }

    @Test
    void wideHasTheRevisionAndTheCertificateThatExpiresFirst() {
        assertThat(TextView.of(scene.report(), Palette.PLAIN, true))
                .contains("NAMESPACE     SINCE   REVISION   EXPIRES FIRST\n")
                .contains("kube-system   5m      3f3f3f3f   CN=scheduler (Secret kube-scheduler, kubeconfig)\n");
    }
}
