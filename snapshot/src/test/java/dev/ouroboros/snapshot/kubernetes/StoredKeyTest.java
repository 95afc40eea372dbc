package dev.ouroboros.snapshot.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class StoredKeyTest {
    @ParameterizedTest
    @CsvSource({
        "/registry/pods/default/a, pods, default/a",
        "/registry/minions/node-1, nodes, node-1",
        "/registry/services/specs/default/kubernetes, services, default/kubernetes",
        "/registry/services/endpoints/default/kubernetes, endpoints, default/kubernetes",
        "/registry/ingress/default/a, ingresses, default/a",
        "/registry/controllers/default/a, replicationcontrollers, default/a",
        "/registry/ranges/serviceips, ranges, serviceips",
        "/registry/clusterroles/system:node, clusterroles, system:node",
        "/registry/apiregistration.k8s.io/apiservices/v1.apps, apiservices.apiregistration.k8s.io, v1.apps",
        "/registry/example.com/widgets/default/a, widgets.example.com, default/a",
        "/registry/example.com/widgets/a, widgets.example.com, a",
    })
    void saysWhatIsStoredUnderAKey(String key, String resource, String name) {
        StoredKey parsed = StoredKey.parse(key, "/registry").orElseThrow();
        assertThat(parsed.resourceWithGroup()).isEqualTo(resource);
        assertThat(parsed.namespacedName()).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/registry/pods",
                "/registry/",
                "/registry",
                "/registry2/pods/a/b",
                "compact_rev_key",
                "/registry/pods//a",
                ""
            })
    void takesOtherKeysForNoObject(String key) {
        assertThat(StoredKey.parse(key, "/registry")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/kubernetes.io", "/a/b"})
    void knowsAnyPrefix(String prefix) {
        assertThat(StoredKey.parse(prefix + "/pods/default/a", prefix)
                        .orElseThrow()
                        .resource())
                .isEqualTo("pods");
    }
}
