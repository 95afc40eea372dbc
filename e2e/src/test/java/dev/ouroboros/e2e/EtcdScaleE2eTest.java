package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ouroboros.node.process.Result;
import dev.ouroboros.probe.report.ProbeReport;
import dev.ouroboros.probe.report.TextReport;
import java.io.IOException;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/** {@code kubectl scale controlplane/cluster}: etcd gets as many members as are wished, while clients ask all the time. */
@Tag("e2e")
@Tag("long")
@Tag("alone")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class EtcdScaleE2eTest {
    private final OuroProgram ouro = new OuroProgram("e2e-scale");
    private final WishedEtcd etcd = new WishedEtcd(ouro);

    @BeforeAll
    void up() {
        ouro.down();
        ouro.up("--layers", "1-4");
        addNode();
    }

    @AfterAll
    void down() {
        ouro.down();
    }

    private void addNode() {
        Result added = ouro.runPlain("node", "add", "--control-plane", "--name", ouro.sandbox());
        assertThat(added.exitCode()).as(added.error()).isZero();
    }

    /** Of three API servers the members move the leader once or twice; an API server before 1.23 does not try again what it had at etcd in that instant. */
    private static void requireServed(ProbeReport report) {
        assertThat(report.failedRequests()).as(TextReport.render(report)).isLessThanOrEqualTo(3);
        assertThat(report.watch())
                .hasValueSatisfying(watch -> assertThat(watch.consistent()).isTrue());
    }

    @Test
    @Order(1)
    void howManyThereAreIsWrittenDown() throws Exception {
        Await.until(
                "the size to be adopted",
                () -> etcd.object().path("spec").path("etcd").path("size").asInt() == 1);
        etcd.awaitSize(1);
    }

    /** Two members would be worse than one. */
    @Test
    @Order(2)
    void nothingIsBegunWithTooFewNodes() throws Exception {
        etcd.scale(3);
        Await.until("it to say so", etcd::status, () -> etcd.ready("reason").equals("TooFewNodes"));
        assertThat(etcd.ready("message")).contains("2 more control-plane nodes");
        assertThat(etcd.members()).hasSize(1);
        assertThat(ouro.runIn(ouro.nodeName(), "kubectl", "scale", "controlplane/cluster", "--replicas=2")
                        .error())
                .contains("supported values: \"1\", \"3\", \"5\"");
    }

    @Test
    @Order(3)
    void oneMemberBecomesThreeWhenThereAreNodesForThem() throws Exception {
        addNode();
        try (Availability availability = Availability.toPatientClients(ouro.kubeconfig())) {
            etcd.awaitSize(3);
            requireServed(availability.report());
        }
        assertThat(etcd.members()).hasSize(3);
        assertThat(ouro.kubectl(
                        "get",
                        "daemonset",
                        "kube-apiserver",
                        "-n",
                        "kube-system",
                        "-o",
                        "jsonpath={.spec.template.spec.containers[0].command}"))
                .contains("10.77.", ":2379,https://");
    }

    /** The first node's: started without data it would be the only member of an etcd of its own, as its manifest names no other one. */
    @Test
    @Order(4)
    void aMemberWhoseDataAreLostIsReplaced() throws Exception {
        String before = memberId(ouro.nodeName());
        ouro.kubectl(
                "patch",
                "controlplane",
                "cluster",
                "--type=merge",
                "-p",
                "{\"spec\":{\"etcd\":{\"replaceAfter\":\"1m\"}}}");
        try (Availability availability = Availability.toPatientClients(ouro.kubeconfig())) {
            ouro.inNode("sh", "-c", "rm -r /var/lib/etcd/member && kill -KILL $(pidof etcd)");
            Await.until(
                    "its loss to be told",
                    etcd::status,
                    () -> etcd.ready("reason").equals("MemberAway"));
            Await.until(
                    "another one in its place",
                    WishedEtcd.LIMIT,
                    etcd::status,
                    () -> etcd.members().size() == 3
                            && !memberId(ouro.nodeName()).isEmpty()
                            && !memberId(ouro.nodeName()).equals(before));
            etcd.awaitSize(3);
            requireServed(availability.report());
        }
    }

    /** As after a wave of Events or of custom resources that are gone: a file of 100 MiB and more of which nearly nothing is in use. */
    @Test
    @Order(5)
    void membersWriteTheirFilesAnew() throws Exception {
        try (Availability availability = Availability.toPatientClients(ouro.kubeconfig())) {
            fillAndForget();
            Await.sparingly(
                    "every file to be small",
                    WishedEtcd.LIMIT,
                    () -> StreamSupport.stream(databases().spliterator(), false)
                            .allMatch(member ->
                                    isSmall(member.path("databaseBytes").asLong())));
            etcd.awaitSize(3);
            requireServed(availability.report());
        }
        assertThat(ouro.kubectl("get", "events", "-o", "jsonpath={.items[*].message}"))
                .contains("writes its file anew");
    }

    /** One that writes its file says nothing meanwhile. */
    private static boolean isSmall(long databaseBytes) {
        return databaseBytes > 0 && databaseBytes < 50 << 20;
    }

    private void fillAndForget() throws Exception {
        ouro.inNode(
                "sh",
                "-ec",
                "head -c 1000000 /dev/zero | tr '\\0' x >/tmp/value; for key in $(seq 130); do etcdctl put waste/$key </tmp/value >/dev/null; done");
        for (JsonNode member : databases()) {
            assertThat(member.path("databaseBytes").asLong()).isGreaterThan(100L << 20);
        }
        ouro.inNode("etcdctl", "del", "--prefix", "waste/");
        ouro.inNode(
                "etcdctl",
                "compact",
                "--physical",
                databases().get(0).path("revision").asText());
    }

    /** What is wrong there is told by the exit code, and is what this is about. */
    private JsonNode databases() throws IOException {
        Result status = ouro.runPlain("etcd", "status", "--name", ouro.sandbox(), "-o", "json");
        assertThat(status.exitCode()).as(status.error()).isIn(0, 3);
        JsonNode members = new ObjectMapper().readTree(status.output()).path("members");
        assertThat(members).hasSize(3);
        return members;
    }

    private String memberId(String node) throws IOException {
        return StreamSupport.stream(
                        etcd.object()
                                .path("status")
                                .path("etcd")
                                .path("members")
                                .spliterator(),
                        false)
                .filter(member -> member.path("name").asText().equals(node))
                .map(member -> member.path("id").asText())
                .findFirst()
                .orElse("");
    }

    /** Every copy of it: the stewards are deleted in the middle, and go on. */
    @Test
    @Order(6)
    void threeBecomeOneThoughTheStewardsAreKilledInTheMiddle() throws Exception {
        try (Availability availability = Availability.toPatientClients(ouro.kubeconfig())) {
            etcd.scale(1);
            Await.until(
                    "API servers to be told",
                    () -> etcd.object()
                            .path("status")
                            .path("etcd")
                            .path("change")
                            .path("step")
                            .asText()
                            .equals("TellApiServers"));
            ouro.kubectl("delete", "pod", "-n", "kube-system", "-l", "k8s-app=ouroboros-steward");
            etcd.awaitSize(1);
            requireServed(availability.report());
        }
        assertThat(etcd.members()).singleElement().asString().contains(ouro.nodeName());
    }
}
