package dev.ouroboros.change;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.change.CertificateRenewal.Scope;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.manifest.MountedFile;
import dev.ouroboros.model.manifest.Rotation;
import dev.ouroboros.model.manifest.SecretFiles;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** What others do to a control plane whose certificates are issued again, and wish of it. */
final class CertificatesBesideOthersTest {
    private static final Instant DUE = CertifiedControlPlane.BEGIN.plus(Duration.ofDays(250));

    /** Whoever deleted it, pods that run have still what was in it, and nobody else sees that it ends. */
    @Test
    void aSecretThatIsGoneIsSaidAndHoldsUpNoOther() {
        CertifiedControlPlane plane = CertifiedControlPlane.withSteward();
        plane.cluster.objects.remove("/api/v1/namespaces/kube-system/secrets/kube-scheduler-0123456789");
        assertThat(plane.renewal(Optional.empty()).books().gaps())
                .singleElement()
                .satisfies(gap -> assertThat(gap.code()).isEqualTo(ErrorCode.NOT_FOUND));
        plane.now = DUE;

        Refusal.of(
                () -> plane.renewal(Optional.empty()).renew(Scope.DUE),
                ErrorCode.NOT_FOUND,
                "Secret kube-system/kube-scheduler-0123456789",
                "is gone, and kube-system/kube-scheduler mounts it",
                "put it back");

        assertThat(plane.cluster.writes)
                .containsExactly(FakeCluster.DAEMON_SET, CertifiedControlPlane.MANAGER, CertifiedControlPlane.AGENT);
    }

    @Test
    void oneWithoutWhichPodsBeginIsNotMissed() {
        CertifiedControlPlane plane = CertifiedControlPlane.withSteward();
        String text = JsonText.text(plane.cluster.read(CertifiedControlPlane.SCHEDULER))
                .replace("\"volumes\":[", "\"volumes\":[{\"secret\":{\"secretName\":\"none\",\"optional\":true}},");
        plane.cluster.put(CertifiedControlPlane.SCHEDULER, FakeCluster.json(text));
        assertThat(plane.renewal(Optional.empty()).books().gaps()).isEmpty();
    }

    /** Which makes another Secret of the one that this run has made, with the certificates of that. */
    @Test
    void aRotationBesideItTakesNothingBack() {
        CertifiedControlPlane plane = CertifiedControlPlane.withSteward();
        plane.now = DUE;
        AtomicBoolean isRotated = new AtomicBoolean();
        plane.cluster.templated = path -> {
            if (path.equals(FakeCluster.DAEMON_SET) && !isRotated.getAndSet(true)) {
                SecretFiles before = new SecretFiles(plane.mounted(path));
                SecretFiles next = before.with(Rotation.ENCRYPTION_KEY, "key2", Map.of("encryption.yaml", "other"));
                plane.cluster.create("/api/v1/namespaces/kube-system/secrets", next.object());
                plane.cluster.put(path, MountedFile.withSecret(plane.cluster.read(path), before.name(), next.name()));
            }
        };

        assertThat(plane.renewal(Optional.empty()).renew(Scope.DUE)).isTrue();

        assertThat(plane.file(FakeCluster.DAEMON_SET, "encryption.yaml")).isEqualTo("other");
        assertThat(plane.certificate(FakeCluster.DAEMON_SET, "apiserver.crt")
                        .getNotAfter()
                        .toInstant())
                .isEqualTo(DUE.plus(Duration.ofDays(365)));
    }

    /** The steward goes by it, so that what a person sees and does is the same. */
    @Test
    void howLongTheyAreToBeGoodIsReadOfTheObject() {
        FakeCluster cluster = new FakeCluster();
        String object = "/apis/ouroboros.dev/v1alpha1/controlplanes/cluster";
        assertThat(WishedCertificates.lifetime(cluster)).isEmpty();
        cluster.put(object, FakeCluster.json("{'metadata': {}, 'spec': {'certificates': {'renew': true}}}"));
        assertThat(WishedCertificates.lifetime(cluster)).isEmpty();
        cluster.put(object, FakeCluster.json("{'metadata': {}, 'spec': {'certificates': {'lifetime': '30d'}}}"));
        assertThat(WishedCertificates.lifetime(cluster)).contains("30d");
    }
}
