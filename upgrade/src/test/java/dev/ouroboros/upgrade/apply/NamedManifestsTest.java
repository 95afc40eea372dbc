package dev.ouroboros.upgrade.apply;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.upgrade.decide.ObjectName;
import dev.ouroboros.upgrade.decide.UpgradeStage;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class NamedManifestsTest {
    /** Else a cluster that has no steward yet would wait for ever for the kind of its object to be served. */
    @Test
    void aDefinitionIsWrittenBeforeWhatIsOfItsKind() {
        NamedManifests manifests = NamedManifests.of(Map.of(
                "manifests/a.yaml",
                "apiVersion: ouroboros.dev/v1alpha1\nkind: ControlPlane\nmetadata: {name: cluster}\n",
                "manifests/b.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: of, namespace: own}\n",
                "manifests/c.yaml",
                "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: controlplanes.ouroboros.dev}\n",
                "manifests/d.yaml",
                "apiVersion: v1\nkind: Namespace\nmetadata: {name: own}\n"));

        assertThat(manifests.of(UpgradeStage.SHARED))
                .extracting(ObjectName::kind)
                .containsExactly("Namespace", "CustomResourceDefinition", "ConfigMap", "ControlPlane");
    }
}
