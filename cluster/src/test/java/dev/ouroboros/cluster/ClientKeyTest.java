package dev.ouroboros.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ClientKeyTest {
    @ParameterizedTest
    @ValueSource(strings = {"EC", "RSA", "Ed25519"})
    void findsTheAlgorithmThatThePkcs8FileSays(String algorithm) throws NoSuchAlgorithmException {
        byte[] der = KeyPairGenerator.getInstance(algorithm)
                .generateKeyPair()
                .getPrivate()
                .getEncoded();
        String pem = "-----BEGIN PRIVATE KEY-----\n" + Base64.getMimeEncoder().encodeToString(der)
                + "\n-----END PRIVATE KEY-----\n";

        assertThat(ClientKey.algorithm(inKubeconfig(pem))).isEqualTo(algorithm);
    }

    @ParameterizedTest
    @ValueSource(strings = {"EC", "RSA"})
    void believesTheHeaderOfOlderFormats(String algorithm) {
        String pem =
                "-----BEGIN " + algorithm + " PRIVATE KEY-----\nAA==\n-----END " + algorithm + " PRIVATE KEY-----\n";

        assertThat(ClientKey.algorithm(inKubeconfig(pem))).isEqualTo(algorithm);
    }

    private static String inKubeconfig(String pem) {
        return Base64.getEncoder().encodeToString(pem.getBytes(StandardCharsets.US_ASCII));
    }
}
