package dev.ouroboros.model.checkpoint;

import static dev.ouroboros.model.checkpoint.PodFixture.NEW;
import static dev.ouroboros.model.checkpoint.PodFixture.OLD;
import static dev.ouroboros.model.checkpoint.PodFixture.pod;
import static dev.ouroboros.model.json.YamlFixture.yaml;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.ouroboros.model.checkpoint.Checkpointing.Result;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.version.KubernetesVersion;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class CheckpointingTest {
    private final PodFixture world = new PodFixture();

    private static Json withVolume(String volume) {
        return pod("containers: [{name: main, image: x}]\nvolumes:\n-"
                + volume.indent(2).substring(1));
    }

    private static Json withEnvironment(String environment) {
        return pod("""
                containers:
                - name: main
                  image: x
                """ + environment.indent(2));
    }

    private Json environment(String yaml) {
        return world.saved(withEnvironment(yaml))
                .pod()
                .at("spec")
                .at("containers")
                .items()
                .getFirst()
                .at("env");
    }

    private static Json variables(String yaml) {
        return yaml(yaml);
    }

    @Test
    void savesASecretVolumeWithTheDefaultMode() {
        world.secret("keys", "b", "2", "a", "1");

        Checkpoint saved = world.saved(withVolume("{name: v, secret: {secretName: keys}}"));

        assertThat(saved.files())
                .extracting(SavedFile::volume, SavedFile::path, SavedFile::mode, SavedFile::group, PodFixture::text)
                .containsExactly(tuple("v", "a", 0644, 0, "1"), tuple("v", "b", 0644, 0, "2"));
        assertThat(saved.pod().at("spec").at("volumes"))
                .isEqualTo(yaml("[{name: v, hostPath: {path: v, type: Directory}}]"));
        assertThat(saved.volumes()).containsExactly("v");
    }

    @Test
    void savesTextAndBinaryOfAConfigMap() {
        world.with(
                ApiObject.Kind.CONFIG_MAP,
                "config",
                yaml("{data: {plain: 'text ä'}, binaryData: {raw: " + PodFixture.base64("bytes") + "}}"));

        assertThat(world.saved(withVolume("{name: v, configMap: {name: config, defaultMode: 256}}"))
                        .files())
                .extracting(SavedFile::path, SavedFile::mode, PodFixture::text)
                .containsExactly(tuple("plain", 0400, "text ä"), tuple("raw", 0400, "bytes"));
    }

    @Test
    void savesOnlyItemsWithTheirPathsAndModes() {
        world.secret("keys", "a", "1", "b", "2", "c", "3");

        assertThat(world.saved(withVolume("""
                        name: v
                        secret:
                          secretName: keys
                          defaultMode: 288
                          items:
                          - {key: b, path: deep/er/b.pem}
                          - {key: a, path: a.pem, mode: 384}
                        """)).files())
                .extracting(SavedFile::path, SavedFile::mode, PodFixture::text)
                .containsExactly(tuple("a.pem", 0600, "1"), tuple("deep/er/b.pem", 0440, "2"));
    }

    @Test
    void savesProjectedSourcesTogetherLaterOverEarlier() {
        world.secret("keys", "a", "secret", "same", "secret").configMap("config", "same", "map", "c", "map");

        assertThat(world.saved(withVolume("""
                        name: v
                        projected:
                          defaultMode: 384
                          sources:
                          - secret: {name: keys}
                          - configMap: {name: config, items: [{key: same, path: same}, {key: c, path: c, mode: 420}]}
                        """)).files())
                .extracting(SavedFile::path, SavedFile::mode, PodFixture::text)
                .containsExactly(tuple("a", 0600, "secret"), tuple("c", 0644, "map"), tuple("same", 0600, "map"));
    }

    @Test
    void givesFilesTheGroupAndModeThatFsGroupMeans() {
        world.secret("keys", "a", "1");
        Json pod = pod("""
                securityContext: {fsGroup: 65534, runAsUser: 1000}
                containers: [{name: main}]
                volumes: [{name: v, secret: {secretName: keys, defaultMode: 256}}]
                """);

        assertThat(world.saved(pod).files())
                .extracting(SavedFile::mode, SavedFile::group)
                .containsExactly(tuple(0440, 65534));
    }

    @Test
    void runsWithoutWhatIsOptional() {
        world.secret("keys", "a", "1");

        Checkpoint saved = world.saved(pod("""
                containers:
                - name: main
                  envFrom: [{secretRef: {name: gone, optional: true}}]
                  env:
                  - {name: A, valueFrom: {secretKeyRef: {name: gone, key: k, optional: true}}}
                  - {name: B, valueFrom: {secretKeyRef: {name: keys, key: gone, optional: true}}}
                volumes:
                - {name: none, secret: {secretName: gone, optional: true}}
                - {name: part, secret: {secretName: keys, optional: true, items: [{key: gone, path: x}, {key: a, path: a}]}}
                """));

        assertThat(saved.files()).extracting(SavedFile::path).containsExactly("a");
        assertThat(saved.volumes()).containsExactly("none", "part");
        assertThat(saved.pod().at("spec").at("containers")).isEqualTo(yaml("[{name: main}]"));
    }

    @Test
    void refusesWhatIsRequiredAndMissingWithEveryPath() {
        world.secret("keys", "a", "1");

        assertThat(world.refused(pod("""
                        containers:
                        - name: main
                          envFrom: [{configMapRef: {name: gone}}]
                          env:
                          - {name: A, valueFrom: {secretKeyRef: {name: gone, key: k}}}
                          - {name: B, valueFrom: {secretKeyRef: {name: keys, key: gone}}}
                        volumes:
                        - {name: v, secret: {secretName: gone}}
                        - {name: w, secret: {secretName: keys, items: [{key: a, path: a}, {key: gone, path: x}]}}
                        - {name: x, projected: {sources: [{configMap: {name: gone}}]}}
                        - {name: y, configMap: {}}
                        """)))
                .containsExactlyInAnyOrder(
                        "spec.containers[0].envFrom[0].configMapRef.name",
                        "spec.containers[0].env[0].valueFrom.secretKeyRef.name",
                        "spec.containers[0].env[1].valueFrom.secretKeyRef.key",
                        "spec.volumes[0].secret.secretName",
                        "spec.volumes[1].secret.items[1].key",
                        "spec.volumes[2].projected.sources[0].configMap.name",
                        "spec.volumes[3].configMap.name");
    }

    @Test
    void isUnknownWhenAnyObjectIs() {
        Json pod = pod("""
                containers: [{name: main, envFrom: [{secretRef: {name: one}}, {secretRef: {name: two}}]}]
                volumes: [{name: token, projected: {sources: [{serviceAccountToken: {path: t}}]}}]
                """);
        Evidence<Result> result = new Checkpointing(PodFixture.RULES, NEW)
                .of(
                        pod,
                        object -> object.name().equals("one")
                                ? Evidence.unknown("the API did not answer")
                                : Evidence.known(Optional.empty()));

        assertThat(result).isEqualTo(Evidence.<Result>unknown("Secret kube-system/one: the API did not answer"));
    }

    @Test
    void asksOnceForEachObject() {
        world.secret("keys", "a", "1");
        world.saved(pod("""
                containers: [{name: main, envFrom: [{secretRef: {name: keys}}, {secretRef: {name: keys, optional: true}}]}]
                volumes: [{name: v, secret: {secretName: keys}}]
                """));

        assertThat(world.asked()).containsExactly(new ApiObject(ApiObject.Kind.SECRET, "kube-system", "keys"));
    }

    @Test
    void inlinesVariablesAsTheKubeletResolvesThem() {
        world.secret("keys", "one", "1", "two", "2")
                .configMap("config", "two", "map", "9lives", "cat", "not valid", "x");

        assertThat(environment("""
                        envFrom:
                        - secretRef: {name: keys}
                        - configMapRef: {name: config}
                        - prefix: P_
                          configMapRef: {name: config}
                        env:
                        - {name: one, value: own}
                        - {name: LITERAL, value: "$(two)"}
                        - {name: FROM, valueFrom: {secretKeyRef: {name: keys, key: two}}}
                        - {name: EMPTY}
                        """)).isEqualTo(variables("""
                        - {name: two, value: map}
                        - {name: 9lives, value: cat}
                        - {name: not valid, value: x}
                        - {name: P_9lives, value: cat}
                        - {name: P_not valid, value: x}
                        - {name: P_two, value: map}
                        - {name: one, value: own}
                        - {name: LITERAL, value: "$(two)"}
                        - {name: FROM, value: "2"}
                        - {name: EMPTY}
                        """));
    }

    @Test
    void leavesOutKeysThatAnOlderKubeletTakesForNoNames() {
        world.configMap("config", "9lives", "cat", "not valid", "x", "_ok.-9", "y", "a=b", "z");
        Json pod = withEnvironment("envFrom: [{configMapRef: {name: config}}]");

        assertThat(names(world.saved(pod, OLD))).containsExactly("_ok.-9");
        assertThat(names(world.saved(pod, KubernetesVersion.of(1, 31)))).containsExactly("_ok.-9");
        assertThat(names(world.saved(pod, KubernetesVersion.of(1, 32))))
                .containsExactly("9lives", "_ok.-9", "not valid");
    }

    private static java.util.List<String> names(Checkpoint checkpoint) {
        return checkpoint.pod().at("spec").at("containers").items().getFirst().at("env").items().stream()
                .map(variable -> variable.at("name").text().orElse(""))
                .toList();
    }

    @Test
    void keepsAnOverriddenVariableWhoseFirstValueIsUsed() {
        world.configMap("config", "PATH", "/base");

        assertThat(environment("""
                        envFrom: [{configMapRef: {name: config}}]
                        env: [{name: PATH, value: "$(PATH):/more"}]
                        """))
                .isEqualTo(variables("[{name: PATH, value: /base}, {name: PATH, value: '$(PATH):/more'}]"));
    }

    @Test
    void escapesWhatTheKubeletWouldExpand() {
        world.secret("keys", "password", "a$(HOME)b$$c$");

        assertThat(environment("env: [{name: P, valueFrom: {secretKeyRef: {name: keys, key: password}}}]"))
                .isEqualTo(variables("[{name: P, value: 'a$$(HOME)b$$$$c$$'}]"));
    }

    @Test
    void seesOnlyTextOfAConfigMapInVariables() {
        world.with(ApiObject.Kind.CONFIG_MAP, "config", yaml("{binaryData: {raw: AAAA}}"));

        assertThat(world.refused(
                        withEnvironment("env: [{name: A, valueFrom: {configMapKeyRef: {name: config, key: raw}}}]")))
                .containsExactly("spec.containers[0].env[0].valueFrom.configMapKeyRef.key");
    }

    @Test
    void refusesAVariableThatIsNoText() {
        world.with(ApiObject.Kind.SECRET, "keys", yaml("{data: {raw: /w==}}"));

        assertThat(world.refused(withEnvironment("envFrom: [{secretRef: {name: keys}}]")))
                .containsExactly("spec.containers[0].envFrom[0].secretRef.name");
        assertThat(world.refused(
                        withEnvironment("env: [{name: A, valueFrom: {secretKeyRef: {name: keys, key: raw}}}]")))
                .containsExactly("spec.containers[0].env[0].valueFrom.secretKeyRef.key");
    }

    @Test
    void refusesASecretThatIsNotBase64() {
        world.with(ApiObject.Kind.SECRET, "keys", yaml("{data: {raw: '***'}}"));

        assertThat(world.refused(withVolume("{name: v, secret: {secretName: keys}}")))
                .containsExactly("spec.volumes[0].secret.secretName");
    }

    @Test
    void refusesPathsThatLeaveTheVolumeOrCollide() {
        world.secret("keys", "a", "1", "b", "2");

        assertThat(world.refused(withVolume("""
                        name: v
                        secret:
                          secretName: keys
                          items: [{key: a, path: ../x}, {key: a, path: f}, {key: b, path: f/g}, {key: b, path: fg}]
                        """)))
                .containsExactly("spec.volumes[0].secret.items[0].path", "spec.volumes[0].secret.items[2].path");
    }

    @Test
    void inlinesWhatAnUnderstudyWouldAnswerOtherwise() {
        Json pod = yaml("""
                metadata:
                  name: p
                  namespace: kube-system
                  labels: {app: web, "a'b": c}
                  annotations: {note: "costs $5"}
                spec:
                  serviceAccountName: robot
                  containers:
                  - name: main
                    env:
                    - {name: APP, valueFrom: {fieldRef: {fieldPath: "metadata.labels['app']"}}}
                    - {name: NOTE, valueFrom: {fieldRef: {fieldPath: "metadata.annotations['note']"}}}
                    - {name: NONE, valueFrom: {fieldRef: {fieldPath: "metadata.labels['none']"}}}
                    - {name: ACCOUNT, valueFrom: {fieldRef: {fieldPath: spec.serviceAccountName}}}
                    - {name: IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
                    - {name: CPU, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}
                """);

        assertThat(world.saved(pod)
                        .pod()
                        .at("spec")
                        .at("containers")
                        .items()
                        .getFirst()
                        .at("env"))
                .isEqualTo(variables("""
                        - {name: APP, value: web}
                        - {name: NOTE, value: "costs $$5"}
                        - {name: NONE, value: ""}
                        - {name: ACCOUNT, value: robot}
                        - {name: IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
                        - {name: CPU, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}
                        """));
    }

    @Test
    void keepsVolumesThatNeedNoApi() {
        String volumes = """
                - {name: a, hostPath: {path: /etc}}
                - {name: b, emptyDir: {medium: Memory}}
                - {name: c, downwardAPI: {items: [{path: n, fieldRef: {fieldPath: metadata.name}}]}}
                - {name: d, projected: {sources: [{downwardAPI: {items: [{path: n, fieldRef: {fieldPath: metadata.uid}}]}}]}}
                - {name: e, image: {reference: "example/data:1"}}
                - {name: f, nfs: {server: s, path: /p}}
                """;
        Checkpoint saved = world.saved(pod("containers: [{name: main, image: x}]\nvolumes:\n" + volumes));

        assertThat(saved.pod().at("spec").at("volumes")).isEqualTo(yaml(volumes));
        assertThat(saved.volumes()).isEmpty();
        assertThat(saved.images()).containsExactly("example/data:1", "x");
    }

    @Test
    void dropsWhatTheApiServerAndControllersAdded() {
        Json bare = pod("containers: [{name: main, image: x}]");
        Json full = yaml("""
                apiVersion: v1
                kind: Pod
                metadata:
                  name: other-name
                  namespace: kube-system
                  uid: another
                  resourceVersion: "5"
                  labels: {pod-template-hash: x, controller-revision-hash: y}
                  annotations: {kubectl.kubernetes.io/restartedAt: now, ouroboros.dev/checkpoint: "true"}
                  ownerReferences: [{kind: DaemonSet, name: web-x7k2p, controller: true}]
                spec:
                  nodeName: n
                  nodeSelector: {a: b}
                  affinity: {}
                  tolerations: []
                  schedulerName: default-scheduler
                  serviceAccountName: default
                  serviceAccount: default
                  restartPolicy: Always
                  priority: 5
                  priorityClassName: high
                  preemptionPolicy: Never
                  enableServiceLinks: true
                  imagePullSecrets: [{name: pull}]
                  ephemeralContainers: [{name: debug}]
                  containers: [{name: main, image: x, imagePullPolicy: Always}]
                status: {phase: Running}
                """);

        assertThat(world.saved(full)).isEqualTo(world.saved(bare));
        assertThat(world.saved(full).revision()).isEqualTo(world.saved(bare).revision());
    }

    @Test
    void keepsAnnotationsThatTheKubeletReads() {
        Json pod = yaml("""
                metadata:
                  name: p
                  namespace: kube-system
                  annotations:
                    container.apparmor.security.beta.kubernetes.io/main: runtime/default
                    other: dropped
                spec: {containers: [{name: main}]}
                """);

        assertThat(world.saved(pod).pod().at("metadata"))
                .isEqualTo(yaml("{namespace: kube-system, annotations: "
                        + "{container.apparmor.security.beta.kubernetes.io/main: runtime/default}}"));
    }

    @Test
    void savesALegacyTokenSecretLikeAnyOther() {
        world.secret("default-token-x7k2p", "token", "t");

        assertThat(world.saved(
                                withVolume("{name: default-token-x7k2p, secret: {secretName: default-token-x7k2p}}"),
                                OLD)
                        .files())
                .hasSize(1);
    }

    @Test
    void onlyWarnsOfPullSecrets() {
        assertThat(world.result(pod("imagePullSecrets: [{name: pull}]\ncontainers: [{name: main}]"), NEW))
                .isInstanceOf(Result.Complete.class);
        assertThat(world.asked()).isEmpty();
    }
}
