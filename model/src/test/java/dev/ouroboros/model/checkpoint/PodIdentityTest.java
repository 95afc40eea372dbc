package dev.ouroboros.model.checkpoint;

import static dev.ouroboros.model.json.YamlFixture.yaml;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.json.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PodIdentityTest {
    private static PodIdentity of(String metadata, String container) {
        return PodIdentity.of(yaml("metadata: " + metadata + "\nspec: {containers: [" + container + "]}"));
    }

    private static Role role(String namespace, String container) {
        return of("{name: p, namespace: " + namespace + "}", container).role();
    }

    @Test
    void isNamedAfterItsController() {
        assertThat(of("""
                {name: kube-apiserver-8x2lp, namespace: kube-system, ownerReferences: [
                  {kind: Other, name: nobody}, {kind: DaemonSet, name: kube-apiserver, controller: true}]}
                """, "{name: a}").component()).isEqualTo(new ComponentName("kube-system", "kube-apiserver"));
    }

    @Test
    void isNamedAfterItsDeploymentAndNotAfterTheReplicaSet() {
        String owner = "ownerReferences: [{kind: ReplicaSet, name: a-b-5d4f, controller: true}]";

        assertThat(of("{name: p, namespace: n, labels: {pod-template-hash: 5d4f}, " + owner + "}", "{}")
                        .component()
                        .name())
                .isEqualTo("a-b");
        assertThat(of("{name: p, namespace: n, labels: {pod-template-hash: other}, " + owner + "}", "{}")
                        .component()
                        .name())
                .isEqualTo("a-b-5d4f");
        assertThat(of("{name: p, namespace: n, " + owner + "}", "{}")
                        .component()
                        .name())
                .isEqualTo("a-b-5d4f");
    }

    @Test
    void keepsTheNameOfAReplicaSetThatIsNothingButAHash() {
        assertThat(of(
                                "{name: p, namespace: n, labels: {pod-template-hash: x}, ownerReferences: "
                                        + "[{kind: ReplicaSet, name: -x, controller: true}]}",
                                "{}")
                        .component()
                        .name())
                .isEqualTo("-x");
    }

    @Test
    void isItselfWithoutAController() {
        assertThat(of("{name: alone, namespace: n}", "{}").component()).isEqualTo(new ComponentName("n", "alone"));
        assertThat(of(
                                "{name: mirror, namespace: n, ownerReferences: [{kind: Node, name: node, controller: true}]}",
                                "{}")
                        .component()
                        .name())
                .isEqualTo("mirror");
    }

    @Test
    void refusesWhatCameFromNoApiServer() {
        assertThatThrownBy(() -> PodIdentity.of(Json.object())).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void knowsTheControlPlaneByWhatRuns() {
        assertThat(role("kube-system", "{name: kube-apiserver}")).isEqualTo(Role.API_SERVER);
        assertThat(role("kube-system", "{name: x, command: [/bin/kube-scheduler]}"))
                .isEqualTo(Role.SCHEDULER);
        assertThat(role("kube-system", "{name: x, command: [/hyperkube], args: [kube-controller-manager]}"))
                .isEqualTo(Role.CONTROLLER_MANAGER);
        assertThat(role("kube-system", "{name: ouroboros-keeper}")).isEqualTo(Role.KEEPER);
        assertThat(role("kube-system", "{name: coredns}")).isEqualTo(Role.OTHER);
    }

    @Test
    void knowsTheKeeperByItsController() {
        assertThat(of(
                                "{name: ouroboros-keeper-a, namespace: kube-system, ownerReferences: "
                                        + "[{kind: DaemonSet, name: ouroboros-keeper, controller: true}]}",
                                "{name: main}")
                        .role())
                .isEqualTo(Role.KEEPER);
    }

    @Test
    void takesAGuestsControlPlaneForNobodysButTheGuests() {
        assertThat(role("tenant", "{name: kube-apiserver}")).isEqualTo(Role.OTHER);
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "true,-,true",
                "-,true,true",
                "false,true,false",
                "true,false,true",
                "-,-,false",
                "maybe,true,false"
            })
    void letsOurAnnotationOverrideBootkubes(String ours, String bootkubes, boolean asks) {
        Json.Fields annotations = Json.object();
        if (ours != null) {
            annotations = annotations.with("ouroboros.dev/checkpoint", Json.text(ours));
        }
        if (bootkubes != null) {
            annotations = annotations.with("checkpointer.alpha.coreos.com/checkpoint", Json.text(bootkubes));
        }
        assertThat(PodIdentity.asks(annotations)).isEqualTo(asks);
    }

    @Test
    void tellsStaticPodsAndTheirMirrorsFromPrincipals() {
        assertThat(of("{name: p, namespace: n, annotations: {kubernetes.io/config.mirror: abc}}", "{}")
                        .isStatic())
                .isTrue();
        assertThat(of("{name: p, namespace: n, annotations: {kubernetes.io/config.source: file}}", "{}")
                        .isStatic())
                .isTrue();
        assertThat(of("{name: p, namespace: n, annotations: {kubernetes.io/config.source: api}}", "{}")
                        .isStatic())
                .isFalse();
        assertThat(of("{name: p, namespace: n}", "{}").isStatic()).isFalse();
    }

    @Test
    void knowsBootkubesCheckpointer() {
        assertThat(of("{name: p, namespace: n}", "{name: pod-checkpointer}").isCheckpointer())
                .isTrue();
        assertThat(of("{name: p, namespace: n}", "{name: x}").isCheckpointer()).isFalse();
    }
}
