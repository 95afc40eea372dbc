package dev.ouroboros.core.manifest;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Immutable objects whose name ends in a hash of their content. A change of content is then a change of the pod template that
 * names it, so that the kubelet never exchanges files under a running pod (design.md, rule 4).
 */
final class HashedNames {
    private static final int HASH_LENGTH = 10;

    private HashedNames() {}

    /** An immutable Secret in kube-system. */
    static Secret secret(String name, Map<String, String> labels, SortedMap<String, String> content) {
        return new SecretBuilder()
                .withNewMetadata()
                .withName(name + "-" + hash(content))
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

    private static String hash(SortedMap<String, String> content) {
        MessageDigest digest = sha256();
        content.forEach((key, text) -> {
            // Lengths first, so that no two different contents feed the same bytes.
            digest.update((key.length() + ":" + key + text.length() + ":" + text).getBytes(StandardCharsets.UTF_8));
        });
        return HexFormat.of().formatHex(digest.digest()).substring(0, HASH_LENGTH);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
