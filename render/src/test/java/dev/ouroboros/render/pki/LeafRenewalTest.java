package dev.ouroboros.render.pki;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.render.cluster.AlternativeName;
import dev.ouroboros.render.cluster.KeyAlgorithm;
import dev.ouroboros.render.pki.LeafRenewal.Outlook;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LeafRenewalTest {
    private static final Instant BEGIN = Instant.parse("2026-11-29T10:00:00Z");
    private static final Profile SERVER = Profile.server(
            "kube-apiserver",
            List.of(
                    new AlternativeName.Dns("kubernetes"),
                    AlternativeName.ofHost("10.96.0.1").orElseThrow()),
            Profile.Usage.SERVER);

    private final SecureRandom random = new SecureRandom();
    private final Credential authority = at(BEGIN).newAuthority("kubernetes-ca", "test");

    private Issuer at(Instant now) {
        return new Issuer(KeyAlgorithm.ECDSA_P256, InstantSource.fixed(now), random);
    }

    private static Instant after(int days) {
        return BEGIN.plus(Duration.ofDays(days));
    }

    private LeafRenewal renewal(Instant now) {
        return renewal(now, RenewalPolicy.STANDARD, authority);
    }

    private LeafRenewal renewal(Instant now, RenewalPolicy policy, Credential... authorities) {
        return new LeafRenewal(new Authorities(List.of(authorities)), policy, InstantSource.fixed(now), random);
    }

    private Credential issued(Profile profile, KeyPair keys) {
        return new Credential(at(BEGIN).issue(authority, profile, keys.getPublic()), keys.getPrivate());
    }

    private Credential issued(Profile profile) {
        return issued(profile, at(BEGIN).newKeys());
    }

    @Test
    void itIsDueWhenAThirdOfItsLifeIsLeft() {
        X509Certificate leaf = issued(SERVER).certificate();

        assertThat(renewal(after(243)).isDue(leaf)).isFalse();
        assertThat(renewal(after(244)).isDue(leaf)).isTrue();
        assertThat(renewal(after(400)).isDue(leaf))
                .as("one that has ended, too")
                .isTrue();
        assertThat(renewal(BEGIN).outlook(leaf)).isInstanceOfSatisfying(Outlook.Renews.class, renews -> {
            assertThat(renews.due()).isBetween(after(243), after(244));
            assertThat(renews.late()).isBetween(after(304), after(305));
        });
    }

    @Test
    void theNewOneIsTheSameWithAnotherKeyAndEnd() throws Exception {
        Credential former = issued(SERVER);

        Credential renewed = renewal(after(250)).renewed(former).orElseThrow();

        X509Certificate leaf = renewed.certificate();
        leaf.verify(authority.certificate().getPublicKey());
        assertThat(renewed.fits()).isTrue();
        assertThat(renewed.privateKey()).isNotEqualTo(former.privateKey());
        assertThat(leaf.getNotAfter().toInstant()).isEqualTo(after(250 + 365));
        assertThat(Fitness.outdated(leaf, authority, SERVER, after(250)))
                .as("render would keep it")
                .isEmpty();
        assertThat(leaf.getKeyUsage()).isEqualTo(former.certificate().getKeyUsage());
        assertThat(leaf.getBasicConstraints()).isEqualTo(-1);
        assertThat(leaf.getSerialNumber()).isNotEqualTo(former.certificate().getSerialNumber());
    }

    /** The clock was a year ahead, somebody has set it right, and what was issued meanwhile is shown. */
    @Test
    void aClockThatWasAheadLeavesNoneThatIsNotValidYet() throws Exception {
        Credential renewed = renewal(after(300)).renewed(issued(SERVER)).orElseThrow();
        renewed.certificate().checkValidity(java.util.Date.from(after(1)));
        assertThat(renewal(after(1)).isDue(renewed.certificate())).isFalse();
    }

    @Test
    void oneThatWasIssuedAgainIsDueAYearLaterAgain() {
        Credential second = renewal(after(250)).renewed(issued(SERVER)).orElseThrow();
        assertThat(renewal(after(250 + 243)).isDue(second.certificate())).isFalse();
        assertThat(renewal(after(250 + 244)).isDue(second.certificate())).isTrue();
    }

    /** Or else each look would have it issued again. */
    @Test
    void noneOutlivesItsAuthorityAndTheLastOneIsLeftAlone() {
        Credential last = renewal(after(3500)).renewed(issued(SERVER)).orElseThrow();
        assertThat(last.certificate().getNotAfter())
                .isEqualTo(authority.certificate().getNotAfter());
        assertThat(renewal(after(3600)).outlook(last.certificate())).isInstanceOf(Outlook.EndsWithAuthority.class);
        assertThat(renewal(after(3600)).isDue(last.certificate())).isFalse();
    }

    @Test
    void whoseAuthorityIsNotHereIsNotIssuedAgain() {
        Credential other = at(BEGIN).newAuthority("kubernetes-ca", "test");
        LeafRenewal elsewhere = renewal(after(300), RenewalPolicy.STANDARD, other);
        Credential leaf = issued(SERVER);
        assertThat(elsewhere.outlook(leaf.certificate())).isInstanceOf(Outlook.NoAuthority.class);
        assertThat(elsewhere.isDue(leaf.certificate())).isFalse();
        assertThat(elsewhere.renewed(leaf)).isEmpty();
    }

    @Test
    void anAuthorityThatHasEndedSignsNothing() {
        Credential leaf = issued(SERVER);
        assertThat(renewal(after(3651)).outlook(leaf.certificate())).isInstanceOf(Outlook.NoAuthority.class);
        assertThat(renewal(after(3651)).renewed(leaf)).isEmpty();
    }

    /** Of three months, as another authority's: due after two of them. */
    @Test
    void oneThatLivesShorterThanOursIsDueByItsOwnLife() {
        RenewalPolicy months = new RenewalPolicy(Duration.ofDays(90));
        Credential shortLived =
                renewal(BEGIN, months, authority).renewed(issued(SERVER)).orElseThrow();
        assertThat(renewal(after(58)).isDue(shortLived.certificate())).isFalse();
        assertThat(renewal(after(61)).isDue(shortLived.certificate())).isTrue();
    }

    @Test
    void aKeyOfAnotherKindThanOursStays() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(3072);
        Credential former = issued(Profile.client("system:kube-scheduler"), generator.generateKeyPair());
        Credential renewed = renewal(after(300)).renewed(former).orElseThrow();
        assertThat(renewed.privateKey()).isEqualTo(former.privateKey());
        assertThat(renewed.fits()).isTrue();
    }

    @Test
    void aProlongedOneHasTheKeyOfBefore() {
        Credential former = issued(SERVER);
        Credential prolonged = renewal(after(300)).prolonged(former).orElseThrow();
        assertThat(prolonged.privateKey()).isEqualTo(former.privateKey());
        assertThat(prolonged.certificate().getNotAfter().toInstant()).isEqualTo(after(665));
    }
}
