package dev.ouroboros.render.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.ouroboros.model.problem.ProblemException;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import org.junit.jupiter.api.Test;

final class TokenExpiryTest {
    private static final Instant START = Instant.parse("2026-01-02T03:04:05.678Z");

    @Test
    void aRenderedTokenEndsADayAfterTheStart() {
        GenericKubernetesResource token = rendered(TokenExpiry.DEFAULT);

        GenericKubernetesResource started = TokenExpiry.from(START, token);

        assertThat(decoded(started, "expiration")).isEqualTo("2026-01-03T03:04:05Z");
        assertThat(decoded(started, "token-id")).isEqualTo("abcdef");
        assertThat(token.<Object>get("data", "expiration")).isNull();
    }

    @Test
    void anEndThatIsThereStays() {
        GenericKubernetesResource first = TokenExpiry.from(START, rendered("30m"));

        assertThat(TokenExpiry.from(START.plusSeconds(60), first)).isEqualTo(first);
        assertThat(decoded(first, "expiration")).isEqualTo("2026-01-02T03:34:05Z");
    }

    @Test
    void tokensOfOthersStayAsTheyAre() {
        GenericKubernetesResource token = rendered(TokenExpiry.DEFAULT);
        token.getMetadata().setAnnotations(null);

        assertThat(TokenExpiry.from(START, token)).isSameAs(token);
    }

    @Test
    void refusesWhatIsNoDuration() {
        assertThatThrownBy(() -> TokenExpiry.from(START, rendered("a day")))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining(TokenExpiry.ANNOTATION)
                .hasMessageContaining("'a day'");
    }

    private static GenericKubernetesResource rendered(String lifetime) {
        BootstrapToken token = BootstrapToken.parse("abcdef.0123456789abcdef").orElseThrow();
        String yaml = new Yaml().text(Access.bootstrapToken(token));
        try {
            return new YAMLMapper()
                    .readValue(yaml.replace(TokenExpiry.DEFAULT, lifetime), GenericKubernetesResource.class);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String decoded(GenericKubernetesResource secret, String key) {
        String encoded = secret.get("data", key);
        return new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
    }
}
