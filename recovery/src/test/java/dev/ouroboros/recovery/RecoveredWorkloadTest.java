package dev.ouroboros.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.json.Json;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RecoveredWorkloadTest {
    @ParameterizedTest
    @CsvSource({"kube-apiserver, API_SERVER", "kube-proxy, PROXY", "ouroboros-keeper, KEEPER"})
    void isWhatTheControlPlaneNeeds(String container, Component component) {
        assertThat(RecoveredWorkload.component(running(container))).contains(component);
    }

    /** An etcd is there before an API server is; DNS and other add-ons are in the data that comes back. */
    @ParameterizedTest
    @ValueSource(strings = {"etcd", "ouroboros-dns", "kubelet", "web"})
    void isNothingElse(String container) {
        assertThat(RecoveredWorkload.component(running(container))).isEmpty();
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
