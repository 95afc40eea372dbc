package dev.ouroboros.change;

import static dev.ouroboros.change.FakeCluster.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.change.decide.FrontProxyRotation.Aim;
import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.manifest.SecretFiles;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.model.procedure.testing.KilledAnywhere;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.node.testing.InterruptedDriver;
import dev.ouroboros.node.testing.SilentListener;
import dev.ouroboros.render.cluster.KeyAlgorithm;
import dev.ouroboros.render.pki.Authorities;
import dev.ouroboros.render.pki.Issuer;
import dev.ouroboros.render.pki.Pem;
import dev.ouroboros.render.pki.Profile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The authority of the front proxy is exchanged, in a cluster of objects. */
final class FrontProxyAuthorityTest {
    private static final String TRUST = "front-proxy-ca.crt";
    private static final String CERTIFICATE = "front-proxy-client.crt";
    private static final Issuer ISSUER =
            new Issuer(KeyAlgorithm.ECDSA_P256, InstantSource.system(), new SecureRandom());

    private final Credential former = ISSUER.newAuthority("front-proxy-ca", "test");
    private final Credential leaf = leafOf(former);
    private final List<String> told = new ArrayList<>();

    @TempDir
    private Path directory = Path.of(".");

    private KeyedControlPlane plane;

    @BeforeEach
    void fill() throws IOException {
        plane = plane();
    }

    private static Credential leafOf(Credential authority) {
        KeyPair keys = ISSUER.newKeys();
        return new Credential(
                ISSUER.issue(authority, Profile.client("front-proxy-client"), keys.getPublic()), keys.getPrivate());
    }

    private KeyedControlPlane plane() throws IOException {
        return KeyedControlPlane.frontProxying(Files.createTempDirectory(directory, "assets"), former, leaf);
    }

    private KeyRotations rotations() {
        return rotations(Duration.ofSeconds(5));
    }

    private KeyRotations rotations(Duration limit) {
        ProcedureListener listener = new HeardListener(told);
        Patience patience = new Patience(listener, limit, Duration.ofMillis(10), InstantSource.system());
        return plane.rotations(listener, patience, patience);
    }

    private static List<X509Certificate> trusted(KeyedControlPlane plane) {
        return Pem.certificates(plane.mounted(FakeCluster.DAEMON_SET, TRUST)).toList();
    }

    private static X509Certificate shown(KeyedControlPlane plane) {
        return Pem.certificate(plane.mounted(FakeCluster.DAEMON_SET, CERTIFICATE))
                .orElseThrow();
    }

    private static List<Json> authorities(KeyedControlPlane plane) {
        return plane.cluster.list("/api/v1/namespaces/kube-system/secrets", "").stream()
                .filter(secret -> !secret.at("metadata", "labels", SecretFiles.AUTHORITY_LABEL)
                        .isNull())
                .toList();
    }

    private RotationOutcome rotate(Aim aim) {
        return rotations().frontProxyAuthority(aim);
    }

    /** To the end, as somebody does it who looks in between. */
    private String rotateAndFinish() {
        rotate(Aim.SHOW);
        return rotate(Aim.FINISH).key();
    }

    private static Credential outside(KeyedControlPlane plane) throws IOException {
        return Pem.credential(plane.outside(TRUST), plane.outside("front-proxy-ca.key"))
                .orElseThrow();
    }

    @Test
    void bothAreTrustedUntilSomebodySaysWhichOneGoes() throws IOException {
        RotationOutcome outcome = rotate(Aim.SHOW);

        String goal = outcome.key();
        assertThat(told)
                .containsExactly(
                        "rotates to authority " + goal,
                        "kube-apiserver trusts authority " + goal + " of the front proxy too",
                        "kube-apiserver shows a certificate of authority " + goal + " of the front proxy");
        assertThat(outcome.finished()).isFalse();
        assertThat(outcome.remains()).hasSize(1);
        assertThat(outcome.next()).contains("--finish", "--take-back");
        List<X509Certificate> both = trusted(plane);
        assertThat(both).hasSize(2).contains(former.certificate());
        assertThat(plane.published()).containsExactlyInAnyOrderElementsOf(both);
        X509Certificate made = both.getLast();
        assertThat(made.getSubjectX500Principal().getName())
                .contains("O=test")
                .containsPattern("CN=front-proxy-ca-\\d{8}T\\d{6}Z");
        assertThat(Authorities.hasIssued(made, shown(plane))).isTrue();
        assertThat(shown(plane).getSubjectX500Principal())
                .isEqualTo(leaf.certificate().getSubjectX500Principal());
        assertThat(outside(plane))
                .as("what is rendered meanwhile is of the authority that all trust")
                .isEqualTo(former);
        assertThat(Pem.certificates(plane.outside(TRUST))).hasSize(2);

        assertThat(rotate(Aim.SHOW).key()).as("run again, nothing is new").isEqualTo(goal);
        assertThat(trusted(plane)).isEqualTo(both);
    }

    @Test
    void theFormerOneGoesAndTheNextTimeItsSuccessorDoes() throws IOException {
        String first = rotate(Aim.SHOW).key();
        RotationOutcome outcome = rotate(Aim.FINISH);

        assertThat(outcome.key()).as("the same rotation").isEqualTo(first);
        assertThat(outcome.finished()).isTrue();
        requireAlone(plane);
        assertThat(outcome.keepOutside())
                .extracting(RotationOutcome.KeepOutside::file)
                .containsExactly(
                        "tls/front-proxy-ca.key",
                        "tls/front-proxy-ca.crt",
                        "tls/front-proxy-client.key",
                        "tls/front-proxy-client.crt");
        assertThat(told).endsWith("aggregated API servers are told of no other authority than API servers trust");
        assertThat(rotate(Aim.FINISH).key()).as("run again").isEqualTo(first);
        Refusal.of(() -> rotate(Aim.TAKE_BACK), ErrorCode.CHANGE_REFUSED).whatContains("gone already");

        assertThat(rotateAndFinish()).isNotEqualTo(first);

        requireAlone(plane);
        assertThat(told).endsWith("deleted 1 Secrets with authorities that nobody trusts");
    }

    private void requireAlone(KeyedControlPlane plane) throws IOException {
        assertThat(trusted(plane)).hasSize(1).doesNotContain(former.certificate());
        X509Certificate authority = trusted(plane).getFirst();
        assertThat(Authorities.hasIssued(authority, shown(plane))).isTrue();
        requireSettled(plane, authority);
        assertThat(authorities(plane)).hasSize(1);
        assertThat(outside(plane).certificate()).isEqualTo(authority);
    }

    private static void requireSettled(KeyedControlPlane plane, X509Certificate authority) throws IOException {
        assertThat(plane.published()).containsExactly(authority);
        assertThat(plane.cluster
                        .read(KeyedControlPlane.AGGREGATION)
                        .at("data", "client-ca-file")
                        .text())
                .as("what else is published")
                .contains("x");
        assertThat(plane.secret().fields().keySet())
                .as("nothing of the former one is left")
                .containsExactlyInAnyOrder("ca.crt", TRUST, CERTIFICATE, "front-proxy-client.key");
        assertThat(Pem.certificates(plane.outside(TRUST))).containsExactly(authority);
        assertThat(Pem.credential(plane.outside(CERTIFICATE), plane.outside("front-proxy-client.key"))
                        .orElseThrow()
                        .certificate())
                .isEqualTo(shown(plane));
    }

    private void requireFormer(KeyedControlPlane plane) throws IOException {
        assertThat(trusted(plane)).containsExactly(former.certificate());
        assertThat(shown(plane)).isEqualTo(leaf.certificate());
        requireSettled(plane, former.certificate());
        assertThat(authorities(plane)).isEmpty();
        assertThat(outside(plane)).isEqualTo(former);
    }

    @Test
    void untilThenAllOfItCanBeTakenBack() throws IOException {
        rotate(Aim.SHOW);

        RotationOutcome outcome = rotate(Aim.TAKE_BACK);

        assertThat(outcome.finished()).isTrue();
        requireFormer(plane);
        assertThat(rotateAndFinish()).isNotEqualTo(outcome.key());
        requireAlone(plane);
    }

    /** Nobody has what is not shown issued again. */
    @Test
    void whatHasEndedMeanwhileIsNotShownAgain() {
        rotate(Aim.SHOW);
        int writes = plane.cluster.writes.size();
        Instant end = leaf.certificate().getNotAfter().toInstant();
        plane.clock = InstantSource.fixed(end.plus(Duration.ofDays(1)));

        Refusal.of(() -> rotate(Aim.TAKE_BACK), ErrorCode.CHANGE_REFUSED)
                .whatContains("would show again, is good until " + end)
                .nextContains("--finish");

        assertThat(plane.cluster.writes).hasSize(writes);
        assertThat(shown(plane)).isNotEqualTo(leaf.certificate());
        plane.clock = InstantSource.fixed(end.minus(Duration.ofDays(2)));
        assertThat(rotate(Aim.TAKE_BACK).finished()).isTrue();
    }

    /** Where it has come to trust only, and where somebody has given the template back already. */
    @ParameterizedTest
    @CsvSource({"1", "2"})
    void alsoWhereAStepWasTakenBack(int step) throws IOException {
        plane.cluster.aborts = step;
        Refusal.of(() -> rotate(Aim.SHOW), ErrorCode.CHANGE_REFUSED).whatContains("'ouro change abort'");

        rotate(Aim.TAKE_BACK);

        requireFormer(plane);
    }

    @Test
    void whatWasTakenBackOrNeverBegunIsSaidToBeSo() throws IOException {
        assertThat(rotate(Aim.TAKE_BACK).finished()).isTrue();
        assertThat(plane.cluster.writes).isEmpty();
        rotate(Aim.SHOW);
        String key = rotate(Aim.TAKE_BACK).key();
        int writes = plane.cluster.writes.size();
        assertThat(rotate(Aim.TAKE_BACK).key()).isEqualTo(key);
        assertThat(plane.cluster.writes).hasSize(writes);
        requireFormer(plane);
    }

    /** Applied by somebody in the middle: the directory trusts both and has the former certificate, and its Secret says nothing of a rotation. */
    @ParameterizedTest
    @EnumSource(names = {"SHOW", "TAKE_BACK"})
    void whatWasRenderedMeanwhileIsGoneOnWith(Aim aim) throws IOException {
        String goal = rotate(Aim.SHOW).key();
        plane.render();
        assertThat(shown(plane)).isEqualTo(leaf.certificate());
        Refusal.of(() -> rotate(Aim.FINISH), ErrorCode.CHANGE_REFUSED).nextContains("without --finish first");

        RotationOutcome outcome = rotate(aim);

        if (aim == Aim.SHOW) {
            assertThat(outcome.key()).isEqualTo(goal);
            rotate(Aim.FINISH);
            requireAlone(plane);
        } else {
            requireFormer(plane);
        }
    }

    /** The Secret names the one before by then. */
    @Test
    void aSecondRotationThatWasBrokenOffIsGoneOnWith() throws IOException {
        String first = rotateAndFinish();
        plane.cluster.aborts = 1;
        Refusal.of(() -> rotate(Aim.SHOW), ErrorCode.CHANGE_REFUSED);
        assertThat(authorities(plane)).hasSize(2);

        String second = rotate(Aim.SHOW).key();

        assertThat(second).isNotEqualTo(first);
        assertThat(authorities(plane)).hasSize(2);
        rotate(Aim.FINISH);
        requireAlone(plane);
    }

    /** The directory has the new key then, and the former one beside it. */
    @Test
    void alsoWhereTheLastStepWasTakenBack() throws IOException {
        rotate(Aim.SHOW);
        plane.cluster.aborts = 1;
        Refusal.of(() -> rotate(Aim.FINISH), ErrorCode.CHANGE_REFUSED).whatContains("'ouro change abort'");

        rotate(Aim.TAKE_BACK);

        requireFormer(plane);
    }

    /** Its key is in the directory alone then, and the former one beside it is no way back. */
    @Test
    void oneThatWasFinishedKeepsItsKeyInTheDirectory() throws IOException {
        rotateAndFinish();
        plane.cluster.objects.remove(KeyedControlPlane.SECRETS
                + authorities(plane).getFirst().at("metadata", "name").text().orElseThrow());
        Credential before = outside(plane);

        rotate(Aim.TAKE_BACK);

        assertThat(outside(plane)).isEqualTo(before);
    }

    @Test
    void nothingIsFinishedBeforeItIsShown() {
        Refusal.of(() -> rotate(Aim.FINISH), ErrorCode.CHANGE_REFUSED).nextContains("without --finish first");
        assertThat(authorities(plane)).isEmpty();
        plane.cluster.aborts = 2;
        Refusal.of(() -> rotate(Aim.SHOW), ErrorCode.CHANGE_REFUSED);
        Refusal.of(() -> rotate(Aim.FINISH), ErrorCode.CHANGE_REFUSED).nextContains("without --finish first");
    }

    /** An aggregated server that was not told would refuse what API servers show. */
    @Test
    void nothingIsShownBeforeAggregatedServersWereTold() {
        plane.cluster.carriedOut = () -> {};

        assertThatThrownBy(() -> rotations(Duration.ofMillis(300)).frontProxyAuthority(Aim.SHOW))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("aggregated API servers to be told");
        assertThat(trusted(plane)).hasSize(2);
        assertThat(shown(plane)).isEqualTo(leaf.certificate());
    }

    @Test
    void anAggregatedServerThatIsNotAvailableIsNamed() {
        plane.cluster.put(
                "/apis/apiregistration.k8s.io/v1/apiservices/v1.tried.example",
                json("{'metadata': {'name': 'v1.tried.example'}, 'spec': {'service': {'name': 'tried'}},"
                        + " 'status': {'conditions': [{'type': 'Available', 'status': 'False'}]}}"));
        plane.cluster.put(
                "/apis/apiregistration.k8s.io/v1/apiservices/v1.apps",
                json("{'metadata': {'name': 'v1.apps'}, 'spec': {}}"));

        assertThat(rotate(Aim.SHOW).remains())
                .hasSize(2)
                .first()
                .asString()
                .startsWith("APIService v1.tried.example is not available");
    }

    /** Of an authenticating proxy, say: it is none of ours. */
    @Test
    void anotherAuthorityThatIsTrustedStays() throws IOException {
        Credential another = ISSUER.newAuthority("proxies", "elsewhere");
        plane = KeyedControlPlane.frontProxying(
                Files.createTempDirectory(directory, "assets"), former, leaf, another.certificate());

        rotateAndFinish();

        assertThat(trusted(plane)).hasSize(2).contains(another.certificate()).doesNotContain(former.certificate());
        assertThat(plane.published()).containsExactlyInAnyOrderElementsOf(trusted(plane));
        assertThat(outside(plane).fits()).isTrue();
    }

    @Test
    void withoutTheKeyOfTheNewOneThereIsTheWayBack() throws IOException {
        rotate(Aim.SHOW);
        plane.cluster.objects.remove(KeyedControlPlane.SECRETS
                + authorities(plane).getFirst().at("metadata", "name").text().orElseThrow());

        for (Aim aim : List.of(Aim.SHOW, Aim.FINISH)) {
            Refusal.of(() -> rotate(aim), ErrorCode.CHANGE_REFUSED)
                    .whatContains("the key of authority", "is gone")
                    .nextContains("--take-back");
        }
        rotate(Aim.TAKE_BACK);
        requireFormer(plane);
    }

    /** The directory has the new key only when the last step was written: what comes first in it goes by which key it has. */
    @ParameterizedTest
    @EnumSource
    void aStepThatIsTakenBackEndsTheRunAndTheNextGoesOn(Aim aim) throws IOException {
        if (aim != Aim.SHOW) {
            rotate(Aim.SHOW);
        }
        plane.cluster.aborts = 1;

        Refusal.of(() -> rotate(aim), ErrorCode.CHANGE_REFUSED)
                .where("DaemonSet kube-system/kube-apiserver")
                .whatContains("'ouro change abort'");
        assertThat(outside(plane).fits()).isTrue();
        assertThat(Pem.certificates(plane.outside(TRUST)).toList())
                .as("it trusts what the cluster does")
                .containsExactlyInAnyOrderElementsOf(trusted(plane));
        assertThat(authorities(plane)).hasSize(1);

        rotate(aim);
        switch (aim) {
            case SHOW -> assertThat(trusted(plane)).hasSize(2);
            case FINISH -> requireAlone(plane);
            case TAKE_BACK -> requireFormer(plane);
        }
    }

    @Test
    void aDirectoryThatOnlyALaterRunIsGivenHasAllOfIt() throws IOException {
        Path assets = plane.assets;
        Patience patience =
                new Patience(new SilentListener(), Duration.ofSeconds(5), Duration.ZERO, InstantSource.system());
        KeyRotations without = plane.rotations(Optional.empty(), new SilentListener(), patience, patience);
        without.frontProxyAuthority(Aim.SHOW);
        without.frontProxyAuthority(Aim.FINISH);
        assertThat(Files.readString(assets.resolve("tls/" + TRUST))).isEqualTo(Pem.of(former.certificate()));

        rotate(Aim.FINISH);

        requireAlone(plane);
    }

    @Test
    void whatARotationMadeIssuesAgainLater() {
        String goal = rotateAndFinish();

        assertThat(new CertificateSource(new ControlPlaneObjects(plane.cluster)).authorities(List.of()))
                .singleElement()
                .satisfies(authority -> assertThat(trusted(plane)).containsExactly(authority.certificate()));
        assertThat(goal).hasSize(16);
    }

    @Test
    void aFileThatClientsGoByTooIsRefused() {
        refused(
                "--client-ca-file=/etc/k/ca.crt",
                "--client-ca-file=/etc/k/front-proxy-ca.crt",
                "is the file of --client-ca-file too");
    }

    @Test
    void aFileOfTwoFlagsIsRefused() {
        refused(
                "=/etc/k/front-proxy-client.key",
                "=/etc/k/front-proxy-client.crt",
                "do not name three files of one Secret");
    }

    private void refused(String from, String to, String why) {
        String text = JsonText.text(plane.cluster.read(FakeCluster.DAEMON_SET)).replace(from, to);
        plane.cluster.put(FakeCluster.DAEMON_SET, json(text));

        Refusal.of(() -> rotate(Aim.SHOW), ErrorCode.UNSUPPORTED_CLUSTER).whatContains(why);
        assertThat(plane.cluster.writes).isEmpty();
        assertThat(authorities(plane)).isEmpty();
    }

    @Test
    void aCertificateOfNoneOfTheTrustedAuthoritiesIsRefused() throws IOException {
        plane = KeyedControlPlane.frontProxying(
                Files.createTempDirectory(directory, "assets"), former, leafOf(ISSUER.newAuthority("another", "test")));

        Refusal.of(() -> rotate(Aim.SHOW), ErrorCode.INVALID_KEY_MATERIAL)
                .whatContains("was issued by none of the authorities");
        assertThat(authorities(plane)).isEmpty();
    }

    /** Two commands: one that has come to its end is not run again. */
    private static final class World implements KilledAnywhere.World {
        private final FrontProxyAuthorityTest test;
        private final KeyedControlPlane plane;
        private final Aim last;
        private boolean isShown;

        World(FrontProxyAuthorityTest test, Aim last) throws IOException {
            this.test = test;
            this.plane = test.plane();
            this.last = last;
            if (last == Aim.FINISH) {
                // So that there is one of an earlier rotation to be forgotten.
                rotate(KilledAnywhere.Place.nowhere(), Aim.SHOW);
                rotate(KilledAnywhere.Place.nowhere(), Aim.FINISH);
            }
        }

        @Override
        public void run(KilledAnywhere.Place place) {
            if (!isShown) {
                rotate(place, Aim.SHOW);
                isShown = true;
            }
            rotate(place, last);
        }

        private void rotate(KilledAnywhere.Place place, Aim aim) {
            ProcedureListener silence = new SilentListener();
            Patience patience = new Patience(silence, Duration.ofSeconds(5), Duration.ZERO, InstantSource.system());
            plane.rotations(silence, patience, new InterruptedDriver(patience, place))
                    .frontProxyAuthority(aim);
        }

        @Override
        public void judge(int killed) throws IOException {
            if (last == Aim.FINISH) {
                test.requireAlone(plane);
            } else {
                test.requireFormer(plane);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FINISH", "TAKE_BACK"})
    void itComesToItsEndWhereverTheCommandIsKilled(Aim last) throws Exception {
        // Two actions there, and two or three from there: the template, what is told, what is forgotten.
        assertThat(KilledAnywhere.check(() -> new World(this, last))).isGreaterThanOrEqualTo(8);
    }
}
