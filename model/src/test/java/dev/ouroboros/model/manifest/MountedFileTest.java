package dev.ouroboros.model.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.YamlFixture;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import org.junit.jupiter.api.Test;

final class MountedFileTest {
    private static final String KEY = "service-account-key-file";

    private static Json workload(String command, String volume) {
        return YamlFixture.yaml("""
                        kind: DaemonSet
                        metadata: {name: kube-apiserver, namespace: kube-system}
                        spec:
                          template:
                            spec:
                              containers:
                              - {name: api, command: [%s], volumeMounts: [{name: keys, mountPath: /keys}]}
                              volumes: [{name: keys, %s}]
                        """.formatted(command, volume));
    }

    @Test
    void isFoundByTheMountOfItsSecret() {
        Json workload = workload("kube-apiserver, --service-account-key-file=/keys/a.pub", "secret: {secretName: s}");
        assertThat(MountedFile.one(workload, Component.API_SERVER, KEY)).isEqualTo(new MountedFile(KEY, "s", "a.pub"));
    }

    @Test
    void refusesAFlagThatIsGivenTwiceOrNever() {
        Json twice = workload(
                "kube-apiserver, --service-account-key-file=/keys/a, --service-account-key-file=/keys/b",
                "secret: {secretName: s}");
        Refusal.of(() -> MountedFile.one(twice, Component.API_SERVER, KEY), ErrorCode.UNSUPPORTED_CLUSTER)
                .whereContains("kube-apiserver", "--" + KEY)
                .whatContains("is given 2 times")
                .nextContains("docs/change.md");
        Json never = workload("kube-apiserver", "secret: {secretName: s}");
        Refusal.of(() -> MountedFile.one(never, Component.API_SERVER, KEY), ErrorCode.UNSUPPORTED_CLUSTER)
                .whereContains("kube-apiserver", "--" + KEY)
                .whatContains("is given 0 times")
                .nextContains("docs/change.md");
    }

    @Test
    void refusesAFileOfTheNode() {
        Json workload = workload("kube-apiserver, --service-account-key-file=/keys/a", "hostPath: {path: /keys}");
        Refusal.of(() -> MountedFile.one(workload, Component.API_SERVER, KEY), ErrorCode.UNSUPPORTED_CLUSTER)
                .whereContains("kube-apiserver", "--" + KEY)
                .whatContains("/keys/a is not a file of a Secret volume")
                .nextContains("change the template by hand");
    }

    @Test
    void saysThatNoContainerRunsTheProgram() {
        Json workload = workload("envoy", "secret: {secretName: s}");
        Refusal.of(() -> MountedFile.one(workload, Component.API_SERVER, KEY), ErrorCode.UNSUPPORTED_CLUSTER)
                .whereContains("kube-apiserver", "spec.template.spec.containers")
                .whatContains("none runs kube-apiserver")
                .nextContains("name the container that runs it kube-apiserver");
    }
}
