package dev.ouroboros.api.testing;

import dev.ouroboros.endpoint.ClientIdentity;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.stream.Stream;

/** A kubeconfig of a client of a fake API server, as JSON. */
final class FakeKubeconfig {
    private FakeKubeconfig() {}

    /** With a new client certificate of the authority. */
    static Path write(Path file, URI server, TestAuthority authority) throws Exception {
        ClientIdentity client = authority.leaf("keeper", TestAuthority.ellipticKeys());
        String key = "-----BEGIN PRIVATE KEY-----\n"
                + Base64.getMimeEncoder().encodeToString(client.key().getEncoded()) + "\n-----END PRIVATE KEY-----\n";
        Json.Fields config = Json.object()
                .with("current-context", Json.text("here"))
                .with(
                        "contexts",
                        named(
                                "context",
                                Json.object().with("cluster", Json.text("here")).with("user", Json.text("here"))))
                .with(
                        "clusters",
                        named(
                                "cluster",
                                Json.object()
                                        .with("server", Json.text(server.toString()))
                                        .with(
                                                "certificate-authority-data",
                                                Json.text(encoded(TestAuthority.pem(authority.certificate()))))))
                .with(
                        "users",
                        named(
                                "user",
                                Json.object()
                                        .with(
                                                "client-certificate-data",
                                                Json.text(encoded(TestAuthority.pem(
                                                        client.chain().getFirst()))))
                                        .with("client-key-data", Json.text(encoded(key)))));
        return Files.write(file, JsonText.write(config));
    }

    private static Json named(String kind, Json value) {
        return Json.items(
                Stream.of(Json.object().with("name", Json.text("here")).with(kind, value)));
    }

    private static String encoded(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
