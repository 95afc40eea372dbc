package dev.ouroboros.model.checkpoint;

import static dev.ouroboros.model.checkpoint.PodFixture.pod;
import static dev.ouroboros.model.json.YamlFixture.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.checkpoint.Checkpointing.Result;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import org.junit.jupiter.api.Test;

/** What bootkube's checkpointer does wrong with a pod and what it refers to, each a test that it would fail. */
final class BootkubeDefectsTest {
    private final PodFixture world =
            new PodFixture().secret("keys", "a", "1", "b", "2").configMap("config", "a", "x");

    @Test
    void rewritesItemsModesOptionalProjectedAndEnvironmentToo() {
        Checkpoint saved = world.saved(pod("""
                containers:
                - name: main
                  envFrom: [{configMapRef: {name: config}}]
                  env: [{name: E, valueFrom: {secretKeyRef: {name: keys, key: b}}}]
                volumes:
                - {name: items, secret: {secretName: keys, items: [{key: a, path: x/y, mode: 256}]}}
                - {name: optional, configMap: {name: none, optional: true}}
                - {name: projected, projected: {defaultMode: 288, sources: [{secret: {name: keys}}]}}
                """));

        assertThat(saved.files()).extracting(SavedFile::path).containsExactly("x/y", "a", "b");
        assertThat(saved.files()).extracting(SavedFile::mode).containsExactly(0400, 0440, 0440);
        assertThat(References.of(Understudy.of(saved, "/f")).all()).isEmpty();
    }

    @Test
    void takesAFailedReadForUnknownAndNeverForAbsent() {
        Evidence<Result> result = new Checkpointing(PodFixture.RULES, PodFixture.NEW)
                .of(
                        pod("containers: [{name: main, envFrom: [{secretRef: {name: keys, optional: true}}]}]"),
                        _ -> Evidence.unknown("403"));

        assertThat(result).isInstanceOf(Evidence.Unknown.class);
    }

    @Test
    void doesNotKeepAKeyThatLeftItsSecret() {
        Json pod = pod("""
                containers: [{name: main}]
                volumes: [{name: v, secret: {secretName: keys}}]
                """);
        Checkpoint before = world.saved(pod);
        Checkpoint after = world.secret("keys", "a", "1").saved(pod);

        assertThat(before.files()).extracting(SavedFile::path).containsExactly("a", "b");
        assertThat(after.files()).extracting(SavedFile::path).containsExactly("a");
        assertThat(after.revision()).isNotEqualTo(before.revision());
    }

    @Test
    void savesAPodWhoseContainersHaveDifferentUsers() {
        Checkpoint saved = world.saved(pod("""
                securityContext: {fsGroup: 2000}
                containers:
                - {name: one, securityContext: {runAsUser: 1000}, volumeMounts: [{name: v, mountPath: /v}]}
                - {name: two, securityContext: {runAsUser: 1001}, volumeMounts: [{name: v, mountPath: /v}]}
                volumes: [{name: v, secret: {secretName: keys, defaultMode: 256}}]
                """));

        assertThat(saved.files()).allSatisfy(file -> {
            assertThat(file.group()).isEqualTo(2000);
            assertThat(file.mode()).isEqualTo(0440);
        });
        assertThat(Understudy.of(saved, "/f").at("spec").at("securityContext", "fsGroup"))
                .isEqualTo(Json.number(2000));
    }

    @Test
    void servesEveryNamespace() {
        Json pod = yaml("""
                metadata: {name: p, namespace: web}
                spec: {containers: [{name: main, envFrom: [{secretRef: {name: keys}}]}]}
                """);

        assertThat(References.of(pod).toRead()).extracting(ApiObject::namespace).containsExactly("web");
        assertThat(world.refused(pod)).hasSize(1);
    }

    @Test
    void keepsTheVersionOfTheRunningPodApartFromTheNext() {
        Json old = pod("containers: [{name: main, image: 'x:1'}]");
        Json next = pod("containers: [{name: main, image: 'x:2'}]");

        assertThat(world.saved(old).revision()).isNotEqualTo(world.saved(next).revision());
    }
}
