package dev.ouroboros.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyPair;
import java.util.Base64;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A kubeconfig that the keeper cannot use is in a Secret of the cluster: what is wrong is said by its field. */
final class KubeconfigJsonTest {
    private static final Path FILE = Path.of("/etc/kubernetes/secrets/kubeconfig");

    private String authority = "";
    private String certificate = "";
    private String key = "";
    private String server = "https://192.0.2.10:6443";

    @BeforeEach
    void haveKeys() throws Exception {
        TestAuthority signer = new TestAuthority();
        KeyPair keys = TestAuthority.ellipticKeys();
        authority = base64(TestAuthority.pem(signer.certificate()));
        certificate =
                base64(TestAuthority.pem(signer.leaf("keeper", keys).chain().getFirst()));
        key = pkcs8(keys);
    }

    private static String pkcs8(KeyPair keys) {
        String body = Base64.getMimeEncoder().encodeToString(keys.getPrivate().getEncoded());
        return base64("-----BEGIN PRIVATE KEY-----\n" + body + "\n-----END PRIVATE KEY-----\n");
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
    }

    private String kubeconfig() {
        return """
                {"current-context": "c",
                 "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
                 "clusters": [{"name": "k", "cluster": {"server": "%s", "certificate-authority-data": "%s"}}],
                 "users": [{"name": "u", "user": {"client-certificate-data": "%s", "client-key-data": "%s"}}]}
                """.formatted(server, authority, certificate, key);
    }

    private static void assertRefused(String text, String field, String what) {
        assertRefused(text, ErrorCode.INVALID_KEY_MATERIAL, field, what);
    }

    private static void assertRefused(String text, ErrorCode code, String field, String what) {
        assertThatThrownBy(() -> KubeconfigJson.read(FILE, text, Optional.empty()))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        failure -> assertThat(failure.problems()).anySatisfy(problem -> {
                            assertThat(problem.code()).isEqualTo(code);
                            assertThat(problem.where()).isEqualTo(FILE + field);
                            assertThat(problem.what()).contains(what);
                            assertThat(problem.next()).contains("replace the kubeconfig in the Secret");
                        }));
    }

    @Test
    void aGoodOneIsRead() {
        assertThat(KubeconfigJson.read(FILE, kubeconfig(), Optional.empty()).authenticated())
                .isTrue();
    }

    @Test
    void aTextThatIsNoneIsNamed() {
        assertRefused("kind: Config", ErrorCode.INVALID_CONFIG, "", "is not JSON");
        assertRefused("{}", ErrorCode.INVALID_CONFIG, ": current-context", "is not set");
        assertRefused(
                kubeconfig().replace("\"user\": \"u\"", "\"user\": \"v\""),
                ErrorCode.INVALID_CONFIG,
                ": contexts[c].context.user",
                "\"v\" is not in users");
    }

    @Test
    void aServerIsAnHttpsUrl() {
        server = "http://192.0.2.10";
        assertRefused(kubeconfig(), ErrorCode.INVALID_CONFIG, ": clusters[k].cluster.server", "cannot be probed");
        server = "https://a b";
        assertRefused(kubeconfig(), ErrorCode.INVALID_CONFIG, ": clusters[k].cluster.server", "cannot be probed");
    }

    @Test
    void anAuthorityIsACertificate() {
        authority = base64("no certificate");
        assertRefused(kubeconfig(), ": clusters[k].cluster.certificate-authority", "certificate");
        authority = "";
        assertRefused(kubeconfig(), ": clusters[k].cluster.certificate-authority", "is not set");
        authority = base64("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
        assertRefused(kubeconfig(), ": clusters[k].cluster.certificate-authority", "");
        assertRefused(
                kubeconfig().replace("certificate-authority-data", "certificate-authority"),
                ": clusters[k].cluster.certificate-authority",
                "files are not followed");
    }

    @Test
    void whoWeAreIsSaid() {
        assertRefused(
                kubeconfig().replace("client-certificate-data", "x").replace("client-key-data", "y"),
                ": users",
                "neither a client certificate");
    }

    @Test
    void aKeyIsThatOfItsCertificate() throws Exception {
        String good = key;
        key = "A";
        assertRefused(kubeconfig(), ": users[u].user.client-key-data", "");
        key = base64("no key");
        assertRefused(kubeconfig(), ": users[u].user.client-certificate and client-key", "not in PKCS#8");
        key = pkcs8(TestAuthority.rsaKeys());
        assertRefused(
                kubeconfig(),
                ": users[u].user.client-certificate and client-key",
                "cannot be read as one of its certificate");
        key = pkcs8(TestAuthority.ellipticKeys());
        assertRefused(
                kubeconfig(), ": users[u].user.client-certificate and client-key", "the key is another certificate's");
        assertThat(good).isNotEqualTo(key);
    }
}
