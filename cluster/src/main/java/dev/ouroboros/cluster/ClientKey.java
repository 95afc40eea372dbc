package dev.ouroboros.cluster;

import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;

/**
 * Which algorithm a client key has. fabric8 guesses it from the PEM header, and takes every {@code PRIVATE KEY} (PKCS #8, which
 * says the algorithm inside) for RSA.
 */
final class ClientKey {
    private static final String PKCS_8 = "-----BEGIN PRIVATE KEY-----";
    private static final String EC = "-----BEGIN EC PRIVATE KEY-----";

    private ClientKey() {}

    /**
     * @param key a PEM file in base64, as a kubeconfig has it in {@code client-key-data}
     * @throws ProblemException INVALID_KEY_MATERIAL when no algorithm that we know fits
     */
    static String algorithm(String key) {
        String pem = new String(Base64.getMimeDecoder().decode(key), StandardCharsets.US_ASCII);
        if (!pem.contains(PKCS_8)) {
            return pem.contains(EC) ? "EC" : "RSA";
        }
        byte[] der = Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""));
        for (String algorithm : List.of("EC", "RSA", "Ed25519")) {
            if (fits(algorithm, der)) {
                return algorithm;
            }
        }
        throw ProblemException.of(
                ErrorCode.INVALID_KEY_MATERIAL,
                "client key of the kubeconfig",
                "is neither an EC, an RSA nor an Ed25519 key",
                "one of them",
                "");
    }

    private static boolean fits(String algorithm, byte[] der) {
        try {
            return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der)) != null;
        } catch (InvalidKeySpecException e) {
            return false;
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has " + algorithm, e);
        }
    }
}
