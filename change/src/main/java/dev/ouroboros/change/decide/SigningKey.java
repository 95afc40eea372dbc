package dev.ouroboros.change.decide;

import dev.ouroboros.model.digest.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.interfaces.ECPublicKey;
import java.util.Base64;

/**
 * A key pair that signs ServiceAccount tokens, as files.
 *
 * @param privateKey PKCS #8 in PEM
 * @param publicKey in PEM
 * @param id as API servers derive it and write it into the header of each token: the hash of the public key
 */
public record SigningKey(String privateKey, String publicKey, String id) {
    private static final int LINE = 64;
    private static final int RSA_BITS = 2048;

    /** A new pair of the same kind as an existing key. */
    static SigningKey like(PublicKey example, SecureRandom random) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance(example.getAlgorithm());
            if (example instanceof ECPublicKey curve) {
                generator.initialize(curve.getParams(), random);
            } else {
                generator.initialize(RSA_BITS, random);
            }
            KeyPair pair = generator.generateKeyPair();
            return new SigningKey(
                    pem("PRIVATE KEY", pair.getPrivate().getEncoded()), pem(pair.getPublic()), id(pair.getPublic()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK makes keys of the kinds that it reads", e);
        }
    }

    static String pem(PublicKey key) {
        return pem("PUBLIC KEY", key.getEncoded());
    }

    /** SHA-256 of the key as X.509 has it, in base64 for URLs (kubernetes, pkg/serviceaccount/jwt.go, keyIDFromPublicKey). */
    static String id(PublicKey key) {
        byte[] digest = Sha256.begin().digest(key.getEncoded());
        return Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
    }

    private static String pem(String kind, byte[] der) {
        String lines = Base64.getMimeEncoder(LINE, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(der);
        return "-----BEGIN " + kind + "-----\n" + lines + "\n-----END " + kind + "-----\n";
    }

    /** Does not print the keys. */
    @Override
    public String toString() {
        return "signing key " + id;
    }
}
