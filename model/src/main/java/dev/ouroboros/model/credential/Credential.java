package dev.ouroboros.model.credential;

import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.util.Map;
import java.util.Optional;

/** A certificate and its private key. */
public record Credential(X509Certificate certificate, PrivateKey privateKey) {
    private static final byte[] PROBE = {1, 2, 3, 4};
    private static final Map<String, String> SIGNATURES = Map.of(
            "RSA", "SHA256withRSA",
            "EC", "SHA256withECDSA",
            "ECDSA", "SHA256withECDSA",
            "EdDSA", "Ed25519",
            "Ed25519", "Ed25519");

    /** Whether the two halves belong together. */
    public boolean fits() {
        return fits(privateKey, certificate.getPublicKey());
    }

    /** Whether what the private key signs, the public key verifies; of a kind that cannot sign for us it does not. */
    public static boolean fits(PrivateKey privateKey, PublicKey publicKey) {
        if (!SIGNATURES.containsKey(privateKey.getAlgorithm())) {
            return false;
        }
        try {
            Signature signer = Signature.getInstance(signatureAlgorithm(privateKey));
            signer.initSign(privateKey);
            signer.update(PROBE);
            byte[] signature = signer.sign();
            Signature verifier = Signature.getInstance(signatureAlgorithm(privateKey));
            verifier.initVerify(publicKey);
            verifier.update(PROBE);
            return verifier.verify(signature);
        } catch (InvalidKeyException e) {
            // Of different kinds: they do not fit.
            return false;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + signatureAlgorithm(privateKey), e);
        }
    }

    public static String signatureAlgorithm(PrivateKey key) {
        return Optional.ofNullable(SIGNATURES.get(key.getAlgorithm()))
                .orElseThrow(() ->
                        new IllegalArgumentException("keys of kind " + key.getAlgorithm() + " cannot sign for us"));
    }

    /** Does not print the key. */
    @Override
    public String toString() {
        return "credential of " + certificate.getSubjectX500Principal();
    }
}
