package dev.ouroboros.cli.certificates;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.change.CertificateRenewal.Books;
import dev.ouroboros.change.CertificateRenewal.Mounted;
import dev.ouroboros.change.decide.CertificateFiles.Leaf;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.render.cluster.KeyAlgorithm;
import dev.ouroboros.render.pki.Authorities;
import dev.ouroboros.render.pki.Issuer;
import dev.ouroboros.render.pki.LeafRenewal;
import dev.ouroboros.render.pki.Profile;
import dev.ouroboros.render.pki.RenewalPolicy;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class CertificatesViewTest {
    private static final Instant BEGIN = Instant.parse("2026-11-29T10:00:00Z");

    private final Credential authority = issuer(BEGIN).newAuthority("kubernetes-ca", "test");

    private static Issuer issuer(Instant moment) {
        return new Issuer(KeyAlgorithm.ECDSA_P256, InstantSource.fixed(moment), new SecureRandom());
    }

    private Credential issued(Instant moment) {
        KeyPair keys = issuer(moment).newKeys();
        return new Credential(
                issuer(moment).issue(authority, Profile.client("scheduler"), keys.getPublic()), keys.getPrivate());
    }

    private CertificatesView view(Credential leaf, RenewalPolicy policy, Instant now, Problem... gaps) {
        LeafRenewal renewal = new LeafRenewal(
                new Authorities(List.of(authority)), policy, InstantSource.fixed(now), new SecureRandom());
        Mounted mounted = new Mounted(
                Component.SCHEDULER,
                "kube-scheduler-0123456789",
                new Leaf("client.crt", "client.key", leaf),
                renewal.outlook(leaf.certificate()));
        return new CertificatesView(
                new Books(List.of(mounted), List.of(gaps)), List.of(), new TreeMap<>(), policy, now);
    }

    /** Its dates alone say that it lives for a year: it begins when the first of its name began. */
    @Test
    void whenOneIsDueGoesByWhatTheClusterWishes() {
        RenewalPolicy month = new RenewalPolicy(Duration.ofDays(30));
        Instant now = BEGIN.plus(Duration.ofDays(340));
        CertificatesView view = view(issued(BEGIN), month, now);
        assertThat(view.text()).contains("in 15d").doesNotContain("now");
        assertThat(view.isWorrying()).isFalse();
        assertThat(view(issued(BEGIN), RenewalPolicy.STANDARD, now).text()).contains("now");
    }

    @Test
    void oneThatEndsWithItsAuthorityIsAWorryWhenItIsDue() {
        Instant end = authority.certificate().getNotAfter().toInstant();
        Credential last = issued(end.minus(Duration.ofDays(300)));
        assertThat(view(last, RenewalPolicy.STANDARD, end.minus(Duration.ofDays(200)))
                        .isWorrying())
                .isFalse();
        CertificatesView view = view(last, RenewalPolicy.STANDARD, end.minus(Duration.ofDays(100)));
        assertThat(view.text()).contains("ends with its authority");
        assertThat(view.isWorrying()).isTrue();
    }

    @Test
    void aSecretThatIsGoneIsAWorry() {
        Problem gone = new Problem(ErrorCode.NOT_FOUND, "Secret kube-system/x", "is gone", "", "put it back");
        CertificatesView view = view(issued(BEGIN), RenewalPolicy.STANDARD, BEGIN, gone);
        assertThat(view.isWorrying()).isTrue();
        assertThat(view.text()).endsWith("Secret kube-system/x: is gone; put it back\n");
        assertThat(view.data().at("/missing/0").asText()).isEqualTo("Secret kube-system/x: is gone; put it back");
    }
}
