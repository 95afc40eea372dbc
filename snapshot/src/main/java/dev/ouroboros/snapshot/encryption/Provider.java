package dev.ouroboros.snapshot.encryption;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The providers that keep their keys in the EncryptionConfiguration itself. */
enum Provider {
    AESCBC,
    AESGCM,
    SECRETBOX;

    /** In bytes. */
    List<Integer> keyLengths() {
        return switch (this) {
            case AESCBC, AESGCM -> List.of(16, 24, 32);
            case SECRETBOX -> List.of(32);
        };
    }

    /** As in the configuration and in the prefix of values. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Optional<Provider> named(String name) {
        return Arrays.stream(values())
                .filter(provider -> provider.label().equals(name))
                .findFirst();
    }
}
