package dev.ouroboros.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.ouroboros.etcd.EtcdAlarms.Alarm;
import dev.ouroboros.etcd.EtcdAlarms.Kind;
import dev.ouroboros.etcd.EtcdCluster;
import dev.ouroboros.etcd.EtcdCluster.Hash;
import dev.ouroboros.etcd.EtcdMemberStatus;
import dev.ouroboros.etcd.WalSyncs;
import dev.ouroboros.keeper.decide.CheckpointSummary;
import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.model.ailment.Finding.Severity;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.kubelet.KubeletReport;
import dev.ouroboros.status.seen.DatedCertificate;
import dev.ouroboros.status.seen.SavedSlots;
import dev.ouroboros.upgrade.decide.ClusterSeen.DeprecatedRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ClusterDoctorTest {
    private DoctorScene scene;

    @BeforeEach
    void set() {
        scene = new DoctorScene();
    }

    @Test
    void findsNothingWrongWithAClusterThatIsWell() {
        assertThat(scene.findings())
                .as("every check says something")
                .allSatisfy(finding -> assertThat(finding.severity()).isEqualTo(Severity.OK))
                .extracting(Finding::check)
                .containsExactly(
                        "api",
                        "components",
                        "checkpoints",
                        "images",
                        "certificates",
                        "clocks",
                        "etcd quota",
                        "etcd alarms",
                        "etcd members",
                        "kubelets",
                        "flags",
                        "nodes",
                        "removed-apis",
                        "room",
                        "skew");
        assertThat(evidence("etcd quota")).isEqualTo("100 MiB of 2048 MiB, 4 %");
        assertThat(evidence("clocks")).contains("one 4 s ago");
        assertThat(evidence("skew")).contains("kubelet v1.20.2 on one");
        assertThat(evidence("certificates")).contains("in 300 days").contains("CN=kube-apiserver");
    }

    @Test
    void readsWhatTheControlPlaneObjectSaysOfItself() throws Exception {
        String object =
                "{\"status\": {\"conditions\": [{\"type\": \"Ready\", \"status\": \"False\", \"message\": \"one: the disk is full\"},"
                        + " {\"type\": \"Stalled\", \"status\": \"%s\"}]}}";
        scene.controlPlane = Evidence.known(Optional.of(JsonText.read(object.formatted("True"))));
        wrong(Severity.WARNING, "control plane object", "one: the disk is full");
        scene.controlPlane = Evidence.known(Optional.of(JsonText.read(object.formatted("False"))));
        assertThat(scene.wrong()).isEmpty();
        assertThat(evidence("control plane object")).isEqualTo("one: the disk is full");
        scene.controlPlane = Evidence.known(Optional.of(JsonText.read("{}")));
        wrong(Severity.WARNING, "control plane object", "no steward has said anything");
        scene.controlPlane = Evidence.known(Optional.of(JsonText.read(
                "{\"metadata\": {\"creationTimestamp\": \"%s\"}}".formatted(DoctorScene.NOW.minusSeconds(60)))));
        assertThat(scene.wrong()).as("the steward begins when all else has").isEmpty();
    }

    @Test
    void readsWhatNodesSayOfTheKubeletsThatAreWishedOfThem() {
        scene.kubeletWish = "{\"config\":{\"maxPods\":50}}";
        assertThat(scene.findings())
                .anyMatch(finding -> finding.check().equals("kubelets") && finding.severity() == Severity.UNKNOWN);
        scene.kubeletReport = Optional.of(report(KubeletReport.State.RUNNING));
        assertThat(evidence("kubelets")).isEqualTo("as is wished: Node one");
        scene.kubeletReport = Optional.of(report(KubeletReport.State.FAILED));
        wrong(Severity.WARNING, "kubelets", "Node one: Failed, it ended three times");
        scene.kubeletWish = "{\"config\":{\"maxPods\":60}}";
        assertThat(scene.wrong()).as("it is of another wish").isEmpty();
        scene.kubeletWish = "";
        scene.kubeletReport = Optional.of(report(KubeletReport.State.UNMANAGED));
        assertThat(evidence("kubelets")).isEqualTo("nothing is wished of any");
    }

    private KubeletReport report(KubeletReport.State state) {
        return new KubeletReport(
                state, KubeletReport.digestOf(scene.kubeletWish), "base", "abc", "it ended three times");
    }

    @Test
    void doesNotTakeForProvenWhatItCouldNotSee() {
        scene.apiTrouble = Optional.of("connection refused");
        scene.nodeIsSeen = false;
        scene.databaseBytes = Evidence.unknown("connection refused");
        scene.alarms = Evidence.unknown("no keys to etcd");
        scene.controlPlane = Evidence.unknown("connection refused");
        scene.archives = Evidence.unknown("this machine is no control-plane node");
        assertThat(scene.wrong()).singleElement().satisfies(finding -> {
            assertThat(finding.check()).isEqualTo("api");
            assertThat(finding.evidence()).contains("connection refused");
        });
        assertThat(scene.findings().subList(1, scene.findings().size()))
                .allSatisfy(finding -> assertThat(finding.severity()).isEqualTo(Severity.UNKNOWN));
    }

    @Test
    void wantsACheckpointOfEveryPartOfTheControlPlane() {
        scene.slots = Evidence.known(new SavedSlots(Optional.empty(), Optional.empty()));
        wrong(Severity.PROBLEM, "checkpoints", "kube-apiserver has none");
        scene.slots = Evidence.known(new SavedSlots(Optional.empty(), Optional.of(DoctorScene.saved())));
        wrong(Severity.WARNING, "checkpoints", "not proven yet");
        scene.slots = Evidence.unknown("its digest is another");
        wrong(Severity.PROBLEM, "checkpoints", "its digest is another");
    }

    @Test
    void judgesWhatAKeeperSaysOfANodeThatIsNotSeen() {
        scene.nodeIsSeen = false;
        assertThat(checkpoints()).isEqualTo(Severity.UNKNOWN);
        scene.told = Optional.of(CheckpointSummary.NONE);
        wrong(Severity.PROBLEM, "checkpoints", "kube-apiserver has none");
        scene.told = Optional.of(new CheckpointSummary(
                new TreeMap<>(Map.of(
                        new ComponentName("kube-system", "kube-apiserver"),
                        new CheckpointSummary.Saved(
                                Optional.of(
                                        new CheckpointSummary.Slot(new Revision("3f".repeat(32)), Optional.empty())),
                                Optional.empty()))),
                new TreeMap<>()));
        assertThat(checkpoints()).isEqualTo(Severity.OK);
    }

    private Severity checkpoints() {
        return scene.findings().stream()
                .filter(finding -> finding.check().equals("checkpoints"))
                .findFirst()
                .orElseThrow()
                .severity();
    }

    @Test
    void wantsTheImagesOfCheckpointsInTheArchive() {
        scene.archives = Evidence.known(Set.of());
        wrong(Severity.WARNING, "images", DoctorScene.IMAGE);
    }

    @Test
    void tellsWhichCertificatesEnd() {
        scene.certificate = DoctorScene.NOW.plus(Duration.ofDays(29));
        wrong(Severity.WARNING, "certificates", "in 29 days (CN=kube-apiserver, Secret kube-apiserver, apiserver.crt)");
        scene.certificate = DoctorScene.NOW.minusSeconds(1);
        wrong(Severity.PROBLEM, "certificates", "kube-apiserver: ended 2026-11-21T11:59:59Z");
    }

    @Test
    void looksAtOtherNodesAsFarAsItCan() {
        DatedCertificate soon = new DatedCertificate(
                "kubelet's file",
                "",
                "CN=system:node:two",
                DoctorScene.NOW.plus(Duration.ofDays(3)),
                false,
                "CN=kubernetes-ca",
                Instant.EPOCH);
        scene.others.add(
                new NodeChart("two", Evidence.known(scene.node("two", List.of(soon))), Evidence.known(Set.of())));
        assertThat(scene.wrong())
                .extracting(Finding::check, Finding::evidence)
                .containsExactly(
                        tuple("images", DoctorScene.IMAGE + " on two"),
                        tuple(
                                "certificates",
                                "kubelet on two: ends 2026-11-24T12:00:00Z, in 3 days (CN=system:node:two, kubelet's file)"));
        scene.others.clear();
        scene.others.add(new NodeChart("two", Evidence.unknown("node two does not run"), Evidence.unknown("the same")));
        assertThat(scene.wrong()).isEmpty();
        assertThat(scene.findings())
                .filteredOn(finding -> finding.severity() == Severity.UNKNOWN)
                .extracting(Finding::check)
                .containsExactly("images", "certificates");
    }

    @Test
    void seesClocksThatAreAheadOrFarBehind() {
        scene.renewed = DoctorScene.NOW.plusSeconds(90);
        wrong(Severity.WARNING, "clocks", "90 s from now");
        scene.renewed = DoctorScene.NOW.minusSeconds(300);
        wrong(Severity.WARNING, "clocks", "300 s ago");
        scene.renewed = DoctorScene.NOW.minusSeconds(45);
        assertThat(scene.wrong()).as("its kubelet may just have stopped").isEmpty();
    }

    @Test
    void saysNothingOfTheClockOfANodeThatIsNotReady() {
        scene.renewed = DoctorScene.NOW.minusSeconds(300);
        scene.ready = "False";
        assertThat(scene.wrong())
                .extracting(Finding::check)
                .doesNotContain("clocks")
                .contains("nodes");
        assertThat(evidence("clocks")).contains("is not ready");
    }

    @Test
    void saysOfAMemberThatIsAwayHowManyMoreMayBeLost() {
        scene.members.put("two", DoctorScene.member("two", 1));
        scene.members.put("three", DoctorScene.member("three", 1));
        assertThat(evidence("etcd members")).isEqualTo("3 of 3 members that vote follow the leader, 1 may be lost");
        scene.members.put("three", Evidence.unknown("cannot be reached"));
        wrong(
                Severity.WARNING,
                "etcd members",
                "three: cannot be reached (2 of 3 members that vote follow the leader, none may be lost)");
    }

    @Test
    void aClusterWhoseMembersKnowNoLeaderStandsStill() {
        scene.members.put("two", Evidence.unknown("cannot be reached"));
        scene.members.put("three", Evidence.unknown("cannot be reached"));
        scene.members.put("one", without(DoctorScene.member("one", 1)));
        assertThat(scene.wrong())
                .extracting(Finding::severity, Finding::evidence)
                .contains(tuple(Severity.PROBLEM, "1 of 3 members that vote answer"));
    }

    private static Evidence<EtcdMemberStatus> without(Evidence<EtcdMemberStatus> leader) {
        return leader.map(status -> new EtcdMemberStatus(
                status.clusterId(),
                status.memberId(),
                status.version(),
                Optional.empty(),
                status.term(),
                status.committed(),
                status.applied(),
                status.revision(),
                status.databaseBytes(),
                status.usedBytes(),
                List.of("etcdserver: no leader")));
    }

    @Test
    void aMemberThatAnswersAndIsCutOffFromTheOthersCountsForNothing() {
        scene.members.put("two", DoctorScene.member("two", 1));
        scene.members.put("three", without(DoctorScene.member("three", 1)));
        wrong(
                Severity.WARNING,
                "etcd members",
                "three follows no leader (2 of 3 members that vote follow the leader, none may be lost)");
    }

    @Test
    void whoSeesOneMemberOnlyDoesNotSayThatTheOthersAreGone() {
        scene.members.put("two", Evidence.unknown("cannot be reached"));
        scene.members.put("three", Evidence.unknown("cannot be reached"));
        assertThat(scene.wrong()).hasSize(2).allSatisfy(finding -> {
            assertThat(finding.severity()).isEqualTo(Severity.WARNING);
            assertThat(finding.evidence()).contains("and others that do not answer from here");
        });
    }

    @Test
    void comparesTheDataOfMembersWhenItIsAskedTo() {
        scene.members.put("two", DoctorScene.member("two", 1));
        scene.members.put("three", DoctorScene.member("three", 1));
        Hash hash = new Hash(1, 0, 100);
        assertThat(data(Map.of("one", hash, "two", hash, "three", hash)))
                .isEqualTo(Finding.ok("etcd data", "the hashes of 3 members that vote are the same"));
        assertThat(data(Map.of("one", hash, "two", hash)).severity()).isEqualTo(Severity.UNKNOWN);
        Finding differs = data(Map.of("one", hash, "two", hash, "three", new Hash(1, 0, 101)));
        assertThat(differs.severity()).isEqualTo(Severity.PROBLEM);
        assertThat(differs.evidence())
                .isEqualTo("at revision 1 one has the hash 100, three has the hash 101, two has the hash 100");
    }

    private Finding data(Map<String, Hash> hashes) {
        SortedMap<String, Evidence<Hash>> known = new TreeMap<>();
        hashes.forEach((member, hash) -> known.put(member, Evidence.known(hash)));
        EtcdCluster etcd = scene.etcd();
        return EtcdMemberExam.ofAll(
                        new EtcdCluster(etcd.members(), etcd.statuses(), known, etcd.walSyncs(), etcd.alarms()))
                .getLast();
    }

    @Test
    void aMemberThatDoesNotVoteCountsForNothing() {
        scene.members.put("two", DoctorScene.member("two", 1));
        wrong(Severity.WARNING, "etcd members", "2 members vote");
        scene.learners.add("two");
        assertThat(evidence("etcd members")).isEqualTo("1 of 1 members that vote follow the leader, none may be lost");
    }

    @Test
    void seesAMemberThatLagsAndAFileThatIsMostlyEmpty() {
        scene.members.put("two", DoctorScene.member("two", 999));
        scene.members.put("three", DoctorScene.member("three", 2000));
        scene.members.put("one", DoctorScene.member("one", 2000));
        wrong(Severity.WARNING, "etcd members", "two is 1001 entries behind");
        scene.members.put("two", DoctorScene.member("two", 2000).map(status -> ofSize(status, 200L << 20, 110L << 20)));
        wrong(Severity.WARNING, "etcd members", "two: 110 MiB in use of 200 MiB");
        scene.members.put("two", DoctorScene.member("two", 2000).map(status -> ofSize(status, 200L << 20, 111L << 20)));
        assertThat(scene.wrong()).isEmpty();
    }

    /** Right after a start a few slow ones are a large share. */
    @Test
    void seesADiskThatIsSlowWhereEnoughWasSynced() {
        scene.syncs.put("one", Evidence.known(new WalSyncs(1000, Duration.ofMillis(500))));
        wrong(Severity.WARNING, "etcd disks", "one: 99 % of 1000 syncs of its write-ahead log took up to 500 ms");
        scene.syncs.put("one", Evidence.known(new WalSyncs(999, Duration.ofMillis(500))));
        assertThat(scene.wrong()).isEmpty();
        scene.syncs.put("one", Evidence.known(new WalSyncs(1000, Duration.ofMillis(499))));
        assertThat(scene.wrong()).isEmpty();
        scene.syncs.put("one", Evidence.unknown("answers 404"));
        assertThat(scene.findings()).contains(Finding.unknown("etcd disks", "one: answers 404"));
    }

    private static EtcdMemberStatus ofSize(EtcdMemberStatus status, long databaseBytes, long usedBytes) {
        return new EtcdMemberStatus(
                status.clusterId(),
                status.memberId(),
                status.version(),
                status.leader(),
                status.term(),
                status.committed(),
                status.applied(),
                status.revision(),
                databaseBytes,
                usedBytes,
                status.errors());
    }

    @Test
    void comparesEtcdsDatabaseWithItsQuota() {
        scene.databaseBytes = Evidence.known(1700L << 20);
        wrong(Severity.WARNING, "etcd quota", "1700 MiB of 2048 MiB, 83 %");
        scene.databaseBytes = Evidence.known(2000L << 20);
        wrong(Severity.PROBLEM, "etcd quota", "97 %");
        scene.etcdFlags = ", \"--quota-backend-bytes=8589934592\"";
        assertThat(scene.wrong()).isEmpty();
        scene.etcdFlags = "";
        scene.etcdVariables = "{\"name\": \"ETCD_QUOTA_BACKEND_BYTES\", \"value\": \"4294967296\"}";
        assertThat(evidence("etcd quota")).isEqualTo("2000 MiB of 4096 MiB, 48 %");
        scene.etcdVariables = "{\"name\": \"ETCD_QUOTA_BACKEND_BYTES\", \"value\": \"-1\"}";
        assertThat(evidence("etcd quota")).isEqualTo("2000 MiB, without a quota");
        scene.etcdFlags = ", \"--quota-backend-bytes=2G\"";
        assertThat(evidence("etcd quota")).contains("is no number");
    }

    @Test
    void saysWhichAlarmsEtcdHasRaised() {
        scene.alarms = Evidence.known(List.of(new Alarm(Kind.NO_SPACE, "8e9e05c52164694d")));
        wrong(Severity.PROBLEM, "etcd alarms", "NOSPACE, raised by member 8e9e05c52164694d");
        scene.alarms = Evidence.known(List.of(new Alarm(Kind.CORRUPT, "a1")));
        wrong(Severity.PROBLEM, "etcd alarms", "CORRUPT");
        scene.alarms = Evidence.known(List.of(new Alarm(Kind.OTHER, "a1")));
        assertThat(scene.wrong()).isEmpty();
        assertThat(evidence("etcd alarms")).contains("etcdctl alarm list");
    }

    @Test
    void readsTheSizeOfTheDatabaseFromTheMetricsOfOldAndNewServers() {
        assertThat(ClusterSource.databaseSize(Evidence.known("""
                        # HELP etcd_db_total_size_in_bytes x
                        etcd_db_total_size_in_bytes{endpoint="https://192.0.2.1:2379"} 4.2e+06
                        """))).isEqualTo(Evidence.known(4_200_000L));
        assertThat(ClusterSource.databaseSize(
                        Evidence.known("apiserver_storage_size_bytes{storage_cluster_id=\"0\"} 7\n")))
                .isEqualTo(Evidence.known(7L));
        assertThat(ClusterSource.databaseSize(Evidence.known("other 1\n")).is(_ -> true))
                .isFalse();
    }

    @Test
    void asksThePlanOfAnUpgradeForTheRest() {
        scene.kubelet = "v1.21.0";
        wrong(Severity.PROBLEM, "skew", "kubelet v1.21.0 on one");
        scene.kubelet = "v1.20.2";
        scene.freeMemory = 1;
        wrong(Severity.PROBLEM, "room", "its API server has");
        scene.freeMemory = 4_000_000_000L;
        scene.requests.add(
                new DeprecatedRequest("policy", "v1beta1", "podsecuritypolicies", "1.25", Set.of("LIST", "WATCH")));
        scene.requests.add(new DeprecatedRequest(
                "extensions", "v1beta1", "ingresses", "1.22", Set.of("LIST", "WATCH", "DELETECOLLECTION")));
        assertThat(scene.wrong())
                .as("the controller manager watches everything")
                .isEmpty();
        scene.requests.add(new DeprecatedRequest("policy", "v1beta1", "podsecuritypolicies", "1.25", Set.of("POST")));
        wrong(Severity.WARNING, "removed-apis", "policy/v1beta1 podsecuritypolicies");
        scene.requests.clear();
        scene.apiServerFlag = "--kubelet-https=true";
        assertThat(scene.wrong()).as("1.21 has it").isEmpty();
        scene.server = "v1.21.14";
        wrong(Severity.WARNING, "flags", "DaemonSet kube-system/kube-apiserver: --kubelet-https is gone in 1.22");
    }

    private void wrong(Severity severity, String check, String evidence) {
        assertThat(scene.wrong()).singleElement().satisfies(finding -> {
            assertThat(finding.severity()).isEqualTo(severity);
            assertThat(finding.check()).isEqualTo(check);
            assertThat(finding.evidence()).contains(evidence);
            assertThat(finding.consequence()).isNotEmpty();
            assertThat(finding.remedy()).isNotEmpty();
        });
    }

    private String evidence(String check) {
        return scene.findings().stream()
                .filter(finding -> finding.check().equals(check))
                .map(Finding::evidence)
                .findFirst()
                .orElseThrow();
    }
}
