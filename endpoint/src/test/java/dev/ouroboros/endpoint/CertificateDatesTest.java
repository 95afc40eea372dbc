package dev.ouroboros.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.endpoint.CertificateDates.Dated;
import dev.ouroboros.endpoint.testing.TestAuthority;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class CertificateDatesTest {
    private String authority = "";
    private String leaf = "";
    private String key = "";
    private Dated leafDates = new Dated("", Instant.EPOCH, false, "", Instant.EPOCH);

    @BeforeEach
    void issue() throws Exception {
        TestAuthority issuer = new TestAuthority();
        KeyPair keys = TestAuthority.ellipticKeys();
        X509Certificate certificate = issuer.leaf("somebody", keys).chain().getFirst();
        authority = TestAuthority.pem(issuer.certificate());
        leaf = TestAuthority.pem(certificate);
        key = TestAuthority.traditionalPem(keys.getPrivate());
        leafDates = new Dated(
                certificate.getSubjectX500Principal().getName(),
                certificate.getNotAfter().toInstant(),
                false,
                issuer.certificate().getSubjectX500Principal().getName(),
                certificate.getNotBefore().toInstant());
    }

    private static List<Dated> in(String text) throws IOException {
        return CertificateDates.in(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void findsEveryCertificateBetweenKeys() throws IOException {
        assertThat(in(key + leaf + authority)).hasSize(2).first().isEqualTo(leafDates);
        assertThat(in(key + leaf + authority).getLast().isAuthority()).isTrue();
    }

    @Test
    void findsThoseOfAKubeconfigInYamlAndInJson() throws IOException {
        assertThat(in("users:\n- user:\n    client-certificate-data: " + base64(leaf) + "\n"))
                .containsExactly(leafDates);
        assertThat(in("{\"user\":{\"client-certificate-data\":\"" + base64(leaf) + "\"}}"))
                .containsExactly(leafDates);
    }

    @Test
    void findsNoneInOtherFiles() throws IOException {
        assertThat(in("apiVersion: v1\n")).isEmpty();
        assertThat(in(key)).isEmpty();
    }

    @Test
    void refusesOneThatCannotBeRead() {
        assertThatThrownBy(() -> in(leaf.replaceFirst("\n[A-Za-z0-9+/]{20}", "\n")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("not a PEM certificate");
    }
}
