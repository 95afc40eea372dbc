package dev.ouroboros.snapshot.encryption;

import dev.ouroboros.snapshot.kubernetes.StoredValue;
import dev.ouroboros.snapshot.kubernetes.StoredValue.Encrypted;
import dev.ouroboros.snapshot.kubernetes.UnreadableObjectException;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Decrypts values with the keys of one configuration: of all keys with the provider and the name that the value states, the first
 * that fits, in the order of the configuration.
 */
public final class Decryptor {
    private static final String FORMAT = "v1";
    private static final int BLOCK = 16;
    private static final int GCM_NONCE = 12;
    private static final int GCM_TAG_BITS = 128;

    private final EncryptionConfiguration configuration;

    public Decryptor(EncryptionConfiguration configuration) {
        this.configuration = configuration;
    }

    /** Why a value could not be decrypted. */
    public sealed interface Refusal {
        /** For messages, as what follows the value's name. */
        String what();

        /** What would help. */
        String need();

        record MissingKey(String label, List<String> given) implements Refusal {
            @Override
            public String what() {
                return "is encrypted with " + label + ", and this key was not given"
                        + (given.isEmpty() ? "" : " (given: " + String.join(", ", given) + ")");
            }

            @Override
            public String need() {
                return "the API server's EncryptionConfiguration with " + label;
            }
        }

        record WrongKey(String label, String where) implements Refusal {
            @Override
            public String what() {
                return "is encrypted with another " + label + " than the one of " + where + ", or its value is damaged";
            }

            @Override
            public String need() {
                return "the EncryptionConfiguration of the time when the object was written";
            }
        }

        record NeedsKms(String version, String plugin) implements Refusal {
            @Override
            public String what() {
                return "is encrypted by KMS " + version + " plugin " + plugin + ", whose key is not in any file";
            }

            @Override
            public String need() {
                return "restore the snapshot into an etcd, and an API server that reaches the KMS plugin " + plugin;
            }
        }

        record UnknownProvider(String label) implements Refusal {
            @Override
            public String what() {
                return "is encrypted by the unknown provider " + label;
            }

            @Override
            public String need() {
                return "identity, aescbc, aesgcm or secretbox, format v1";
            }
        }
    }

    /** The value, or why it stays closed. */
    public sealed interface Outcome {
        record Opened(StoredValue value) implements Outcome {}

        record Closed(Refusal refusal) implements Outcome {}
    }

    /**
     * @param etcdKey the whole key that the value is stored under: aesgcm authenticates it
     * @throws UnreadableObjectException when it can be decrypted, but makes no sense
     */
    public Outcome open(Encrypted value, byte[] etcdKey) throws UnreadableObjectException {
        if (value.provider().equals("kms")) {
            return new Outcome.Closed(new Refusal.NeedsKms(value.version(), value.key()));
        }
        Optional<Provider> provider = Provider.named(value.provider());
        if (provider.isEmpty() || !value.version().equals(FORMAT)) {
            return new Outcome.Closed(new Refusal.UnknownProvider(value.provider() + " " + value.version()));
        }
        List<EncryptionKey> candidates = configuration.keys().stream()
                .filter(key -> key.provider() == provider.get() && key.name().equals(value.key()))
                .toList();
        if (candidates.isEmpty()) {
            return new Outcome.Closed(new Refusal.MissingKey(value.label(), configuration.labels()));
        }
        List<String> tried = new ArrayList<>();
        for (EncryptionKey key : candidates) {
            Optional<StoredValue> opened = tryOpen(key, value.payload(), etcdKey);
            if (opened.isPresent()) {
                return new Outcome.Opened(opened.get());
            }
            tried.add(key.where());
        }
        return new Outcome.Closed(new Refusal.WrongKey(value.label(), String.join(" and ", tried)));
    }

    /** Without authentication (aescbc) a wrong key can give bytes: only what an API server would store counts. */
    private static Optional<StoredValue> tryOpen(EncryptionKey key, byte[] payload, byte[] etcdKey)
            throws UnreadableObjectException {
        Optional<byte[]> plain = switch (key.provider()) {
            case AESCBC -> aesCbc(key.secret(), payload);
            case AESGCM -> aesGcm(key.secret(), payload, etcdKey);
            case SECRETBOX -> SecretBox.open(key.secret(), payload);
        };
        if (plain.isEmpty()) {
            return Optional.empty();
        }
        StoredValue value = StoredValue.of(plain.get());
        boolean authenticated = key.provider() != Provider.AESCBC;
        return authenticated || !(value instanceof StoredValue.Other) ? Optional.of(value) : Optional.empty();
    }

    private static Optional<byte[]> aesCbc(byte[] key, byte[] payload) {
        if (payload.length < 2 * BLOCK || payload.length % BLOCK != 0) {
            return Optional.empty();
        }
        try {
            Cipher cipher = Cipher.getInstance("AES/CBC/PKCS5Padding");
            cipher.init(Cipher.DECRYPT_MODE, new SecretKeySpec(key, "AES"), new IvParameterSpec(payload, 0, BLOCK));
            return Optional.of(cipher.doFinal(payload, BLOCK, payload.length - BLOCK));
        } catch (GeneralSecurityException e) {
            return Optional.empty();
        }
    }

    private static Optional<byte[]> aesGcm(byte[] key, byte[] payload, byte[] etcdKey) {
        if (payload.length < GCM_NONCE + BLOCK) {
            return Optional.empty();
        }
        try {
            Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
            cipher.init(
                    Cipher.DECRYPT_MODE,
                    new SecretKeySpec(key, "AES"),
                    new GCMParameterSpec(GCM_TAG_BITS, payload, 0, GCM_NONCE));
            cipher.updateAAD(etcdKey);
            return Optional.of(cipher.doFinal(Arrays.copyOfRange(payload, GCM_NONCE, payload.length)));
        } catch (GeneralSecurityException e) {
            return Optional.empty();
        }
    }
}
