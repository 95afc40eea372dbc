package dev.ouroboros.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.endpoint.testing.TestAuthority;
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
        assertThatThrownBy(() -> KubeconfigJson.read(FILE, text, Optional.empty()))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        failure -> assertThat(failure.problems()).anySatisfy(problem -> {
                            assertThat(problem.code()).isEqualTo(ErrorCode.INVALID_KEY_MATERIAL);
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
        assertRefused("kind: Config", "", "is not JSON");
        assertRefused("{}", ": contexts", "has no entry named");
        assertRefused(
                kubeconfig().replace("\"user\": \"u\"", "\"user\": \"v\""), ": users", "has no entry named \"v\"");
    }

    @Test
    void aServerIsAnHttpsUrl() {
        server = "http://192.0.2.10";
        assertRefused(kubeconfig(), ": clusters[].cluster.server", "is not set or not https");
        server = "https://a b";
        assertRefused(kubeconfig(), ": clusters[].cluster.server", "Illegal character");
    }

    @Test
    void anAuthorityIsACertificate() {
        authority = "";
        assertRefused(kubeconfig(), ": clusters[].cluster.certificate-authority-data", "holds no certificate");
        authority = base64("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
        assertRefused(kubeconfig(), ": clusters[].cluster.certificate-authority-data", "");
        assertRefused(
                kubeconfig().replace("certificate-authority-data", "certificate-authority"),
                ": clusters[].cluster.certificate-authority-data",
                "is not set");
    }

    @Test
    void aKeyIsThatOfItsCertificate() throws Exception {
        String good = key;
        key = "A";
        assertRefused(kubeconfig(), ": users[].user.client-key-data", "is not base64");
        key = base64("no key");
        assertRefused(kubeconfig(), ": users[].user.client-key-data", "is not such a key");
        key = pkcs8(TestAuthority.rsaKeys());
        assertRefused(kubeconfig(), ": users[].user.client-key-data", "cannot be read as a key of its certificate");
        key = pkcs8(TestAuthority.ellipticKeys());
        assertRefused(kubeconfig(), ": users[].user.", "the key is another certificate's");
        assertThat(good).isNotEqualTo(key);
    }
}
