package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ouroboros.node.process.Result;
import dev.ouroboros.probe.report.ProbeReport;
import dev.ouroboros.probe.report.TextReport;
import dev.ouroboros.sandbox.node.NodeLayout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** A cluster with layer 1: the steward does what {@code ControlPlane/cluster} wishes. */
@Tag("e2e")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class StewardE2eTest {
    private static final String ASSETS = NodeLayout.ASSETS.toString();

    private final OuroProgram ouro = new OuroProgram("e2e-steward");

    private Path left = Path.of("");

    @BeforeAll
    void up(@TempDir Path allTests) {
        left = allTests;
        ouro.down();
        ouro.up("--layers", "1-4");
    }

    @AfterAll
    void down() {
        ouro.down();
    }

    private JsonNode status() throws IOException {
        return ouro.kubectlJson("get", "controlplane", "cluster").path("status");
    }

    private static String condition(JsonNode status, String type, String field) {
        return StreamSupport.stream(status.path("conditions").spliterator(), false)
                .filter(each -> each.path("type").asText().equals(type))
                .map(each -> each.path(field).asText())
                .findFirst()
                .orElse("");
    }

    private void awaitReason(String reason) throws Exception {
        Await.until(
                "ControlPlane/cluster to say " + reason,
                () -> status().toString(),
                () -> condition(status(), "Ready", "reason").equals(reason));
    }

    private void wish(String patch) {
        ouro.kubectl("patch", "controlplane", "cluster", "--type", "merge", "-p", patch);
    }

    private List<JsonNode> snapshots() throws IOException {
        JsonNode list = new ObjectMapper().readTree(ouro.inNode("ouro", "snapshot", "list", "-o", "json"));
        return StreamSupport.stream(list.path("snapshots").spliterator(), false).toList();
    }

    @Test
    @Order(1)
    void aNewClusterSavesItselfAtOnce() throws Exception {
        awaitReason("BackupsCurrent");
        JsonNode status = status();

        assertThat(condition(status, "Ready", "status")).isEqualTo("True");
        assertThat(condition(status, "Stalled", "status")).isEqualTo("False");
        assertThat(status.path("etcd").path("size").asInt()).isEqualTo(1);
        assertThat(status.path("etcd").path("members").path(0).path("state").asText())
                .isEqualTo("Leader");
        JsonNode saved = status.path("etcd").path("backups").path(0).path("saved");
        assertThat(saved.path("hasKeys").asBoolean()).isTrue();
        assertThat(saved.path("unreadable").asInt()).isZero();
        assertThat(snapshots()).singleElement().satisfies(entry -> {
            assertThat(entry.path("file").asText()).isEqualTo(saved.path("file").asText());
            assertThat(entry.path("state").asText()).isEqualTo("as saved");
        });
    }

    @Test
    @Order(2)
    void theObjectSaysWhatItIs() {
        assertThat(ouro.kubectl("explain", "controlplane.spec.etcd.backup").replaceAll("\\s+", " "))
                .contains("interval", "copies", "keep", "verified before it counts");
        assertThat(ouro.kubectl("get", "controlplanes")).contains("READY", "LAST BACKUP", "BackupsCurrent");
    }

    @Test
    @Order(3)
    void whatCannotBeWishedIsRefused() {
        for (String[] bad : new String[][] {
            {"{\"spec\":{\"etcd\":{\"backup\":{\"interval\":\"0h\"}}}}", "interval"},
            {"{\"spec\":{\"etcd\":{\"backup\":{\"copies\":0}}}}", "copies"},
            {"{\"spec\":{\"etcd\":{\"backup\":{\"keep\":{\"days\":-1}}}}}", "keep.days"}
        }) {
            Result refused = ouro.runIn(
                    ouro.nodeName(), "kubectl", "patch", "controlplane", "cluster", "--type", "merge", "-p", bad[0]);
            assertThat(refused.exitCode()).isEqualTo(1);
            assertThat(refused.error()).contains(bad[1]);
        }
        assertThat(ouro.runIn(
                                ouro.nodeName(),
                                "sh",
                                "-c",
                                "kubectl get controlplane cluster -o json | sed 's/\"name\": \"cluster\"/\"name\": \"other\"/' | kubectl create -f -")
                        .error())
                .contains("metadata.name");
    }

    private JsonNode drilled() throws IOException {
        return status().path("etcd").path("backups").path(0).path("drill");
    }

    private Result drill(String file) {
        return ouro.runIn(ouro.nodeName(), "ouro", "snapshot", "drill", file, "-o", "json");
    }

    /** By the steward when that is due, and by hand. */
    @Test
    @Order(4)
    void aDrillRestoresTheNewestSnapshotAndLeavesNothing() throws Exception {
        wish("{\"spec\":{\"etcd\":{\"backup\":{\"drillInterval\":\"1m\"}}}}");
        Await.until(
                "a drill",
                () -> status().toString(),
                () -> !drilled().path("time").asText().isEmpty());
        assertThat(drilled().path("passed").asBoolean())
                .as(drilled().toString())
                .isTrue();
        assertThat(ouro.kubectl("get", "events", "-n", "default", "--field-selector", "reason=DrillPassed"))
                .contains("controlplane/cluster", "were restored, served and compared");
        wish("{\"spec\":{\"etcd\":{\"backup\":{\"drillInterval\":\"7d\"}}}}");
        String newest = snapshots().getLast().path("file").asText();

        Await.until("no other drill is under way", () -> drill(newest).exitCode() == 0);
        Result done = drill(newest);
        assertThat(done.exitCode()).as(done.error()).isZero();
        assertThat(new ObjectMapper().readTree(done.output()).path("decrypted").asInt())
                .isPositive();
        ouro.inNode("cp", newest, "/root/bare.db");
        assertThat(drill("/root/bare.db").error()).contains("--encryption-config");
        assertThat(ouro.inNode(
                        "sh", "-c", "ls /etc/kubernetes/manifests /var/lib/ouroboros/drill; etcdctl member list"))
                .doesNotContain("drill-etcd", "data")
                .contains("etcd.yaml", "started");
    }

    private JsonNode certificates(String who) throws IOException {
        return status().path("certificates").path(who);
    }

    /** When what somebody serves ends, as whoever dials sees it. */
    private String servedUntil(int port) {
        return ouro.inNode(
                "sh",
                "-c",
                "openssl s_client -connect 127.0.0.1:" + port
                        + " </dev/null 2>/dev/null | openssl x509 -noout -enddate");
    }

    /** Nobody is asked for it, and etcd runs on. */
    @Test
    @Order(5)
    void whatAMemberShowsIsIssuedAgainBeforeItEnds() throws Exception {
        String process = ouro.inNode("sh", "-c", "echo $(pidof etcd) $(cut -d' ' -f22 /proc/$(pidof etcd)/stat)");
        assertThat(ouro.inNode("ouro", "certificates", "renew-member", "--all", "--lifetime", "30d"))
                .contains("server.crt", "peer.crt");
        String month = servedUntil(2379);
        assertThat(ouro.inNode("ouro", "certificates", "renew-member", "--all", "--lifetime", "5m"))
                .contains("server.crt");
        Await.until(
                "another one to be served",
                () -> status().toString(),
                () -> !certificates("members").path(0).path("renewed").asText().isEmpty());
        assertThat(servedUntil(2379)).isNotEqualTo(month);
        assertThat(Instant.parse(certificates("members").path(0).path("expires").asText()))
                .isAfter(Instant.now().plus(Duration.ofDays(360)));
        assertThat(ouro.inNode("sh", "-c", "echo $(pidof etcd) $(cut -d' ' -f22 /proc/$(pidof etcd)/stat)"))
                .as("its process is the same")
                .isEqualTo(process);
        assertThat(ouro.kubectl(
                        "get", "events", "-n", "default", "--field-selector", "reason=MemberCertificatesRenewed"))
                .contains("controlplane/cluster", "server.crt");
    }

    private JsonNode shownBy(String user) throws IOException {
        JsonNode all = ouro.json("certificates").path("certificates");
        return StreamSupport.stream(all.spliterator(), false)
                .filter(one -> one.path("usedBy").asText().equals(user))
                .findFirst()
                .orElseThrow();
    }

    private static Instant end(JsonNode certificate) {
        return Instant.parse(certificate.path("notAfter").asText());
    }

    /** As behind two thirds of a year: the scheduler's is made one that ends soon. */
    @Test
    @Order(6)
    void aCertificateOfAWorkloadThatEndsSoonIsIssuedAgain() throws Exception {
        String volume = "{.spec.template.spec.volumes[0].secret.secretName}";
        String[] scheduler = {"get", "deployment", "kube-scheduler", "-n", "kube-system", "-o", "jsonpath=" + volume};
        String former = ouro.kubectl(scheduler).strip();
        String file = "kubeconfig-kube-scheduler";
        ouro.inNode(
                "sh",
                "-c",
                "kubectl -n kube-system get secret " + former + " -o json | grep '\"" + file
                        + "\":' | head -1 | cut -d'\"' -f4 | base64 -d >/root/" + file);
        ouro.inNode(
                "ouro", "certificates", "renew-kubeconfig", "/root/" + file, "--asset-dir", ASSETS, "--lifetime", "5m");
        String ending = "kube-scheduler-0123456789";
        ouro.inNode("kubectl", "-n", "kube-system", "create", "secret", "generic", ending, "--from-file=/root/" + file);
        ouro.kubectl(
                "patch",
                "deployment",
                "kube-scheduler",
                "-n",
                "kube-system",
                "--type=json",
                "-p",
                "[{\"op\":\"replace\",\"path\":\"/spec/template/spec/volumes/0/secret/secretName\",\"value\":\""
                        + ending + "\"}]");
        assertThat(end(shownBy("kube-scheduler"))).isBefore(Instant.now().plus(Duration.ofMinutes(6)));

        Await.until(
                "another one to be mounted",
                () -> status().path("certificates").toString(),
                () -> !ouro.kubectl(scheduler).strip().equals(ending));

        assertThat(end(shownBy("kube-scheduler"))).isAfter(Instant.now().plus(Duration.ofDays(360)));
        Await.until(
                "it to be told",
                () -> status().toString(),
                () -> !certificates("workloads").path("renewed").asText().isEmpty()
                        && !certificates("workloads").path("renewing").asBoolean());
        assertThat(ouro.kubectl("get", "events", "-n", "default", "--field-selector", "reason=RenewingCertificates"))
                .contains("kube-scheduler gets certificates that were issued again");
        ouro.kubectl("rollout", "status", "deployment/kube-scheduler", "-n", "kube-system");
        assertThat(ouro.runPlain(
                                "certificates",
                                "renew-kubeconfig",
                                ouro.kubeconfig().toString())
                        .orThrow())
                .contains("CN=admin");
        assertThat(ouro.kubectl("get", "nodes")).contains("Ready");
    }

    /** A year in a quarter of an hour: all are exchanged by hand, and then before they end by the steward. */
    @Test
    @Tag("long")
    @Order(7)
    void noClientNoticesThatAllCertificatesAreOthers() throws Exception {
        String day = servedUntil(6443);
        wish("{\"spec\":{\"certificates\":{\"renew\":false}}}");
        try (Availability availability = Availability.toPatientClients(ouro.kubeconfig())) {
            ouro.runPlain("certificates", "renew", "--name", ouro.sandbox(), "--all", "--lifetime", "15m")
                    .orThrow();
            assertThat(end(shownBy("kube-apiserver"))).isBefore(Instant.now().plus(Duration.ofMinutes(15)));
            assertThat(servedUntil(6443)).isNotEqualTo(day);
            wish("{\"spec\":{\"certificates\":{\"renew\":true}}}");
            for (String user : List.of("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy")) {
                Await.until(
                        user + " to have others",
                        Duration.ofMinutes(15),
                        () -> status().toString(),
                        () -> end(shownBy(user)).isAfter(Instant.now().plus(Duration.ofDays(360))));
            }
            awaitReason("BackupsCurrent");
            Await.until(
                    "the pods to have what templates say",
                    Duration.ofMinutes(5),
                    () -> status().path("certificates").toString(),
                    () -> certificates("workloads").path("failure").asText().isEmpty()
                            && !certificates("workloads").path("renewing").asBoolean());
            ProbeReport report = availability.report();
            System.err.println(TextReport.render(report));
            assertThat(report.failedRequests()).as(TextReport.render(report)).isZero();
        }
        assertThat(ouro.run("certificates").exitCode()).isZero();
    }

    /** What a drill is for: it tells one that is good from one that is not. */
    @Test
    @Tag("long")
    @Order(8)
    void ofTwentyDrillsThoseOnBrokenFilesFailByName() throws Exception {
        String newest = snapshots().getLast().path("file").asText();
        ouro.inNode("sh", "-c", "cp " + newest + ".keys.yaml /root/keys.yaml");
        List<String> damages = List.of(
                "printf x | dd of=/root/tried.db bs=1 seek=20000 conv=notrunc",
                "truncate -s -4096 /root/tried.db",
                "dd if=/dev/zero of=/root/tried.db bs=4096 count=2 conv=notrunc",
                "printf more >>/root/tried.db");
        for (int number = 0; number < 20; number++) {
            boolean isBroken = number % 5 == 4;
            ouro.inNode(
                    "sh",
                    "-c",
                    "cp " + newest + " /root/tried.db; cp /root/keys.yaml /root/tried.db.keys.yaml; "
                            + (isBroken ? damages.get(number / 5) : "true"));
            Result result = drill("/root/tried.db");
            assertThat(result.exitCode() == 0)
                    .as("drill %d: %s", number, result.error())
                    .isEqualTo(!isBroken);
            if (isBroken) {
                assertThat(result.error()).contains("/root/tried.db");
            }
        }
    }

    /** Two others serve meanwhile. An API server before 1.23 does not try again what it had at etcd in the instant when the leader moves. */
    @Test
    @Tag("long")
    @Order(9)
    void everyKubeletIsAsTheObjectWishes() throws Exception {
        wish("{\"spec\":{\"kubelet\":{\"config\":{\"maxPods\":50}}}}");
        awaitReason("RollingKubelets");
        Await.sparingly(
                "it is said to be so",
                () -> status().at("/kubelet/state").asText().equals("Current"));
        String configured = "/api/v1/nodes/" + ouro.nodeName() + "/proxy/configz";
        assertThat(ouro.kubectl("get", "--raw", configured)).contains("\"maxPods\":50");

        wish("{\"spec\":{\"kubelet\":{\"arguments\":{\"no-such-flag\":\"x\"}}}}");
        awaitReason("KubeletFailed");
        assertThat(condition(status(), "Ready", "message")).contains(ouro.nodeName(), "its kubelet ended 3 times");
        Result refused = ouro.runPlain("kubelet", "set", "--name", ouro.sandbox(), "--config", "maxPods=5");
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.error()).contains("the steward sees to it");

        wish("{\"spec\":{\"kubelet\":{\"arguments\":null}}}");
        Await.sparingly(
                "the former wish is had again",
                () -> status().at("/kubelet/state").asText().equals("Current"));
        wish("{\"spec\":{\"kubelet\":null}}");
    }

    @Test
    @Tag("long")
    @Order(10)
    void anotherFlagOfEtcdIsWishedAndNoClientWaitsForIt() throws Exception {
        try (Availability availability = Availability.toPatientClients(ouro.kubeconfig())) {
            wish("{\"spec\":{\"etcd\":{\"flags\":{\"quota-backend-bytes\":\"3000000000\"}}}}");
            Await.until(
                    "the member to have it",
                    Duration.ofMinutes(12),
                    () -> status().toString(),
                    () -> status().path("etcd")
                            .path("manifests")
                            .path(0)
                            .path("state")
                            .asText()
                            .equals("Current"));
            awaitReason("BackupsCurrent");
            ProbeReport report = availability.report();
            assertThat(report.failedRequests()).as(TextReport.render(report)).isLessThanOrEqualTo(3);
        }
        assertThat(ouro.inNode("sh", "-c", "tr '\\0' ' ' </proc/$(pidof etcd)/cmdline"))
                .contains("--quota-backend-bytes=3000000000");
        assertThat(ouro.inNode("etcdctl", "member", "list").strip().lines()).hasSize(1);
        wish("{\"spec\":{\"etcd\":{\"flags\":{\"--quota-backend-bytes\":\"1\"}}}}");
        awaitReason("InvalidFlags");
        wish("{\"spec\":{\"etcd\":{\"flags\":null}}}");
        awaitReason("BackupsCurrent");
    }

    @Test
    @Tag("long")
    @Order(11)
    void theNewestOfEachPeriodStays() throws Exception {
        String first = snapshots().getFirst().path("file").asText();
        wish("{\"spec\":{\"etcd\":{\"backup\":{\"interval\":\"1m\",\"keep\":{\"hours\":1,\"days\":1,\"weeks\":1}}}}}");
        Await.until(
                "a newer snapshot to take the place of the first one",
                () -> snapshots().stream()
                        .noneMatch(entry -> entry.path("file").asText().equals(first)));

        // At the turn of an hour, a day or a week there are two for a while.
        assertThat(snapshots()).hasSizeBetween(1, 2).allMatch(entry -> entry.hasNonNull("keys"));
    }

    @Test
    @Order(12)
    void whenTheDiskIsFullItSaysSoAndKeepsTheLastOne() throws Exception {
        String directory = Path.of(snapshots().getFirst().path("file").asText())
                .resolveSibling("")
                .toString();
        // The one that is there moves with its list to a disk that has no room for another one.
        ouro.inNode(
                "sh",
                "-c",
                "mkdir /root/kept && cp -a " + directory
                        + "/. /root/kept/ && mount -t tmpfs -o size=24m,mode=700 small "
                        + directory + " && cp -a /root/kept/. " + directory + "/ && dd if=/dev/zero of=" + directory
                        + "/filler bs=1k count=24576 2>/dev/null; test -s " + directory + "/filler");
        ouro.inNode("sh", "-c", "mkdir /var/lib/ouroboros/backups-mirror");
        wish("{\"spec\":{\"etcd\":{\"backup\":{\"interval\":\"1m\",\"mirror\":true}}}}");
        awaitReason("MirrorFailed");
        assertThat(condition(status(), "Stalled", "message")).contains("is no mount");
        ouro.inNode("mount", "-t", "tmpfs", "-o", "mode=700", "elsewhere", "/var/lib/ouroboros/backups-mirror");
        // A mount that is made later is not in the pod that runs.
        ouro.kubectl("delete", "pod", "-n", "kube-system", "-l", "k8s-app=ouroboros-steward");
        awaitReason("BackupFailed");
        assertThat(condition(status(), "Stalled", "message")).contains("MiB free");
        assertThat(ouro.kubectl("get", "events", "-n", "default", "--field-selector", "reason=BackupFailed"))
                .contains("controlplane/cluster", "MiB free");
        assertThat(snapshots())
                .hasSizeBetween(1, 2)
                .allMatch(entry -> entry.path("state").asText().equals("as saved"));

        ouro.inNode("sh", "-c", "rm " + directory + "/filler");
        awaitReason("BackupsCurrent");
        String mirror = ouro.inNode("sh", "-c", "echo /var/lib/ouroboros/backups-mirror/*")
                .strip();
        assertThat(ouro.inNode("ouro", "snapshot", "list", mirror)).contains("as saved", "yes");
        assertThat(ouro.kubectl("get", "events", "-n", "default", "--field-selector", "reason=BackupSaved"))
                .contains("saved again");
        ouro.inNode("sh", "-c", "cp -a " + directory + "/. /root/kept/");
    }

    @Test
    @Tag("long")
    @Order(13)
    void nothingIsDoneWhileItIsPausedOrNotThere() throws Exception {
        wish("{\"spec\":{\"paused\":true}}");
        awaitReason("Paused");
        wish("{\"spec\":{\"paused\":false}}");
        awaitReason("BackupsCurrent");
        ouro.kubectl("delete", "controlplane", "cluster");

        assertThat(ouro.kubectl("get", "daemonset", "ouroboros-steward", "-n", "kube-system"))
                .contains("ouroboros-steward");
        assertThat(ouro.inNode("etcdctl", "member", "list").strip().lines()).hasSize(1);
    }

    /** What it is for. */
    @Test
    @Tag("long")
    @Order(14)
    void theClusterComesBackFromWhatTheStewardSaved() throws Exception {
        String uid = ouro.kubectl("get", "namespace", "kube-system", "-o", "jsonpath={.metadata.uid}");
        JsonNode newest = snapshots().getLast();
        Path snapshot = left.resolve("snapshot.db");
        Path keys = left.resolve("keys.yaml");
        Files.write(snapshot, read(newest.path("file").asText()));
        Files.write(keys, read(newest.path("keys").asText()));
        ouro.down();

        ouro.up("--snapshot", snapshot.toString(), "--encryption-config", keys.toString());
        assertThat(ouro.kubectl("get", "namespace", "kube-system", "-o", "jsonpath={.metadata.uid}"))
                .isEqualTo(uid);
        assertThat(ouro.kubectl("get", "secrets", "-A", "-o", "name")).contains("secret/");
    }

    private byte[] read(String fileOfNode) {
        return Base64.getMimeDecoder().decode(ouro.inNode("base64", fileOfNode));
    }
}
