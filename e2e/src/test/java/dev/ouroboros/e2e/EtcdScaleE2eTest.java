package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ouroboros.node.process.Result;
import dev.ouroboros.probe.report.ProbeReport;
import dev.ouroboros.probe.report.TextReport;
import java.io.IOException;
import java.time.Duration;
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

/** {@code kubectl scale controlplane/cluster}: etcd gets as many members as are wished, while clients ask all the time. */
@Tag("e2e")
@Tag("long")
@Tag("alone")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class EtcdScaleE2eTest {
    /** Three API servers are exchanged one after the other, each with its soak. */
    private static final Duration LIMIT = Duration.ofMinutes(20);

    private final OuroProgram ouro = new OuroProgram("e2e-scale");

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

    private JsonNode object() throws IOException {
        return ouro.kubectlJson("get", "controlplane", "cluster");
    }

    private static String ready(JsonNode object, String field) {
        return StreamSupport.stream(object.path("status").path("conditions").spliterator(), false)
                .filter(each -> each.path("type").asText().equals("Ready"))
                .map(each -> each.path(field).asText())
                .findFirst()
                .orElse("");
    }

    private void scale(int size) {
        ouro.kubectl("scale", "controlplane/cluster", "--replicas=" + size);
    }

    private void awaitSize(int size) throws Exception {
        Await.until(
                "etcd to have " + size + " members",
                LIMIT,
                () -> object().path("status").toString(),
                () -> {
                    JsonNode object = object();
                    return object.path("status").path("observedGeneration").asLong()
                                    == object.path("metadata")
                                            .path("generation")
                                            .asLong()
                            && ready(object, "status").equals("True")
                            && object.path("status").path("etcd").path("size").asInt() == size;
                });
    }

    private List<String> members() {
        return ouro.runIn(ouro.nodeName(), "etcdctl", "member", "list")
                .output()
                .strip()
                .lines()
                .toList();
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
                () -> object().path("spec").path("etcd").path("size").asInt() == 1);
        awaitSize(1);
    }

    /** Two members would be worse than one. */
    @Test
    @Order(2)
    void nothingIsBegunWithTooFewNodes() throws Exception {
        scale(3);
        Await.until(
                "it to say so",
                () -> object().path("status").toString(),
                () -> ready(object(), "reason").equals("TooFewNodes"));
        assertThat(ready(object(), "message")).contains("2 more control-plane nodes");
        assertThat(members()).hasSize(1);
        assertThat(ouro.runIn(ouro.nodeName(), "kubectl", "scale", "controlplane/cluster", "--replicas=2")
                        .error())
                .contains("supported values: \"1\", \"3\", \"5\"");
    }

    @Test
    @Order(3)
    void oneMemberBecomesThreeWhenThereAreNodesForThem() throws Exception {
        addNode();
        try (Availability availability = Availability.toPatientClients(ouro.kubeconfig())) {
            awaitSize(3);
            requireServed(availability.report());
        }
        assertThat(members()).hasSize(3);
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
                    () -> object().path("status").toString(),
                    () -> ready(object(), "reason").equals("MemberAway"));
            Await.until(
                    "another one in its place",
                    LIMIT,
                    () -> object().path("status").toString(),
                    () -> members().size() == 3
                            && !memberId(ouro.nodeName()).isEmpty()
                            && !memberId(ouro.nodeName()).equals(before));
            awaitSize(3);
            requireServed(availability.report());
        }
    }

    private String memberId(String node) throws IOException {
        return StreamSupport.stream(
                        object().path("status").path("etcd").path("members").spliterator(), false)
                .filter(member -> member.path("name").asText().equals(node))
                .map(member -> member.path("id").asText())
                .findFirst()
                .orElse("");
    }

    /** Every copy of it: the stewards are deleted in the middle, and go on. */
    @Test
    @Order(5)
    void threeBecomeOneThoughTheStewardsAreKilledInTheMiddle() throws Exception {
        try (Availability availability = Availability.toPatientClients(ouro.kubeconfig())) {
            scale(1);
            Await.until(
                    "API servers to be told",
                    () -> object().path("status")
                            .path("etcd")
                            .path("change")
                            .path("step")
                            .asText()
                            .equals("TellApiServers"));
            ouro.kubectl("delete", "pod", "-n", "kube-system", "-l", "k8s-app=ouroboros-steward");
            awaitSize(1);
            requireServed(availability.report());
        }
        assertThat(members()).singleElement().asString().contains(ouro.nodeName());
    }
}
