package dev.ouroboros.render.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.manifest.WorkloadReference;
import dev.ouroboros.model.problem.ProblemException;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class ManifestSetTest {
    private static String object(String kind, String name) {
        return "apiVersion: v1\nkind: " + kind + "\nmetadata:\n  name: " + name + "\n";
    }

    @Test
    void appliesNamespacesThenDefinitionsThenTheRestInTheOrderOfFiles() {
        ManifestSet set = ManifestSet.parse(new TreeMap<>(Map.of(
                "1.yaml", object("ConfigMap", "a") + "---\n" + object("Namespace", "n"),
                "2.yaml", "# only a comment\n---\n" + object("CustomResourceDefinition", "d"),
                "3.yaml", object("ConfigMap", "b"))));

        assertThat(set.objects()).extracting(o -> o.getMetadata().getName()).containsExactly("n", "d", "a", "b");
    }

    @Test
    void namesEveryFileThatIsNoObject() {
        assertThatThrownBy(() -> ManifestSet.parse(new TreeMap<>(Map.of(
                        "1.yaml", "kind: ConfigMap", "2.yaml", ": : :\n  - [", "3.yaml", object("ConfigMap", "fine")))))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("1.yaml")
                .hasMessageContaining("2.yaml")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("3.yaml"));
    }

    @Test
    void keepsTheKeeperForLastAndKnowsWhoAsksForACheckpoint() {
        String workload = """
                apiVersion: apps/v1
                kind: DaemonSet
                metadata: {name: %s, namespace: kube-system, labels: {tier: control-plane}}
                spec: {template: {metadata: {annotations: %s}, spec: {}}}
                """;
        ManifestSet set = ManifestSet.parse(new TreeMap<>(Map.of(
                "1.yaml", workload.formatted("kube-apiserver", "{ouroboros.dev/checkpoint: 'true'}"),
                "2.yaml", workload.formatted("kube-scheduler", "{checkpointer.alpha.coreos.com/checkpoint: 'true'}"),
                "3.yaml",
                        workload.formatted(
                                "kube-flannel",
                                "{checkpointer.alpha.coreos.com/checkpoint: 'true', ouroboros.dev/checkpoint: 'false'}"),
                "4.yaml", workload.formatted("kube-proxy", "{}"),
                "5.yaml", workload.formatted("ouroboros-keeper", "{ouroboros.dev/checkpoint: 'true'}"),
                "6.yaml", workload.formatted("ouroboros-steward", "{}"))));

        assertThat(set.keeper().controlPlane())
                .extracting(WorkloadReference::name)
                .containsExactly("ouroboros-keeper");
        assertThat(set.withoutKeeper().size()).isEqualTo(4);
        assertThat(set.checkpointed())
                .extracting(WorkloadReference::name)
                .containsExactly("kube-apiserver", "kube-scheduler", "ouroboros-keeper");
    }

    /** Its pod needs them, and nothing else does; an API server takes a second to serve its kind. */
    @Test
    void knowsWhatTheStewardNeeds() {
        String object = "apiVersion: v1\nkind: %s\nmetadata: {name: %s, namespace: kube-system}\n";
        Map<String, String> steward = Map.of(
                "1.yaml",
                object.formatted("Secret", "ouroboros-steward-267b2e9e1b"),
                "2.yaml",
                object.formatted("ServiceAccount", "ouroboros-steward"),
                "3.yaml",
                object.formatted("Role", "'ouroboros:steward'"),
                "4.yaml",
                "apiVersion: v1\nkind: ClusterRoleBinding\nmetadata: {name: 'ouroboros:steward'}\n",
                "5.yaml",
                "apiVersion: v1\nkind: CustomResourceDefinition\nmetadata: {name: controlplanes.ouroboros.dev}\n",
                "6.yaml",
                "apiVersion: ouroboros.dev/v1alpha1\nkind: ControlPlane\nmetadata: {name: cluster}\n");
        ManifestSet alone = ManifestSet.parse(new TreeMap<>(steward));
        assertThat(alone.steward().size()).isEqualTo(6);
        // Nobody begins it later.
        assertThat(alone.withoutKeeper().size()).isEqualTo(6);

        TreeMap<String, String> kept = new TreeMap<>(steward);
        kept.put("7.yaml", object.formatted("Secret", "other"));
        kept.put("8.yaml", """
                apiVersion: apps/v1
                kind: DaemonSet
                metadata: {name: ouroboros-keeper, namespace: kube-system, labels: {tier: control-plane}}
                """);
        assertThat(ManifestSet.parse(kept).withoutKeeper().objects())
                .singleElement()
                .satisfies(left -> assertThat(left.getMetadata().getName()).isEqualTo("other"));
    }

    /** What is removed with the keeper comes back with it. */
    @Test
    void knowsTheKeepersRightsAndSecrets() {
        String object = "apiVersion: v1\nkind: %s\nmetadata: {name: %s, namespace: kube-system}\n";
        ManifestSet set = ManifestSet.parse(new TreeMap<>(Map.of(
                "1.yaml", object.formatted("Secret", "ouroboros-keeper-267b2e9e1b"),
                "2.yaml", object.formatted("Secret", "kube-apiserver-267b2e9e1b"),
                "3.yaml", object.formatted("ClusterRole", "'ouroboros:keeper'"),
                "4.yaml", object.formatted("RoleBinding", "'ouroboros:keeper-namespace'"),
                "5.yaml", object.formatted("ClusterRole", "'ouroboros:dns'"))));

        assertThat(set.keeperWithAccess().size()).isEqualTo(3);
        assertThat(set.keeper().size()).isZero();
    }

    @Test
    void findsTheControlPlaneByItsTierAndItsLabelsByItsNodeSelectors() {
        ManifestSet set = ManifestSet.parse(Map.of("a.yaml", """
                apiVersion: apps/v1
                kind: DaemonSet
                metadata: {name: kube-apiserver, namespace: kube-system, labels: {tier: control-plane}}
                spec: {template: {spec: {nodeSelector: {node-role.kubernetes.io/master: "", disk: ssd}}}}
                ---
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: add-on, namespace: kube-system}
                spec: {template: {spec: {}}}
                """));

        assertThat(set.controlPlane())
                .containsExactly(new WorkloadReference("DaemonSet", "kube-system", "kube-apiserver"));
        assertThat(set.controlPlaneLabels()).containsExactly("node-role.kubernetes.io/master");
    }
}
