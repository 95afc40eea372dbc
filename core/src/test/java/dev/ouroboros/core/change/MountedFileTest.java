package dev.ouroboros.core.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.core.component.Component;
import dev.ouroboros.core.json.Json;
import dev.ouroboros.core.lint.ManifestFile;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

final class MountedFileTest {
    private static final String KEY = "service-account-key-file";

    private static Json workload(String command, String volume) {
        return ManifestFile.read("""
                        kind: DaemonSet
                        metadata: {name: kube-apiserver, namespace: kube-system}
                        spec:
                          template:
                            spec:
                              containers:
                              - {name: api, command: [%s], volumeMounts: [{name: keys, mountPath: /keys}]}
                              volumes: [{name: keys, %s}]
                        """.formatted(command, volume), "test")
                .getFirst()
                .value();
    }

    private static void assertRefused(ThrowingCallable work, String where, String what, String next) {
        assertThatThrownBy(work)
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        failure -> assertThat(failure.problems())
                                .singleElement()
                                .satisfies(problem -> {
                                    assertThat(problem.code()).isEqualTo(ErrorCode.UNSUPPORTED_CLUSTER);
                                    assertThat(problem.where()).contains("kube-apiserver", where);
                                    assertThat(problem.what()).contains(what);
                                    assertThat(problem.next()).contains(next);
                                }));
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
        assertRefused(
                () -> MountedFile.one(twice, Component.API_SERVER, KEY),
                "--" + KEY,
                "is given 2 times",
                "docs/change.md");
        Json never = workload("kube-apiserver", "secret: {secretName: s}");
        assertRefused(
                () -> MountedFile.one(never, Component.API_SERVER, KEY),
                "--" + KEY,
                "is given 0 times",
                "docs/change.md");
    }

    @Test
    void refusesAFileOfTheNode() {
        Json workload = workload("kube-apiserver, --service-account-key-file=/keys/a", "hostPath: {path: /keys}");
        assertRefused(
                () -> MountedFile.one(workload, Component.API_SERVER, KEY),
                "--" + KEY,
                "/keys/a is not a file of a Secret volume",
                "change the template by hand");
    }

    @Test
    void saysThatNoContainerRunsTheProgram() {
        Json workload = workload("envoy", "secret: {secretName: s}");
        assertRefused(
                () -> MountedFile.one(workload, Component.API_SERVER, KEY),
                "spec.template.spec.containers",
                "none runs kube-apiserver",
                "name the container that runs it kube-apiserver");
    }

    @Test
    void refusesKeysOfAnApiServerThatAreInTwoSecrets() {
        Json workload = ManifestFile.read("""
                        kind: DaemonSet
                        metadata: {name: kube-apiserver, namespace: kube-system}
                        spec:
                          template:
                            spec:
                              containers:
                              - name: kube-apiserver
                                command:
                                - kube-apiserver
                                - --service-account-key-file=/one/a.pub
                                - --service-account-signing-key-file=/two/a.key
                                volumeMounts: [{name: one, mountPath: /one}, {name: two, mountPath: /two}]
                              volumes: [{name: one, secret: {secretName: one}}, {name: two, secret: {secretName: two}}]
                        """, "test").getFirst().value();
        assertRefused(
                () -> SigningRotation.secretOfApiServer(workload),
                "--service-account-key-file",
                "do not name two files of one Secret",
                "docs/change.md");
    }
}
