package dev.ouroboros.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.LocalDisk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.util.Base64;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A kubelet writes its certificate and its key to one file, the key as an elliptic one of SEC1. */
final class KubeletIdentitySourceTest {
    private final TestAuthority authority;
    private final FakeApiServer server;

    @TempDir
    private Path directory = Path.of("");

    KubeletIdentitySourceTest() throws Exception {
        authority = new TestAuthority();
        server = new FakeApiServer(authority);
    }

    @BeforeEach
    void aNode() throws Exception {
        server.writeKubeconfig(directory.resolve("kubeconfig"));
        server.put("/api/v1/nodes/one", FakeApiServer.object("v1", "Node", "", "one"));
    }

    @AfterEach
    void close() {
        server.close();
    }

    private KubeletIdentitySource source(String key) throws Exception {
        KeyPair keys = TestAuthority.ellipticKeys();
        String text = switch (key) {
            case "sec1" -> TestAuthority.traditionalPem(keys.getPrivate());
            case "pkcs8" ->
                "-----BEGIN PRIVATE KEY-----\n"
                        + Base64.getMimeEncoder()
                                .encodeToString(keys.getPrivate().getEncoded())
                        + "\n-----END PRIVATE KEY-----\n";
            case "another" ->
                TestAuthority.traditionalPem(TestAuthority.ellipticKeys().getPrivate());
            default -> key;
        };
        Path file = directory.resolve("kubelet-client-current.pem");
        Files.writeString(
                file, TestAuthority.pem(authority.leaf("kubelet", keys).chain().getFirst()) + text);
        return new KubeletIdentitySource(new LocalDisk(), directory.resolve("kubeconfig"), file);
    }

    @Test
    void asksAsTheKubeletWithItsKey() throws Exception {
        for (String key : new String[] {"sec1", "pkcs8"}) {
            try (ApiClient client = new ApiClient(source(key), "test")) {
                assertThat(client.get(ApiPath.core("nodes").named("one"))
                                .at("metadata", "name")
                                .text())
                        .as(key)
                        .contains("one");
            }
        }
    }

    @Test
    void aKeyOfAnotherCertificateIsRefused() throws Exception {
        for (String key :
                new String[] {"another", "no key", "-----BEGIN EC PRIVATE KEY-----\nA\n-----END EC PRIVATE KEY-----\n"
                }) {
            KubeletIdentitySource source = source(key);
            String text = source.text();
            assertThatThrownBy(() -> source.endpoint(text)).as(key).isInstanceOf(ProblemException.class);
        }
    }

    @Test
    void aKubeletWithoutACertificateIsWaitedFor() {
        KubeletIdentitySource source = new KubeletIdentitySource(
                new LocalDisk(), directory.resolve("kubeconfig"), directory.resolve("kubelet-client-current.pem"));

        assertThatThrownBy(source::text)
                .isInstanceOfSatisfying(
                        ApiException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(ApiException.Kind.NO_CREDENTIALS));
    }
}
