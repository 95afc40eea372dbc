package dev.ouroboros.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.cluster.BootstrapTokens.Token;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class BootstrapTokensTest {
    private static final String SECRETS = "/api/v1/namespaces/kube-system/secrets";

    private static String encoded(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void tokensAreListedWithoutTheirSecrets() throws Exception {
        try (LoopbackApi api = new LoopbackApi();
                ClusterClient client = api.client()) {
            api.on("GET", SECRETS, 200, """
                    {"kind": "SecretList", "apiVersion": "v1", "items": [
                     {"metadata": {"name": "bootstrap-token-zzzzzz"}, "data": {"token-id": "%s"}},
                     {"metadata": {"name": "bootstrap-token-abcdef"}, "data": {"token-id": "%s", "token-secret": "%s", "expiration": "%s",
                      "usage-bootstrap-authentication": "%s", "description": "%s"}}]}""".formatted(
                            encoded("zzzzzz"),
                            encoded("abcdef"),
                            encoded("0123456789abcdef"),
                            encoded("2026-11-28T10:00:00+01:00"),
                            encoded("true"),
                            encoded("the new rack")));

            assertThat(new BootstrapTokens(client).list())
                    .containsExactly(
                            new Token(
                                    "abcdef", Optional.of(Instant.parse("2026-11-28T09:00:00Z")), "the new rack", true),
                            new Token("zzzzzz", Optional.empty(), "", false));
        }
    }

    @Test
    void aTokenThatIsNotThereIsNotDeleted() throws Exception {
        try (LoopbackApi api = new LoopbackApi();
                ClusterClient client = api.client()) {
            assertThat(new BootstrapTokens(client).delete("abcdef")).isFalse();
            api.on("GET", SECRETS + "/bootstrap-token-abcdef", 200, """
                    {"kind": "Secret", "apiVersion": "v1", "metadata": {"name": "bootstrap-token-abcdef", "uid": "u-1"}}""");
            api.on("DELETE", SECRETS + "/bootstrap-token-abcdef", 200, "{}");
            assertThat(new BootstrapTokens(client).delete("abcdef")).isTrue();
        }
    }
}
