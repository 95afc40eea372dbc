package dev.ouroboros.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.json.Json;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ControlPlaneWorkloadsTest {
    @ParameterizedTest
    @ValueSource(strings = {"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy", "etcd"})
    void areTheClustersOwnWhoeverHostsThem(String container) {
        assertThat(ControlPlaneWorkloads.of("kube-system/x", running(container)))
                .singleElement()
                .satisfies(found -> assertThat(found.component()).isEqualTo(container));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ouroboros-keeper", "ouroboros-dns", "kubelet", "web"})
    void areNotWhatLooksAfterTheControlPlaneOrRunsOnIt(String container) {
        assertThat(ControlPlaneWorkloads.of("kube-system/x", running(container)))
                .isEmpty();
    }

    private static Json.Fields running(String container) {
        return Json.object()
                .with("kind", Json.text("Deployment"))
                .with("metadata", Json.object().with("name", Json.text("x")))
                .with(
                        "spec",
                        Json.object()
                                .with(
                                        "template",
                                        Json.object()
                                                .with(
                                                        "spec",
                                                        Json.object()
                                                                .with(
                                                                        "containers",
                                                                        Json.items(Stream.of(Json.object()
                                                                                .with(
                                                                                        "name",
                                                                                        Json.text(container))))))));
    }
}
