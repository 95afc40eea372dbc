package dev.ouroboros.render.pki;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.render.cluster.KeyAlgorithm;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An authority that takes another one's place. */
final class IssuerSuccessorTest {
    private static final Instant NOW = Instant.parse("2026-11-29T21:34:00Z");
    private final SecureRandom random = new SecureRandom();

    @ParameterizedTest
    @EnumSource
    void itHasTheNameWithItsDateAndAKeyOfTheSameKind(KeyAlgorithm algorithm) {
        Credential former =
                new Issuer(algorithm, InstantSource.fixed(NOW), random).newAuthority("front-proxy-ca", "my cluster");

        Credential next = Issuer.successorOf(former.certificate(), InstantSource.fixed(NOW), random);
        Credential third =
                Issuer.successorOf(next.certificate(), InstantSource.fixed(NOW.plus(Duration.ofDays(400))), random);

        assertThat(List.of(next, third))
                .allSatisfy(one -> assertThat(Fitness.refuseAuthority(one, NOW.plus(Duration.ofDays(401))))
                        .isEmpty())
                .allSatisfy(
                        one -> assertThat(Fitness.algorithmOf(one.certificate().getPublicKey()))
                                .contains(algorithm));
        assertThat(next.certificate().getSubjectX500Principal().getName())
                .contains("O=my cluster")
                .contains("CN=front-proxy-ca-20261129T213400Z");
        assertThat(third.certificate().getSubjectX500Principal().getName())
                .as("the date of before goes")
                .contains("CN=front-proxy-ca-20280103T213400Z");
        assertThat(next.certificate().getPublicKey())
                .isNotEqualTo(former.certificate().getPublicKey());
    }
}
