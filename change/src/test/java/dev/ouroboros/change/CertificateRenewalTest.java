package dev.ouroboros.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.change.CertificateRenewal.Scope;
import dev.ouroboros.change.decide.CertificateFiles;
import dev.ouroboros.change.decide.CertificateFiles.Leaf;
import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.model.procedure.testing.KilledAnywhere;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.testing.InterruptedDriver;
import dev.ouroboros.node.testing.SilentListener;
import dev.ouroboros.render.pki.LeafRenewal.Outlook;
import dev.ouroboros.render.pki.Pem;
import dev.ouroboros.render.pki.Profile;
import dev.ouroboros.render.pki.RenewalPolicy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CertificateRenewalTest {
    private static final Instant DUE = CertifiedControlPlane.BEGIN.plus(Duration.ofDays(250));
    private static final Instant NEXT_END = DUE.plus(Duration.ofDays(365));

    @TempDir
    private Path directory = Path.of(".");

    @Test
    void nothingIsDoneBeforeAnyIsDue() {
        CertifiedControlPlane plane = CertifiedControlPlane.withSteward();
        plane.now = CertifiedControlPlane.BEGIN.plus(Duration.ofDays(200));
        assertThat(plane.renewal(Optional.empty()).renew(Scope.DUE)).isFalse();
        assertThat(plane.cluster.writes).isEmpty();
    }

    @Test
    void everyWorkloadGetsItsOwnInASecretOfAnotherName() throws Exception {
        CertifiedControlPlane plane = CertifiedControlPlane.withSteward();
        plane.now = DUE;
        String managerBefore = plane.file(CertifiedControlPlane.MANAGER, "ca.key");

        assertThat(plane.renewal(Optional.empty()).renew(Scope.DUE)).isTrue();

        for (String file : List.of("apiserver.crt", "front-proxy-client.crt")) {
            assertThat(plane.certificate(FakeCluster.DAEMON_SET, file)
                            .getNotAfter()
                            .toInstant())
                    .as(file)
                    .isEqualTo(NEXT_END);
        }
        assertThat(Pem.certificates(plane.file(FakeCluster.DAEMON_SET, "apiserver.crt")))
                .as("whoever joins learns the authority from it")
                .hasSize(2)
                .contains(plane.authority.certificate());
        for (String workload : List.of(CertifiedControlPlane.MANAGER, CertifiedControlPlane.SCHEDULER)) {
            Leaf leaf = CertificateFiles.inKubeconfig("kubeconfig", plane.file(workload, "kubeconfig"))
                    .getFirst();
            assertThat(leaf.certificate().getNotAfter().toInstant()).isEqualTo(NEXT_END);
            assertThat(leaf.credential().fits()).isTrue();
        }
        assertThat(plane.file(CertifiedControlPlane.MANAGER, "ca.key"))
                .as("authorities stay")
                .isEqualTo(managerBefore);
        assertThat(plane.mounted(FakeCluster.DAEMON_SET).at("immutable").isTrue())
                .isTrue();
        assertThat(plane.mounted(CertifiedControlPlane.STEWARD).at("metadata", "name"))
                .as("it shows none")
                .isEqualTo(Json.text("ouroboros-steward-0123456789"));
        assertThat(plane.renewal(Optional.empty()).renew(Scope.DUE)).isFalse();
    }

    @Test
    void whatTheyAreIsListedWithWhenTheyAreDue() {
        CertifiedControlPlane plane = new CertifiedControlPlane();
        assertThat(plane.renewal(Optional.empty()).look())
                .extracting(one -> one.component().id() + " " + one.leaf().file() + " "
                        + one.outlook().getClass().getSimpleName())
                .containsExactly(
                        "kube-apiserver apiserver.crt Renews",
                        "kube-apiserver front-proxy-client.crt NoAuthority",
                        "kube-controller-manager kubeconfig Renews",
                        "kube-scheduler kubeconfig Renews");
    }

    @Test
    void authoritiesAreListedWithWhoMountsThemAndWhereTheirKeysAre() {
        CertifiedControlPlane plane = CertifiedControlPlane.withSteward();
        assertThat(plane.renewal(Optional.empty()).known())
                .containsExactly(
                        new CertificateRenewal.KnownAuthority(
                                plane.authority.certificate(),
                                new TreeSet<>(Set.of("kube-apiserver", "kube-controller-manager")),
                                new TreeSet<>(Set.of("Secret kube-controller-manager-0123456789"))),
                        new CertificateRenewal.KnownAuthority(
                                plane.frontProxy.certificate(),
                                new TreeSet<>(Set.of("ouroboros-steward")),
                                new TreeSet<>(Set.of("Secret ouroboros-steward-0123456789"))));
    }

    /** All that can be is issued, and then it is said of what could not. */
    @Test
    void oneWhoseAuthorityIsElsewhereHoldsUpNoOther() throws Exception {
        CertifiedControlPlane plane = new CertifiedControlPlane();
        plane.now = DUE;
        Refusal.of(
                () -> plane.renewal(Optional.empty()).renew(Scope.DUE),
                ErrorCode.NOT_FOUND,
                "front-proxy-client.crt (CN=front-proxy-client)",
                "is not in the cluster",
                "--asset-dir");
        assertThat(plane.certificate(FakeCluster.DAEMON_SET, "apiserver.crt")
                        .getNotAfter()
                        .toInstant())
                .isEqualTo(NEXT_END);
        assertThat(plane.certificate(FakeCluster.DAEMON_SET, "front-proxy-client.crt")
                        .getNotAfter()
                        .toInstant())
                .isBefore(NEXT_END);

        Path assets = assets(plane);
        assertThat(plane.renewal(Optional.of(assets)).renew(Scope.DUE)).isTrue();
        assertThat(plane.certificate(FakeCluster.DAEMON_SET, "front-proxy-client.crt")
                        .getNotAfter()
                        .toInstant())
                .isEqualTo(NEXT_END);
        assertThat(Files.readString(assets.resolve("tls/front-proxy-client.crt")))
                .as("the directory has what the cluster has")
                .isEqualTo(plane.file(FakeCluster.DAEMON_SET, "front-proxy-client.crt"));
        assertThat(Files.readString(assets.resolve("tls/front-proxy-client.key")))
                .isEqualTo(plane.file(FakeCluster.DAEMON_SET, "front-proxy-client.key"));
    }

    private Path assets(CertifiedControlPlane plane) throws Exception {
        Path assets = Files.createTempDirectory(directory, "assets");
        Path tls = Files.createDirectory(assets.resolve("tls"));
        Files.writeString(tls.resolve("ca.crt"), Pem.of(plane.authority.certificate()));
        Files.writeString(tls.resolve("ca.key"), Pem.of(plane.authority.privateKey()));
        Files.writeString(tls.resolve("front-proxy-ca.crt"), Pem.of(plane.frontProxy.certificate()));
        Files.writeString(tls.resolve("front-proxy-ca.key"), Pem.of(plane.frontProxy.privateKey()));
        for (String file : List.of("front-proxy-client.crt", "front-proxy-client.key")) {
            Files.writeString(tls.resolve(file), plane.file(FakeCluster.DAEMON_SET, file));
        }
        return assets;
    }

    @Test
    void anotherClustersDirectoryIsRefusedBeforeAnythingIsDone() throws Exception {
        CertifiedControlPlane plane = new CertifiedControlPlane();
        plane.now = DUE;
        Path assets = assets(new CertifiedControlPlane());
        Refusal.of(
                () -> plane.renewal(Optional.of(assets)).renew(Scope.ALL),
                ErrorCode.INVALID_ASSET_DIRECTORY,
                "--asset-dir " + assets.resolve("tls/ca.crt"),
                "is of another cluster",
                "give that directory");
        assertThat(plane.cluster.writes).isEmpty();
    }

    @Test
    void allAreIssuedAgainWhereThatIsAskedFor() {
        CertifiedControlPlane plane = CertifiedControlPlane.withSteward();
        assertThat(plane.renewal(Optional.empty()).renew(Scope.ALL)).isTrue();
        assertThat(plane.cluster.writes)
                .containsExactly(
                        FakeCluster.DAEMON_SET,
                        CertifiedControlPlane.MANAGER,
                        CertifiedControlPlane.SCHEDULER,
                        CertifiedControlPlane.AGENT);
    }

    /** Kubernetes replaces none of the others where as many are unavailable as may be. */
    @Test
    void aNodeThatIsOffHoldsUpTheCertificatesOfNoOther() {
        CertifiedControlPlane plane = CertifiedControlPlane.withSteward();
        plane.now = DUE;
        AgentsOfWhichOneIsOff agents = new AgentsOfWhichOneIsOff(plane.cluster);
        assertThat(plane.renewal(Optional.empty()).isAtRest()).isTrue();

        assertThat(plane.renewal(Optional.empty()).renew(Scope.DUE)).isTrue();

        assertThat(agents.story)
                .as("those of the workers that are on")
                .containsExactly("template 2", "agent-w1 of 2", "agent-w2 of 2");
        assertThat(plane.renewal(Optional.empty()).isAtRest()).isTrue();
    }

    /** Looked at once a month, which is far less often than the steward looks. In the last months it is said of each authority, and no workload is touched. */
    @Test
    void inTwelveYearsThatNobodyTendsNoneEndsBeforeItsAuthority() {
        CertifiedControlPlane plane = CertifiedControlPlane.withSteward();
        Instant authorityEnds = plane.authority.certificate().getNotAfter().toInstant();
        int renewals = 0;
        int refusals = 0;
        for (int month = 0; month < 12 * 12; month++) {
            plane.now = CertifiedControlPlane.BEGIN.plus(Duration.ofDays(30L * month));
            List<CertificateRenewal.Mounted> mounted =
                    plane.renewal(Optional.empty()).look();
            if (plane.now.isBefore(authorityEnds.minus(Duration.ofDays(121)))) {
                renewals += plane.renewal(Optional.empty()).renew(Scope.DUE) ? 1 : 0;
                assertThat(mounted)
                        .as("month " + month)
                        .allSatisfy(one -> assertThat(
                                        one.leaf().certificate().getNotAfter().toInstant())
                                .isAfter(plane.now));
            } else if (plane.now.isBefore(authorityEnds)) {
                refusals++;
                requireEndingTold(plane, authorityEnds);
            } else {
                assertThat(mounted)
                        .as("nothing is signed by an authority that has ended")
                        .allSatisfy(one -> assertThat(one.outlook()).isInstanceOf(Outlook.NoAuthority.class));
            }
        }
        // Every 244 days, and a last time for what is left of the authority's ten years.
        assertThat(renewals).isBetween(13, 16);
        assertThat(refusals).isEqualTo(4);
    }

    private static void requireEndingTold(CertifiedControlPlane plane, Instant end) {
        plane.cluster.writes.clear();
        assertThatThrownBy(() -> plane.renewal(Optional.empty()).renew(Scope.DUE))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problems())
                                .extracting(Problem::where)
                                .hasSize(2)
                                .anyMatch(where -> where.contains("CN=kubernetes-ca"))
                                .anyMatch(where -> where.contains("CN=front-proxy-ca")))
                .hasMessageContainingAll(
                        "ends on " + end,
                        "CN=kube-apiserver, CN=system:kube-controller-manager, CN=system:kube-scheduler",
                        "ouro change rotate-authority front-proxy");
        assertThat(plane.cluster.writes).isEmpty();
    }

    /** Off for more than a year: nothing comes to rest with what it has. */
    @Test
    void whatHasEndedIsNotWaitedFor() throws Exception {
        CertifiedControlPlane plane = CertifiedControlPlane.withSteward();
        plane.now = CertifiedControlPlane.BEGIN.plus(Duration.ofDays(400));
        for (String path : List.of(CertifiedControlPlane.MANAGER, CertifiedControlPlane.SCHEDULER)) {
            Json.Fields workload = (Json.Fields) plane.cluster.read(path);
            Json.Fields status = (Json.Fields) workload.at("status");
            plane.cluster.put(path, workload.with("status", status.with("availableReplicas", Json.number(0))));
        }
        Refusal.of(
                () -> plane.renewal(Optional.empty()).renew(Scope.DUE),
                ErrorCode.TIMEOUT,
                "--timeout",
                "kube-controller-manager: 0 of 1 pods are available",
                "run the same command again");
        assertThat(plane.cluster.writes)
                .containsExactly(
                        FakeCluster.DAEMON_SET,
                        CertifiedControlPlane.MANAGER,
                        CertifiedControlPlane.SCHEDULER,
                        CertifiedControlPlane.AGENT);
    }

    private static final class World implements KilledAnywhere.World {
        private final CertifiedControlPlane plane = CertifiedControlPlane.withSteward();

        World() {
            plane.now = DUE;
        }

        @Override
        public void run(KilledAnywhere.Place place) {
            Patience patience =
                    new Patience(new SilentListener(), Duration.ofSeconds(5), Duration.ZERO, InstantSource.system());
            plane.renewal(Optional.empty(), patience, new InterruptedDriver(patience, place))
                    .renew(Scope.DUE);
        }

        @Override
        public void judge(int killed) {
            assertThat(plane.renewal(Optional.empty()).look())
                    .as("killed at " + killed)
                    .allSatisfy(one -> assertThat(
                                    one.leaf().certificate().getNotAfter().toInstant())
                            .isEqualTo(NEXT_END));
            assertThat(plane.cluster.objects.keySet())
                    .as("killed at " + killed + ": one Secret each")
                    .filteredOn(path -> path.contains("/secrets/"))
                    .hasSize(9);
        }
    }

    @Test
    void killedAnywhereItGoesOn() throws Exception {
        assertThat(KilledAnywhere.check(World::new)).isGreaterThanOrEqualTo(6);
    }

    /** Between the Secret and the template that is to mount it. */
    @Test
    void aSecretOfARunThatWasKilledIsTaken() {
        CertifiedControlPlane plane = CertifiedControlPlane.withSteward();
        plane.now = DUE;
        Json before = plane.cluster.read(CertifiedControlPlane.SCHEDULER);
        plane.renewal(Optional.empty()).renew(Scope.DUE);
        String prepared = plane.mounted(CertifiedControlPlane.SCHEDULER)
                .at("metadata", "name")
                .text()
                .orElseThrow();
        plane.cluster.put(CertifiedControlPlane.SCHEDULER, before);

        plane.renewal(Optional.empty()).renew(Scope.DUE);

        assertThat(plane.mounted(CertifiedControlPlane.SCHEDULER).at("metadata", "name"))
                .isEqualTo(Json.text(prepared));
    }

    @Test
    void aPersonsKubeconfigIsRenewedInItsFile() throws Exception {
        CertifiedControlPlane plane = new CertifiedControlPlane();
        Credential admin = plane.leaf(plane.authority, Profile.client("admin", "system:masters"));
        Path file = directory.resolve("kubeconfig");
        Files.writeString(file, "# mine\n" + CertifiedControlPlane.kubeconfig(admin) + "current-context: here\n");
        KubeconfigRenewal renewal = new KubeconfigRenewal(
                new LocalDisk(),
                List.of(plane.frontProxy, plane.authority),
                RenewalPolicy.STANDARD,
                plane.random,
                InstantSource.fixed(DUE));

        assertThat(renewal.renew(file)).singleElement().satisfies(one -> {
            assertThat(one.subject()).contains("CN=admin");
            assertThat(one.notAfter()).isEqualTo(NEXT_END);
        });

        String text = Files.readString(file);
        assertThat(text).startsWith("# mine\n").endsWith("current-context: here\n");
        Leaf leaf = CertificateFiles.inKubeconfig("kubeconfig", text).getFirst();
        assertThat(leaf.certificate().getNotAfter().toInstant()).isEqualTo(NEXT_END);
        assertThat(leaf.certificate().getSubjectX500Principal())
                .isEqualTo(admin.certificate().getSubjectX500Principal());

        String before = Files.readString(file);
        KubeconfigRenewal elsewhere = new KubeconfigRenewal(
                new LocalDisk(),
                List.of(plane.frontProxy),
                RenewalPolicy.STANDARD,
                plane.random,
                InstantSource.fixed(DUE));
        Refusal.of(
                () -> elsewhere.renew(file),
                ErrorCode.INVALID_KEY_MATERIAL,
                file.toString(),
                "of another authority",
                "--asset-dir");
        assertThat(Files.readString(file)).isEqualTo(before);
        Path none = directory.resolve("none");
        Refusal.of(
                () -> renewal.renew(none),
                ErrorCode.NOT_FOUND,
                none.toString(),
                "does not exist",
                "ouro kubeconfig prints");
        Files.writeString(none, "users: [{name: someone, user: {token: abc}}]\n");
        Refusal.of(
                () -> renewal.renew(none),
                ErrorCode.INVALID_KEY_MATERIAL,
                none.toString(),
                "no client-certificate-data",
                "where its owner had it from");
    }

    /** As while it is brought back: of two that end a minute apart the second one is not waited for either. */
    @Test
    void atOnceNoWorkloadWaitsForAnother() {
        CertifiedControlPlane plane = CertifiedControlPlane.withSteward();
        plane.now = DUE;
        end(plane, "Proving", 0);
        Refusal.of(
                () -> plane.renewal(Optional.empty()).renew(Scope.DUE),
                ErrorCode.TIMEOUT,
                "--timeout",
                "kube-apiserver: Proving: no way",
                "run the same command again");
        assertThat(plane.cluster.writes).isEmpty();

        assertThat(plane.renewal(Optional.empty()).renew(Scope.DUE_AT_ONCE)).isTrue();
        assertThat(plane.cluster.writes).hasSize(4);
    }

    private static void end(CertifiedControlPlane plane, String state, int updated) {
        Json.Fields set = (Json.Fields) plane.cluster.read(FakeCluster.DAEMON_SET);
        Json metadata = ((Json.Fields) set.at("metadata"))
                .with(
                        "annotations",
                        FakeCluster.json("{'ouroboros.dev/change-state': '" + state
                                + "', 'ouroboros.dev/change-message': 'no way'}"));
        Json status = ((Json.Fields) set.at("status")).with("updatedNumberScheduled", Json.number(updated));
        plane.cluster.put(FakeCluster.DAEMON_SET, set.with("metadata", metadata).with("status", status));
    }

    /** Somebody's own template failed: it is theirs to mend, and their server's certificate is said to wait for that; the others have theirs. */
    @Test
    void aTemplateThatFailedBeforeIsLeftAloneAndHoldsUpNoOther() {
        CertifiedControlPlane plane = CertifiedControlPlane.withSteward();
        plane.now = DUE;
        end(plane, "Failed", 0);
        Refusal.of(
                () -> plane.renewal(Optional.empty()).renew(Scope.DUE),
                ErrorCode.COMPONENT_FAILED,
                "kube-system/kube-apiserver",
                "no way",
                "ouro certificates renew");
        assertThat(plane.cluster.writes)
                .containsExactly(
                        CertifiedControlPlane.MANAGER, CertifiedControlPlane.SCHEDULER, CertifiedControlPlane.AGENT);
    }

    /** What an earlier run gave it is asked for once more, and what the keeper said before is no answer to that. */
    @Test
    void whatAnEarlierRunGaveItIsTriedAgain() {
        CertifiedControlPlane plane = CertifiedControlPlane.withSteward();
        plane.now = DUE;
        plane.renewal(Optional.empty()).renew(Scope.DUE);
        plane.cluster.writes.clear();
        end(plane, "Failed", 0);

        // The fake keeper carries out what is asked for, and leaves its last word.
        plane.renewal(Optional.empty()).renew(Scope.DUE);

        assertThat(plane.cluster.writes).containsExactly(FakeCluster.DAEMON_SET);
        assertThat(plane.cluster
                        .read(FakeCluster.DAEMON_SET)
                        .at("metadata", "annotations", "ouroboros.dev/change-retry")
                        .isNull())
                .isFalse();
    }

    @Test
    void whatIsTakenBackIsSaid() {
        CertifiedControlPlane plane = CertifiedControlPlane.withSteward();
        plane.now = DUE;
        plane.cluster.aborts = 1;
        Refusal.of(
                () -> plane.renewal(Optional.empty()).renew(Scope.DUE),
                ErrorCode.COMPONENT_FAILED,
                "kube-system/kube-apiserver",
                "gave its template back",
                "ouro certificates renew");
        assertThat(plane.cluster.writes)
                .as("once")
                .containsExactly(
                        FakeCluster.DAEMON_SET,
                        CertifiedControlPlane.MANAGER,
                        CertifiedControlPlane.SCHEDULER,
                        CertifiedControlPlane.AGENT);
    }

    @Test
    void anApiServerThatDoesNotAnswerForAMomentIsAskedAgain() {
        CertifiedControlPlane plane = CertifiedControlPlane.withSteward();
        plane.now = DUE;
        plane.cluster.failures = 3;
        assertThat(plane.renewal(Optional.empty()).renew(Scope.DUE)).isTrue();
    }

    /** Somebody's with another kind of key, and what is no certificate at all. */
    @Test
    void whatIsNotUnderstoodIsLeftOut() {
        CertifiedControlPlane plane = CertifiedControlPlane.withSteward();
        Json.Fields secret = (Json.Fields) plane.mounted(CertifiedControlPlane.SCHEDULER);
        Json data = ((Json.Fields) secret.at("data"))
                .with(
                        "odd",
                        Json.text(CertifiedControlPlane.base64("client-certificate-data: abc\nclient-key-data: ====")));
        plane.cluster.put(
                "/api/v1/namespaces/kube-system/secrets/kube-scheduler-0123456789", secret.with("data", data));
        assertThat(plane.renewal(Optional.empty()).look())
                .extracting(one -> one.leaf().file())
                .doesNotContain("odd");
    }
}
