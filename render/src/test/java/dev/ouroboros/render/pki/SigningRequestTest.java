package dev.ouroboros.render.pki;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.render.cluster.KeyAlgorithm;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class SigningRequestTest {
    private static KeyPair keys(KeyAlgorithm algorithm) {
        return new Issuer(algorithm, InstantSource.system(), new SecureRandom()).newKeys();
    }

    @ParameterizedTest
    @EnumSource
    void isReadAsItWasMade(KeyAlgorithm algorithm) {
        KeyPair keys = keys(algorithm);
        SigningRequest request = SigningRequest.of(keys, "etcd-member");
        assertThat(SigningRequest.read(request.pem()))
                .hasValueSatisfying(read -> assertThat(read.key()).isEqualTo(keys.getPublic()));
    }

    /** Whoever copied a public key has no request for it. */
    @Test
    void oneThatIsNotSignedWithItsOwnKeyIsNone() {
        String pem =
                SigningRequest.of(keys(KeyAlgorithm.ECDSA_P256), "etcd-member").pem();
        String base64 = pem.replaceAll("-----.*-----|\\n", "");
        byte[] encoded = Base64.getDecoder().decode(base64);
        // The last byte is the signature's.
        encoded[encoded.length - 1] ^= 1;
        String forged = "-----BEGIN CERTIFICATE REQUEST-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(encoded)
                + "\n-----END CERTIFICATE REQUEST-----\n";
        assertThat(SigningRequest.read(forged)).isEmpty();
        assertThat(SigningRequest.read("no request")).isEmpty();
    }
}
