package dev.ouroboros.facts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.version.KubernetesVersion;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The sentences of the version skew policy, and of the deprecation guide, one by one. */
final class SkewPolicyTest {
    private final List<SkewRule> rules = SkewPolicy.load().rules();

    @ParameterizedTest
    @CsvSource({
        // At most 1.24: two minor versions older; 1.25 and later: three; never newer.
        "kubelet, 1.24, kube-apiserver, 1.26, true",
        "kubelet, 1.24, kube-apiserver, 1.27, false",
        "kubelet, 1.25, kube-apiserver, 1.28, true",
        "kubelet, 1.25, kube-apiserver, 1.29, false",
        "kubelet, 1.33, kube-apiserver, 1.36, true",
        "kubelet, 1.36, kube-apiserver, 1.35, false",
        "kube-proxy, 1.24, kube-apiserver, 1.27, false",
        "kube-proxy, 1.25, kube-apiserver, 1.28, true",
        "kube-proxy, 1.29, kube-apiserver, 1.28, false",
        "kube-proxy, 1.28, kubelet, 1.25, true",
        "kube-proxy, 1.25, kubelet, 1.28, true",
        "kube-proxy, 1.29, kubelet, 1.25, false",
        "kube-proxy, 1.24, kubelet, 1.21, false",
        "kube-proxy, 1.24, kubelet, 1.22, true",
        "kube-controller-manager, 1.35, kube-apiserver, 1.36, true",
        "kube-controller-manager, 1.34, kube-apiserver, 1.36, false",
        "kube-controller-manager, 1.36, kube-apiserver, 1.35, false",
        "kube-scheduler, 1.35, kube-apiserver, 1.36, true",
        "kube-scheduler, 1.36, kube-apiserver, 1.35, false",
        "kube-apiserver, 1.35, kube-apiserver, 1.36, true",
        "kube-apiserver, 1.34, kube-apiserver, 1.36, false",
        "kubectl, 1.36, kube-apiserver, 1.35, true",
        "kubectl, 1.37, kube-apiserver, 1.35, false",
        // Patches do not count; nothing is known across major versions.
        "kubelet, 1.36.0, kube-apiserver, 1.36.3, true",
        "kubelet, 1.36.3, kube-apiserver, 1.36.0, true",
        "kubelet, 1.36, kube-apiserver, 2.36, false",
    })
    void saysWhatThePolicySays(String component, String version, String than, String other, boolean isAllowed) {
        List<SkewRule> about = rules.stream()
                .filter(rule ->
                        rule.component().equals(component) && rule.than().equals(than))
                .filter(rule -> rule.range().contains(version(version)))
                .toList();

        assertThat(about).hasSize(1);
        assertThat(about.getFirst().allows(version(version), version(other))).isEqualTo(isAllowed);
        assertThat(about.getFirst().source()).isNotBlank();
    }

    @ParameterizedTest
    @CsvSource({
        "policy/v1beta1, PodDisruptionBudget, poddisruptionbudgets, 1.24, 1.25",
        "networking.k8s.io/v1beta1, Ingress, ingresses, 1.21, 1.22",
        "batch/v1beta1, CronJob, cronjobs, 1.24, 1.25",
        "autoscaling/v2beta2, HorizontalPodAutoscaler, horizontalpodautoscalers, 1.25, 1.26",
        "storage.k8s.io/v1beta1, CSIStorageCapacity, csistoragecapacities, 1.26, 1.27",
        "flowcontrol.apiserver.k8s.io/v1beta2, FlowSchema, flowschemas, 1.28, 1.29",
        "flowcontrol.apiserver.k8s.io/v1beta3, FlowSchema, flowschemas, 1.31, 1.32",
    })
    void saysWhatTheDeprecationGuideSays(
            String apiVersion, String kind, String resource, String lastWith, String firstWithout) {
        RemovedApis removed = RemovedApis.load();

        assertThat(removed.ofKind(apiVersion, kind, version(lastWith))).isEmpty();
        assertThat(removed.ofKind(apiVersion, kind, version(firstWithout))).isPresent();
        assertThat(removed.ofResource(apiVersion, resource, version(firstWithout)))
                .isEqualTo(removed.ofKind(apiVersion, kind, version(firstWithout)));
    }

    @ParameterizedTest
    @CsvSource({"1.20.2, 3.2.18", "1.28.0, 3.4.13", "1.31.1, 3.5.11", "1.36.3, 3.5.24"})
    void knowsTheOldestEtcdOfAKubernetes(String kubernetes, String etcd) {
        assertThat(new EtcdTools().oldestFor(version(kubernetes)))
                .hasValueSatisfying(oldest -> assertThat(oldest.etcd()).isEqualTo(version(etcd)));
    }

    @ParameterizedTest
    @CsvSource({"3.6.0, 3.5.32", "3.6.14, 3.5.32", "3.7.1, 3.6.11"})
    void knowsTheOldestEtcdBeforeAnother(String next, String etcd) {
        assertThat(new EtcdTools().oldestBefore(version(next)))
                .hasValueSatisfying(oldest -> assertThat(oldest.etcd()).isEqualTo(version(etcd)));
        assertThat(new EtcdTools().oldestBefore(version("3.5.30"))).isEmpty();
    }

    private static KubernetesVersion version(String text) {
        return KubernetesVersion.parse(text).orElseThrow();
    }
}
