package dev.ouroboros.steward;

import static dev.ouroboros.api.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.ApiClient;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.api.EventRecorder;
import dev.ouroboros.api.NodeLease;
import dev.ouroboros.api.ProcessClusterMemory;
import dev.ouroboros.api.ServiceAccountSource;
import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.endpoint.ClientFiles;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.etcd.SnapshotDriller;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.render.manifest.EtcdStaticPod;
import dev.ouroboros.runtime.cri.CriRuntime;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the steward says while etcd, or the API, does not answer. With real ones it is StewardE2eTest's. */
final class StewardTest {
    private static final Instant NOW = Instant.parse("2026-11-29T15:12:00Z");
    private static final String OBJECT = "/apis/ouroboros.dev/v1alpha1/controlplanes/cluster";
    private static final String ROLE = "node-role.kubernetes.io/master";

    @TempDir
    private Path directory = Path.of("");

    @SuppressWarnings("NullAway.Init") // set before each test
    private FakeApiServer api;

    @SuppressWarnings("NullAway.Init") // set before each test
    private ApiClient client;

    @SuppressWarnings("NullAway.Init") // set before each test
    private Steward steward;

    private final AtomicReference<Instant> now = new AtomicReference<>(NOW);
    private final StewardMetrics metrics = new StewardMetrics();

    private static Json.Fields json(String text) throws JsonText.MalformedJson {
        return (Json.Fields) JsonText.read(text.getBytes(StandardCharsets.UTF_8));
    }

    @BeforeEach
    void begin() throws Exception {
        TestAuthority authority = new TestAuthority();
        api = new FakeApiServer(authority);
        api.put("/api/v1/namespaces/kube-system", FakeApiServer.object("v1", "Namespace", "", "kube-system"));
        api.put(
                "/api/v1/nodes/a",
                json("{\"metadata\":{\"name\":\"a\",\"labels\":{\"" + ROLE + "\":\"\"}}}")
                        .with("status", json("{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}")));
        api.put(
                "/apis/apps/v1/namespaces/kube-system/daemonsets/kube-apiserver",
                FakeApiServer.object("apps/v1", "DaemonSet", "kube-system", "kube-apiserver")
                        .with("spec", json("""
                                {"template": {"spec": {"containers": [{"name": "kube-apiserver",
                                    "command": ["kube-apiserver", "--etcd-servers=https://127.0.0.1:9"]}]}}}""")));
        api.put(OBJECT, json("""
                {"metadata": {"name": "cluster", "generation": 1},
                 "spec": {"etcd": {"backup": {"interval": "1h", "copies": 2, "keep": {"hours": 24}}}}}"""));
        client = new ApiClient(
                new LocalDisk(), api.writeKubeconfig(directory.resolve("kubeconfig")), Optional.empty(), "test");
        steward = steward();
    }

    private Steward steward() throws Exception {
        return steward(true);
    }

    private Steward steward(boolean managesEtcd) throws Exception {
        ClusterGuard guard = new ClusterGuard(client, new ProcessClusterMemory(), () -> NOW);
        WishSource source = new WishSource(client, guard, ROLE);
        LocalDisk disk = new LocalDisk();
        Path ca = Files.writeString(directory.resolve("ca.crt"), TestAuthority.pem(new TestAuthority().certificate()));
        ClientFiles identity = new ClientFiles(Optional.of(ca), Optional.empty(), Optional.empty());
        EtcdBackups backups = new EtcdBackups(identity, directory.resolve("backups"), disk, () -> NOW);
        EtcdWork work = new EtcdWork(
                new EtcdWork.Places(
                        directory.resolve("etcd.yaml"),
                        directory.resolve("state"),
                        directory.resolve("kubelet"),
                        Optional.empty()),
                new ServiceAccountSource(disk, directory, api.uri()),
                identity,
                () -> backups.members(source.etcdServers()),
                disk,
                new CriRuntime(directory.resolve("none.sock"), Duration.ofSeconds(1)),
                () -> NOW,
                () -> NOW);
        Leadership leadership =
                new Leadership(new NodeLease(client, guard, Leadership.LEASE, "a", () -> NOW, () -> NOW), now::get);
        EtcdManagement etcd = managesEtcd
                ? new MemberScaling(
                        "a", client, work, leadership, () -> backups.members(source.etcdServers()), now::get, now::get)
                : new OwnersEtcd(leadership);
        return new Steward(
                "a",
                client,
                source,
                backups,
                () -> backups.members(source.etcdServers()),
                leadership,
                etcd,
                new Steward.Tools(
                        new SnapshotDriller(
                                disk,
                                new CriRuntime(directory.resolve("none.sock"), Duration.ofSeconds(1)),
                                () -> NOW,
                                new LoggedSteps()),
                        new SnapshotDriller.Place(directory.resolve("etcd.yaml"), directory.resolve("state")),
                        disk),
                new Steward.Certifying(work::client, work::hasMember, work::quietFiles, work::certificates),
                new EventRecorder(client, guard, Component.STEWARD, "a", () -> NOW),
                metrics,
                now::get,
                now::get);
    }

    @AfterEach
    void end() {
        client.close();
        api.close();
    }

    private Json status() {
        return api.get(OBJECT + "/status").map(object -> object.at("status")).orElse(Json.absent());
    }

    private String ready(String field) {
        return status().at("conditions").items().getFirst().at(field).text().orElse("");
    }

    private void awaitFailures(int count) throws InterruptedException {
        eventually(
                count + " failures",
                () -> metrics.text().contains("ouroboros_steward_backup_failures_total " + count + "\n"));
    }

    @Test
    void anEtcdThatDoesNotAnswerIsAFailureWithItsNodeAndItsReason() throws Exception {
        steward.turn();
        awaitFailures(1);
        steward.turn();

        assertThat(ready("reason")).isEqualTo("BackupFailed");
        assertThat(ready("message")).startsWith("a: ").contains("127.0.0.1:9");
        assertThat(status().at("etcd", "backups")
                        .items()
                        .getFirst()
                        .at("failure", "since")
                        .text())
                .contains("2026-11-29T15:12:00Z");
        assertThat(metrics.text()).contains("ouroboros_steward_backup_failures_total 1");
    }

    @Test
    void withoutTheObjectNothingIsDone() throws Exception {
        api.delete(OBJECT);
        steward.turn();

        assertThat(Files.exists(directory.resolve("backups"))).isFalse();
        assertThat(status().isNull()).isTrue();
        assertThat(metrics.text()).contains("ouroboros_steward_api_known 1");
    }

    @Test
    void whatIsPausedIsNotTried() throws Exception {
        api.put(OBJECT, json("""
                {"metadata": {"name": "cluster", "generation": 2},
                 "spec": {"paused": true, "etcd": {"size": 3, "backup": {"interval": "1h"}}}}"""));
        steward.turn();

        assertThat(ready("reason")).isEqualTo("Paused");
        assertThat(metrics.text()).contains("ouroboros_steward_backup_failures_total 0");
    }

    /** Which an API server that is away often is because of an etcd that is. */
    @Test
    void whileTheApiIsAwayItGoesOnWithWhatWasWishedLast() throws Exception {
        steward.turn();
        awaitFailures(1);
        api.die();
        now.set(NOW.plus(Duration.ofMinutes(6)));
        steward.turn();

        awaitFailures(2);
        assertThat(metrics.text()).contains("ouroboros_steward_api_known 0");
    }

    /** A process that ended for it would begin anew for ever. */
    @Test
    void whatFailedBeforeItsStartIsNotTriedAtOnce() throws Exception {
        steward.turn();
        awaitFailures(1);
        steward.turn();
        api.put(OBJECT, api.get(OBJECT).orElseThrow().with("status", status()));
        Steward next = steward();
        next.turn();
        assertThat(metrics.text()).contains("ouroboros_steward_backup_failures_total 1\n");
        now.set(NOW.plus(Duration.ofMinutes(6)));
        next.turn();
        awaitFailures(2);
    }

    @Test
    void whoHasNoMemberDoesNotLead() throws Exception {
        api.put(OBJECT, json("""
                {"metadata": {"name": "cluster", "generation": 2}, "spec": {"etcd": {"size": 3}}}"""));
        steward.turn();

        assertThat(ready("reason")).isEqualTo("ScalePending");
        assertThat(api.list("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"))
                .isEmpty();
    }

    /** Somebody set a flag with which it could have no temporary member: others than etcd are seen to by whoever leads. */
    @Test
    void whoHasAMemberThatCannotBeChangedLeads() throws Exception {
        Files.writeString(
                directory.resolve("etcd.yaml"),
                EtcdStaticPod.of("a", "registry.example/etcd:3.4.23", "10.77.0.2")
                        .yaml()
                        .replace("--client-cert-auth=true", "--wal-dir=/var/lib/etcd/wal"));
        api.put(OBJECT, json("""
                {"metadata": {"name": "cluster", "generation": 2}, "spec": {"etcd": {"size": 3}}}"""));
        steward.turn();

        assertThat(api.list("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"))
                .hasSize(1);
        Json job = status().at("etcd", "jobs").items().getFirst();
        assertThat(job.at("failed").isTrue()).isTrue();
        assertThat(job.at("message").text().orElse("")).contains("etcd.yaml: --wal-dir: is set");
    }

    /** Certificates and kubelets are seen to by whoever leads, wherever etcd is. */
    @Test
    void whereEtcdIsItsOwnersWhoHasNoMemberLeads() throws Exception {
        api.put(OBJECT, json("{\"metadata\": {\"name\": \"cluster\", \"generation\": 1}, \"spec\": {}}"));
        steward(false).turn();

        assertThat(api.list("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"))
                .singleElement()
                .satisfies(lease ->
                        assertThat(lease.at("spec", "holderIdentity").text()).contains("a"));
        assertThat(status().at("etcd", "change").isNull()).isTrue();
    }

    @Test
    void whereEtcdIsItsOwnersNothingIsDoneToItAndThatIsSaid() throws Exception {
        api.put(OBJECT, json("""
                {"metadata": {"name": "cluster", "generation": 2},
                 "spec": {"etcd": {"flags": {"quota-backend-bytes": "1"}}}}"""));
        steward(false).turn();

        Json change = status().at("etcd", "change");
        assertThat(change.at("reason").text()).contains("EtcdNotManaged");
        assertThat(change.at("stalled").isTrue()).isTrue();
        assertThat(change.at("message").text().orElse(""))
                .startsWith("spec.etcd.flags is not obeyed")
                .contains("spec.layers");
    }
}
