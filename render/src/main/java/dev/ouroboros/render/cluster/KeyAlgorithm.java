package dev.ouroboros.render.cluster;

import java.util.Arrays;
import java.util.Optional;

/** What keys are made with. */
public enum KeyAlgorithm {
    ECDSA_P256("ECDSA-P256"),
    RSA_2048("RSA-2048");

    private final String label;

    KeyAlgorithm(String label) {
        this.label = label;
    }

    /** As written in a Cluster document. */
    public String label() {
        return label;
    }

    public static Optional<KeyAlgorithm> of(String label) {
        return Arrays.stream(values())
                .filter(algorithm -> algorithm.label.equalsIgnoreCase(label))
                .findFirst();
    }
}
