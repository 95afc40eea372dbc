package dev.ouroboros.render.adopt;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class AdoptionTest {
    private static final YAMLMapper YAML = new YAMLMapper();

    /** Shaped as bootkube renders it. */
    private static final GenericKubernetesResource API_SERVER = object("""
            apiVersion: apps/v1
            kind: DaemonSet
            metadata: {name: kube-apiserver, namespace: kube-system, labels: {tier: control-plane}}
            spec:
              selector: {matchLabels: {k8s-app: kube-apiserver}}
              updateStrategy: {type: RollingUpdate, rollingUpdate: {maxUnavailable: 1}}
              template:
                metadata:
                  labels: {k8s-app: kube-apiserver}
                  annotations: {checkpointer.alpha.coreos.com/checkpoint: "true", example.org/kept: "1"}
                spec:
                  hostNetwork: true
                  nodeSelector: {node-role.kubernetes.io/master: ""}
                  containers:
                  - name: kube-apiserver
                    image: example/hyperkube:v1.20.2
                    command:
                    - /hyperkube
                    - kube-apiserver
                    - --anonymous-auth=false
                    - --bind-address=10.0.0.5
                    - --secure-port=6443
                    - --service-account-key-file=/etc/kubernetes/secrets/service-account.pub
                    ports: [{containerPort: 6443, hostPort: 6443}]
                    volumeMounts: [{name: secrets, mountPath: /etc/kubernetes/secrets, readOnly: true}]
                  volumes: [{name: secrets, secret: {secretName: kube-apiserver}}]
            """);

    private static final GenericKubernetesResource SECRET = object("""
            apiVersion: v1
            kind: Secret
            metadata: {name: kube-apiserver, namespace: kube-system}
            data: {service-account.pub: cHVi}
            """);

    private static final GenericKubernetesResource SCHEDULER = object("""
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: kube-scheduler, namespace: kube-system}
            spec:
              replicas: 2
              selector: {matchLabels: {k8s-app: kube-scheduler}}
              template:
                metadata: {labels: {k8s-app: kube-scheduler}}
                spec: {containers: [{name: kube-scheduler, image: example/hyperkube:v1.20.2}]}
            """);

    private static final GenericKubernetesResource CHECKPOINTER = object("""
            apiVersion: apps/v1
            kind: DaemonSet
            metadata: {name: pod-checkpointer, namespace: kube-system}
            spec: {}
            """);

    private static final Optional<byte[]> KEY = Optional.of("key".getBytes(StandardCharsets.UTF_8));

    private final Adoption adoption = Adoption.of(List.of(API_SERVER, SECRET, SCHEDULER, CHECKPOINTER), KEY, true);

    @Test
    void theApiServerIsReplacedOnlyWhenItsPodIsDeleted() {
        assertThat(apiServer().getSpec().getUpdateStrategy().getType()).isEqualTo("OnDelete");
        assertThat(apiServer().getSpec().getUpdateStrategy().getRollingUpdate()).isNull();
    }

    @Test
    void theCheckpointIsTheKeepersAndOtherAnnotationsStay() {
        assertThat(apiServer().getSpec().getTemplate().getMetadata().getAnnotations())
                .containsEntry("ouroboros.dev/checkpoint", "true")
                .containsEntry("example.org/kept", "1")
                .doesNotContainKey("checkpointer.alpha.coreos.com/checkpoint");
        assertThat(apiServer().getSpec().getTemplate().getSpec().getAutomountServiceAccountToken())
                .isFalse();
    }

    @Test
    void theServerListensEverywhereDeclaresNoPortAndLeavesTheServiceAlone() {
        var container =
                apiServer().getSpec().getTemplate().getSpec().getContainers().getFirst();

        assertThat(container.getPorts()).isEmpty();
        assertThat(container.getCommand())
                .startsWith("/hyperkube", "kube-apiserver")
                .contains(
                        "--endpoint-reconciler-type=none",
                        "--bind-address=::",
                        "--shutdown-delay-duration=5s",
                        "--secure-port=6443")
                .doesNotContain("--bind-address=10.0.0.5");
    }

    @Test
    void withoutIpv6TheServerListensOnIpv4() {
        Adoption here = Adoption.of(List.of(API_SERVER, SECRET), KEY, false);

        assertThat(here.changes()).extracting(Alteration::what).contains("0.0.0.0");
    }

    @Test
    void theServerSignsTokensWithAKeyThatItsSecretHas() {
        assertThat(apiServer()
                        .getSpec()
                        .getTemplate()
                        .getSpec()
                        .getContainers()
                        .getFirst()
                        .getCommand())
                .contains("--service-account-signing-key-file=/etc/kubernetes/secrets/service-account.key");
        GenericKubernetesResource secret = byName("Secret", "kube-apiserver");
        assertThat(secret.<String>get("data", "service-account.pub")).isEqualTo("cHVi");
        assertThat(secret.<String>get("data", "service-account.key")).isEqualTo("a2V5");
    }

    @Test
    void withoutAKeyToSignItSaysSo() {
        Adoption without = Adoption.of(List.of(API_SERVER, SECRET), Optional.empty(), true);

        assertThat(without.remarks()).anyMatch(remark -> remark.contains("--service-account-issuer"));
        assertThat(without.objects()).contains(SECRET);
    }

    @Test
    void thePodCheckpointerIsNotApplied() {
        assertThat(adoption.objects())
                .extracting(object -> object.getMetadata().getName())
                .doesNotContain("pod-checkpointer");
        assertThat(adoption.changes())
                .anyMatch(
                        change -> change.describe().startsWith("DaemonSet kube-system/pod-checkpointer: not applied"));
    }

    @Test
    void theOthersAreRolledWithoutAGap() {
        GenericKubernetesResource scheduler = byName("Deployment", "kube-scheduler");

        assertThat(scheduler.<Integer>get("spec", "strategy", "rollingUpdate", "maxUnavailable"))
                .isZero();
        assertThat(scheduler.<Integer>get("spec", "replicas")).isEqualTo(2);
        assertThat(adoption.remarks()).anyMatch(remark -> remark.contains("kube-scheduler: authenticates with"));
    }

    @Test
    void everyChangeSaysWhatWouldNotHoldWithoutIt() {
        assertThat(adoption.changes())
                .isNotEmpty()
                .allSatisfy(change -> assertThat(change.reason()).isNotBlank());
    }

    @Test
    void appliedTwiceItChangesNothingMore() {
        Adoption again = Adoption.of(adoption.objects(), KEY, true);

        assertThat(again.changes()).isEmpty();
        assertThat(again.objects()).isEqualTo(adoption.objects());
    }

    private DaemonSet apiServer() {
        return YAML.convertValue(byName("DaemonSet", "kube-apiserver"), DaemonSet.class);
    }

    private GenericKubernetesResource byName(String kind, String name) {
        return adoption.objects().stream()
                .filter(object -> object.getKind().equals(kind)
                        && object.getMetadata().getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static GenericKubernetesResource object(String text) {
        try {
            return YAML.readValue(text, GenericKubernetesResource.class);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(text, e);
        }
    }

    @Test
    void withoutAContainerOfThatNameItSaysWhatElseCanBeDone() {
        GenericKubernetesResource nameless = object("""
                apiVersion: apps/v1
                kind: DaemonSet
                metadata: {name: kube-apiserver, namespace: kube-system}
                spec: {template: {spec: {containers: [{name: hyperkube, image: example}]}}}
                """);

        Refusal.of(() -> Adoption.of(List.of(nameless), KEY, true), ErrorCode.INVALID_ASSET_DIRECTORY)
                .lineContains("kube-apiserver", "has no container that runs kube-apiserver")
                .nextContains("without --adopt");
    }
}
