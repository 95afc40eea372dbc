package dev.ouroboros.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.RSAPrivateKey;
import java.util.Base64;
import java.util.Optional;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.openssl.PKCS8Generator;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KubeconfigFileTest {
    @TempDir
    Path directory = Path.of("");

    @Test
    void readsKeysInEveryPemFormat() throws Exception {
        TestAuthority authority = new TestAuthority();
        for (KeyPair keys : new KeyPair[] {TestAuthority.ellipticKeys(), TestAuthority.rsaKeys()}) {
            String traditional = TestAuthority.traditionalPem(keys.getPrivate());
            PKCS8Generator wrapped = new JcaPKCS8Generator(keys.getPrivate(), null);
            String certificate =
                    TestAuthority.pem(authority.leaf("client", keys).chain().getFirst());
            for (String key : new String[] {traditional, TestAuthority.pem(wrapped)}) {
                assertThat(secretOf(PemPrivateKey.read(bytes(key)))).isEqualTo(secretOf(keys.getPrivate()));
                Endpoint endpoint = read(config(
                        "https://10.0.0.1:6443",
                        "client-certificate-data: " + base64(certificate) + "\n    client-key-data: " + base64(key)));
                assertThat(endpoint.authenticated()).isTrue();
                assertThat(endpoint.server()).isEqualTo(URI.create("https://10.0.0.1:6443"));
            }
            assertThat(traditional).doesNotContain("BEGIN PRIVATE KEY");
        }
    }

    @Test
    void skipsParametersBeforeAnEllipticKey() throws Exception {
        KeyPair keys = TestAuthority.ellipticKeys();
        PrivateKeyInfo info = PrivateKeyInfo.getInstance(keys.getPrivate().getEncoded());
        String parameters = TestAuthority.pem(new org.bouncycastle.util.io.pem.PemObject(
                "EC PARAMETERS",
                info.getPrivateKeyAlgorithm().getParameters().toASN1Primitive().getEncoded()));
        PrivateKey read = PemPrivateKey.read(bytes(parameters + TestAuthority.traditionalPem(keys.getPrivate())));
        assertThat(secretOf(read)).isEqualTo(secretOf(keys.getPrivate()));
    }

    @Test
    void readsFilesBesideTheKubeconfig() throws Exception {
        TestAuthority authority = new TestAuthority();
        KeyPair keys = TestAuthority.ellipticKeys();
        write("ca.crt", TestAuthority.pem(authority.certificate()));
        write("me.crt", TestAuthority.pem(authority.leaf("client", keys).chain().getFirst()));
        write("me.key", TestAuthority.traditionalPem(keys.getPrivate()));
        String text = config("https://[fd00::1]", "client-certificate: me.crt\n    client-key: me.key")
                .replace("cluster: {", "cluster: {certificate-authority: ca.crt, ");
        Endpoint endpoint = read(text);
        assertThat(endpoint.authenticated()).isTrue();
        assertThat(endpoint.host()).isEqualTo("fd00::1");
        assertThat(endpoint.resolve("/readyz")).isEqualTo(URI.create("https://[fd00::1]:443/readyz"));
    }

    @Test
    void anotherServerReplacesTheOneInTheFile() throws Exception {
        Path file = write("config", config("https://10.0.0.1:6443", "token: abc"));
        Endpoint endpoint = KubeconfigFile.read(file, Optional.of(URI.create("https://10.0.0.2:26443/base/")));
        assertThat(endpoint.port()).isEqualTo(26443);
        assertThat(endpoint.target("/readyz")).isEqualTo("/base/readyz");
        assertThat(endpoint.token()).contains("abc");
    }

    @Test
    void reportsEveryMistakeAtOnceByField() {
        String text = config("http://10.0.0.1", "exec: {command: login}\n    client-certificate: missing.crt")
                .replace("cluster: {", "cluster: {insecure-skip-tls-verify: true, ");
        assertThatThrownBy(() -> read(text))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        failure -> assertThat(failure.problems())
                                .extracting(problem -> problem.where()
                                        .substring(problem.where().indexOf(": ") + 2))
                                .containsExactly(
                                        "clusters[k].cluster.insecure-skip-tls-verify",
                                        "users[u].user.exec",
                                        "clusters[k].cluster.server",
                                        "users[u].user.client-certificate"));
    }

    @Test
    void namesTheContextThatDoesNotExist() {
        assertThatThrownBy(() -> read(config("https://x", "").replace("current-context: c", "current-context: d")))
                .hasMessageContaining("current-context: \"d\" is not in contexts");
    }

    @Test
    void namesTheLineThatIsNotYaml() {
        assertThatThrownBy(() -> read("apiVersion: v1\nclusters: [\n")).hasMessageContaining("config:2: is not YAML");
    }

    @Test
    void saysWhichMaterialCannotBeUsedAndWhatToPutThere() throws Exception {
        TestAuthority authority = new TestAuthority();
        String certificate = TestAuthority.pem(
                authority.leaf("client", TestAuthority.ellipticKeys()).chain().getFirst());
        String foreignKey =
                TestAuthority.traditionalPem(TestAuthority.ellipticKeys().getPrivate());

        assertMaterial("client-key-data: A", "users[u].user.client-key-data", "base64");
        assertMaterial("client-certificate-data: " + base64(certificate), "users[u].user.client-key", "key together");
        assertMaterial("client-key-data: " + base64(foreignKey), "users[u].user.client-certificate", "key together");
        assertMaterial(
                "client-certificate-data: " + base64(certificate) + "\n    client-key-data: " + base64(foreignKey),
                "users[u].user.client-certificate and client-key",
                "a PEM certificate and its key");
        assertMaterial("tokenFile: none", "users[u].user.tokenFile", "a file with a token");
    }

    private void assertMaterial(String user, String field, String expected) {
        assertThatThrownBy(() -> read(config("https://10.0.0.1:6443", user)))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        failure -> assertThat(failure.problems()).anySatisfy(problem -> {
                            assertThat(problem.code()).isEqualTo(ErrorCode.INVALID_KEY_MATERIAL);
                            assertThat(problem.where()).endsWith("config: " + field);
                            assertThat(problem.expected()).endsWith(expected);
                            assertThat(problem.next()).contains("put the right material there");
                        }));
    }

    @Test
    void saysWhichAuthorityCannotBeUsed() throws Exception {
        String text = config("https://10.0.0.1:6443", "token: abc")
                .replace("cluster: {", "cluster: {certificate-authority: ca.crt, ");
        write("ca.crt", "no certificate");
        assertProblem(text, ErrorCode.INVALID_KEY_MATERIAL, "CA certificates in PEM format", "right material");
        assertThatThrownBy(() -> KubeconfigFile.readAuthorities(directory.resolve("ca.crt")))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        failure -> assertThat(failure.problems())
                                .singleElement()
                                .satisfies(problem -> {
                                    assertThat(problem.code()).isEqualTo(ErrorCode.INVALID_KEY_MATERIAL);
                                    assertThat(problem.where()).endsWith("ca.crt");
                                    assertThat(problem.next()).contains("tls/ca.crt of the asset directory");
                                }));
    }

    @Test
    void saysThatItIsNoKubeconfigAtAll() {
        assertProblem("just words", ErrorCode.INVALID_CONFIG, "is not a kubeconfig", "kubeconfig");
        Refusal.of(() -> KubeconfigFile.read(directory, Optional.empty()), ErrorCode.DISK)
                .where(directory)
                .nextContains("ls -ld");
    }

    @Test
    void saysHowToSetTheServer() {
        for (String wrong : new String[] {"", "10.0.0.1:6443", "https://a b", "https:///path"}) {
            assertProblem(
                    config(wrong, "token: abc"),
                    ErrorCode.INVALID_CONFIG,
                    wrong.isEmpty() ? "is not set" : "cannot be probed",
                    "kubectl config set-cluster k --server=https://ADDRESS:6443");
        }
    }

    private void assertProblem(String text, ErrorCode code, String what, String next) {
        assertThatThrownBy(() -> read(text))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        failure -> assertThat(failure.problems()).anySatisfy(problem -> {
                            assertThat(problem.code()).isEqualTo(code);
                            assertThat(problem.describe()).contains("config", what);
                            assertThat(problem.next()).contains(next);
                        }));
    }

    private static BigInteger secretOf(PrivateKey key) {
        return switch (key) {
            case ECPrivateKey elliptic -> elliptic.getS();
            case RSAPrivateKey rsa -> rsa.getPrivateExponent();
            default -> throw new AssertionError(key.getAlgorithm());
        };
    }

    private Endpoint read(String text) throws Exception {
        return KubeconfigFile.read(write("config", text), Optional.empty());
    }

    private Path write(String name, String text) throws Exception {
        return Files.writeString(directory.resolve(name), text);
    }

    private static String config(String server, String user) {
        return """
                apiVersion: v1
                kind: Config
                current-context: c
                clusters:
                - {name: k, cluster: {server: "%s"}}
                contexts:
                - {name: c, context: {cluster: k, user: u}}
                users:
                - name: u
                  user:
                    %s
                """.formatted(server, user);
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(bytes(text));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
