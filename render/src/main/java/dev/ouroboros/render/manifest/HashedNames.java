package dev.ouroboros.render.manifest;

import dev.ouroboros.model.asset.HashedName;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Immutable objects whose name ends in a hash of their content. A change of content is then a change of the pod template that
 * names it, so that the kubelet never exchanges files under a running pod (docs/architecture.md, rule 4).
 */
final class HashedNames {
    private HashedNames() {}

    /** An immutable Secret in kube-system. */
    static Secret secret(String name, Map<String, String> labels, SortedMap<String, String> content) {
        return new SecretBuilder()
                .withNewMetadata()
                .withName(HashedName.of(name, content))
                .withNamespace(Pods.NAMESPACE)
                .withLabels(labels)
                .endMetadata()
                .withType("Opaque")
                .withImmutable(true)
                .withData(encoded(content))
                .build();
    }

    /** Values as the field {@code data} wants them. */
    static SortedMap<String, String> encoded(SortedMap<String, String> content) {
        SortedMap<String, String> data = new TreeMap<>();
        content.forEach((key, text) -> data.put(key, Kubeconfigs.base64(text)));
        return data;
    }
}
