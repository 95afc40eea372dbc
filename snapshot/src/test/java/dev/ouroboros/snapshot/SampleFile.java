package dev.ouroboros.snapshot;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.zip.GZIPInputStream;

/**
 * Real snapshots; what is in them, the tests say. One of etcd 3.6.13 with a Kubernetes 1.36.2 whose Secrets are encrypted by
 * aescbc. One of Debian's etcd 3.4.23 with the API server of Debian's Kubernetes 1.20.2, which was started four times with the
 * provider's key first in its configuration, and made three Secrets each time.
 */
public final class SampleFile {
    private static final String ALL_PROVIDERS = "etcd-3.4.23-kubernetes-1.20.2-all-providers.db.gz";
    private static final String NAME = "etcd-3.6.13-kubernetes-1.36.2-aescbc.db.gz";
    private static final String KEY = "ouroboros-test-key-1-32-bytes!!!";

    private SampleFile() {}

    public static byte[] bytes() {
        return unpacked(NAME);
    }

    static byte[] allProviders() {
        return unpacked(ALL_PROVIDERS);
    }

    private static byte[] unpacked(String name) {
        try (InputStream resource = SampleFile.class.getResourceAsStream(name)) {
            if (resource == null) {
                throw new IllegalStateException(name + " is missing");
            }
            return new GZIPInputStream(resource).readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static String encryptionConfiguration() {
        return """
                apiVersion: apiserver.config.k8s.io/v1
                kind: EncryptionConfiguration
                resources:
                - resources: [secrets]
                  providers:
                  - aescbc:
                      keys:
                      - {name: key0, secret: %s}
                      - {name: key1, secret: %s}
                  - identity: {}
                """.formatted(base64("another key of thirty-two bytes!"), base64(KEY));
    }

    /** Each provider's key behind two that do not fit, one of them of the same name. */
    static String allProvidersConfiguration() {
        String wrong = base64("fedcba98765432100123456789ABCDEF");
        String right = base64("0123456789abcdef0123456789ABCDEF");
        StringBuilder text =
                new StringBuilder("kind: EncryptionConfiguration\nresources:\n- resources: [secrets]\n  providers:\n");
        for (String provider : List.of("aescbc", "aesgcm", "secretbox")) {
            text.append(
                    "  - %1$s: {keys: [{name: old, secret: %2$s}, {name: new-%1$s, secret: %2$s}, {name: new-%1$s, secret: %3$s}]}\n"
                            .formatted(provider, wrong, right));
        }
        return text.toString();
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
    }
}
