package dev.ouroboros.model.checkpoint;

import static dev.ouroboros.model.checkpoint.PodFixture.pod;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.checkpoint.ApiObject.Kind;
import dev.ouroboros.model.checkpoint.References.Use;
import org.junit.jupiter.api.Test;

final class ReferencesTest {
    private static final String EVERYTHING = """
            imagePullSecrets: [{name: pull}]
            initContainers:
            - name: first
              env:
              - {name: A, valueFrom: {secretKeyRef: {name: init-secret, key: a}}}
            - name: sidecar
              restartPolicy: Always
              envFrom:
              - configMapRef: {name: sidecar-map, optional: true}
            containers:
            - name: main
              envFrom:
              - prefix: P_
                secretRef: {name: all}
              env:
              - {name: PLAIN, value: x}
              - {name: B, valueFrom: {configMapKeyRef: {name: map, key: b, optional: true}}}
            ephemeralContainers:
            - name: debug
              envFrom: [{secretRef: {name: debugging}}]
            volumes:
            - {name: none, emptyDir: {}}
            - {name: s, secret: {secretName: files, optional: true}}
            - {name: c, configMap: {name: config}}
            - name: p
              projected:
                sources:
                - downwardAPI: {items: []}
                - secret: {name: projected-secret}
                - configMap: {name: projected-map, optional: true}
                - secret: {name: files}
            """;

    @Test
    void findsEveryMentionWithItsPath() {
        assertThat(References.of(pod(EVERYTHING)).all())
                .extracting(
                        reference -> reference.object().toString(),
                        References.Reference::field,
                        References.Reference::use,
                        References.Reference::optional)
                .containsExactly(
                        tuple("Secret", "files", "spec.volumes[1].secret.secretName", Use.VOLUME, true),
                        tuple("ConfigMap", "config", "spec.volumes[2].configMap.name", Use.VOLUME, false),
                        tuple(
                                "Secret",
                                "projected-secret",
                                "spec.volumes[3].projected.sources[1].secret.name",
                                Use.VOLUME,
                                false),
                        tuple(
                                "ConfigMap",
                                "projected-map",
                                "spec.volumes[3].projected.sources[2].configMap.name",
                                Use.VOLUME,
                                true),
                        tuple("Secret", "files", "spec.volumes[3].projected.sources[3].secret.name", Use.VOLUME, false),
                        tuple(
                                "Secret",
                                "init-secret",
                                "spec.initContainers[0].env[0].valueFrom.secretKeyRef.name",
                                Use.ENVIRONMENT,
                                false),
                        tuple(
                                "ConfigMap",
                                "sidecar-map",
                                "spec.initContainers[1].envFrom[0].configMapRef.name",
                                Use.ENVIRONMENT,
                                true),
                        tuple("Secret", "all", "spec.containers[0].envFrom[0].secretRef.name", Use.ENVIRONMENT, false),
                        tuple(
                                "ConfigMap",
                                "map",
                                "spec.containers[0].env[1].valueFrom.configMapKeyRef.name",
                                Use.ENVIRONMENT,
                                true),
                        tuple("Secret", "pull", "spec.imagePullSecrets[0].name", Use.IMAGE_PULL, false));
    }

    @Test
    void readsEachObjectOnceAndNoPullSecret() {
        assertThat(References.of(pod(EVERYTHING)).toRead())
                .extracting(ApiObject::name)
                .containsExactly(
                        "all",
                        "files",
                        "init-secret",
                        "projected-secret",
                        "config",
                        "map",
                        "projected-map",
                        "sidecar-map");
    }

    @Test
    void takesAnEmptyNameForNoReference() {
        assertThat(References.of(pod("imagePullSecrets: [{name: ''}, {}]")).all())
                .isEmpty();
    }

    @Test
    void ordersObjectsByKindNamespaceAndName() {
        ApiObject map = new ApiObject(Kind.CONFIG_MAP, "a", "a");
        ApiObject secret = new ApiObject(Kind.SECRET, "b", "b");

        assertThat(secret).isLessThan(map).isLessThan(new ApiObject(Kind.SECRET, "b", "c"));
        assertThat(new ApiObject(Kind.SECRET, "a", "z")).isLessThan(secret);
    }

    private static org.assertj.core.groups.Tuple tuple(
            String kind, String name, String field, Use use, boolean optional) {
        return org.assertj.core.api.Assertions.tuple(kind + " kube-system/" + name, field, use, optional);
    }
}
