package dev.ouroboros.render.understudy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import org.junit.jupiter.api.Test;

final class TemporaryPodTest {
    /** Shaped as bootkube renders it: hyperkube, port 6443, the default reconciler, no probes. */
    private static final String BOOTKUBE = """
            apiVersion: v1
            kind: Pod
            metadata:
              name: bootstrap-kube-apiserver
              namespace: kube-system
            spec:
              containers:
              - name: kube-apiserver
                image: example/hyperkube:v1.20.2
                command:
                - /hyperkube
                - kube-apiserver
                - --secure-port=6443
                - --service-cluster-ip-range=10.3.0.0/24
                livenessProbe:
                  httpGet: {path: /livez, port: 6443}
              hostNetwork: true
            """;

    private final Pod rendered = PodYaml.parse("bootstrap-apiserver.yaml", BOOTKUBE);

    @Test
    void movesAnApiServerToThePortOfTheUnderstudy() {
        Pod pod = TemporaryPod.of(rendered, Component.API_SERVER);

        Container container = pod.getSpec().getContainers().getFirst();
        assertThat(container.getCommand())
                .startsWith("/hyperkube", "kube-apiserver")
                .contains(
                        "--secure-port=26443",
                        "--endpoint-reconciler-type=none",
                        "--service-cluster-ip-range=10.3.0.0/24")
                .doesNotContain("--secure-port=6443");
        assertThat(container.getLivenessProbe()).isNull();
        assertThat(pod.getMetadata().getAnnotations()).containsEntry("ouroboros.dev/owner", "start");
        assertThat(pod.getSpec().getPriority()).isEqualTo(2_000_001_000);
    }

    @Test
    void changesNothingMoreWhenAppliedTwice() {
        Pod once = TemporaryPod.of(rendered, Component.API_SERVER);

        assertThat(TemporaryPod.of(once, Component.API_SERVER)).isEqualTo(once);
        assertThat(PodYaml.parse("again", PodYaml.write(once))).isEqualTo(once);
    }

    @Test
    void onThePortOfTheOtherAnApiServerKeepsItsReconciler() {
        Pod pod = TemporaryPod.apiServerOn(6443, rendered);

        assertThat(pod.getSpec().getContainers().getFirst().getCommand())
                .contains("--secure-port=6443")
                .noneMatch(argument -> argument.startsWith("--endpoint-reconciler-type"));
        assertThat(TemporaryPod.apiServerOn(6443, pod)).isEqualTo(pod);
    }

    @Test
    void namesTheIssuerOfTokensWithoutWhichNoServerSince120Starts() {
        assertThat(TemporaryPod.of(rendered, Component.API_SERVER)
                        .getSpec()
                        .getContainers()
                        .getFirst()
                        .getCommand())
                .contains(
                        "--service-account-issuer=https://kubernetes.default.svc",
                        "--service-account-signing-key-file=/etc/kubernetes/secrets/service-account.key");
    }

    @Test
    void leavesTheRenderedPodAsItIs() {
        String before = PodYaml.write(rendered);
        TemporaryPod.of(rendered, Component.API_SERVER);

        assertThat(PodYaml.write(rendered)).isEqualTo(before);
    }

    @Test
    void readsTheLastValueOfAFlag() {
        assertThat(TemporaryPod.flag(rendered, Component.API_SERVER, "secure-port"))
                .contains("6443");
        assertThat(TemporaryPod.flag(rendered, Component.API_SERVER, "secure")).isEmpty();
    }

    @Test
    void refusesAPodOfAnotherComponent() {
        assertThatThrownBy(() -> TemporaryPod.of(rendered, Component.SCHEDULER))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("kube-scheduler");
    }

    @Test
    void namesTheLineOfAPodThatCannotBeUnderstood() {
        assertThatThrownBy(() -> PodYaml.parse("pod.yaml", "kind: Pod\nmetadata: [oops"))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("pod.yaml:2");
    }

    @Test
    void saysThatAFileIsNoPod() {
        Refusal.of(
                        () -> PodYaml.parse("pod.yaml", "kind: ConfigMap\nmetadata: {name: a}"),
                        ErrorCode.INVALID_ASSET_DIRECTORY)
                .lineContains("pod.yaml: is not a Pod")
                .nextContains("ouro render");
    }
}
