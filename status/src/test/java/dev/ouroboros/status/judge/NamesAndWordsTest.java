package dev.ouroboros.status.judge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.runtime.RuntimePod;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NamesAndWordsTest {
    @ParameterizedTest
    @CsvSource({
        "kube-apiserver-xkcd2,                     false, kube-apiserver",
        "kube-controller-manager-7cc888df54-4qf9l, false, kube-controller-manager",
        "etcd-node-1,                              true,  etcd",
        "understudy-kube-apiserver-node-1,         true,  kube-apiserver",
        "bootstrap-kube-scheduler-node-1,          true,  kube-scheduler",
        "ouroboros-keeper-node-1,                  true,  ouroboros-keeper",
        "named-by-hand,                            false, named-by-hand"
    })
    void knowsWhosePodItIs(String pod, boolean isStatic, String component) {
        RuntimePod seen = new RuntimePod(
                "kube-system", pod, "uid", isStatic, RuntimePod.State.READY, Instant.EPOCH, 0, List.of());
        assertThat(RuntimeNames.componentOf(seen, "node-1")).isEqualTo(new ComponentName("kube-system", component));
    }

    @ParameterizedTest
    @CsvSource({
        "example.test:5000/kube-apiserver:v1.20.2,      1.20.2",
        "example.test:5000/kube-apiserver,              ",
        "kube-apiserver:v1.20.2@sha256:00,              1.20.2",
        "sha256:0123456789abcdef,                       ",
        "example.test/keeper:0.1.0-SNAPSHOT,            0.1.0-SNAPSHOT",
        "example.test/tool:vanilla,                     vanilla"
    })
    void readsVersionsFromImages(String image, String version) {
        assertThat(RuntimeNames.version(image)).isEqualTo(Optional.ofNullable(version));
    }

    @Test
    void keepsOfHealthChecksThoseThatFailed() {
        String said = "principal: not ready ([+]ping ok\n[-]etcd failed: reason withheld\n[+]shutdown ok\n"
                + "[-]poststarthook/rbac/bootstrap-roles failed: not finished\nreadyz check failed)";
        assertThat(Words.tidy(said))
                .isEqualTo(
                        "principal: not ready (etcd failed; poststarthook/rbac/bootstrap-roles failed: not finished)");
    }

    @Test
    void blamesEtcdOnlyWhenNothingElseFailed() {
        assertThat(Words.blamesEtcd("the principal: not ready (etcd failed)")).isTrue();
        assertThat(Words.blamesEtcd("the principal: not ready (etcd failed; etcd-readiness failed)"))
                .isTrue();
        assertThat(Words.blamesEtcd("the principal: not ready (etcd failed; log failed)"))
                .isFalse();
        assertThat(Words.blamesEtcd("the principal: does not listen")).isFalse();
    }

    @Test
    void shortensDigests() {
        assertThat(Words.tidy("revision " + "3f".repeat(32) + " is the best there is"))
                .isEqualTo("revision 3f3f3f3f is the best there is");
    }
}
