package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ouroboros.node.process.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/** An etcd that begins on one node gets members on two others, loses a machine, replaces it, and is one of two nodes again: {@code ouro etcd join}, {@code add}, {@code remove}, {@code leave}. */
@Tag("e2e")
@Tag("long")
@Tag("alone")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class EtcdMembersE2eTest {
    private static final String NAME = "e2e-members";
    private static final String SECOND = NAME + "-2";
    private static final String THIRD = NAME + "-3";
    private static final Duration LIMIT = Duration.ofMinutes(20);

    private final OuroProgram ouro = new OuroProgram(NAME);
    private final SandboxNodes nodes = new SandboxNodes(ouro);

    @BeforeAll
    void up() {
        ouro.up();
        for (String node : List.of(SECOND, THIRD)) {
            Result added = ouro.runPlain("node", "add", node, "--control-plane", "--name", NAME);
            assertThat(added.exitCode()).as(added.error()).isZero();
        }
    }

    @AfterAll
    void down() {
        ouro.down();
    }

    private static Process start(Path log, String... words) throws Exception {
        List<String> command =
                new ArrayList<>(List.of(OuroProgram.CHECKOUT.resolve("ouro").toString()));
        command.addAll(List.of(words));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }

    private static Process onNode(Path log, String node, String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of("exec", node, "--", "ouro", "etcd"));
        command.addAll(List.of(words));
        return start(log, command.toArray(String[]::new));
    }

    private static void requireDone(Process process, Path log) throws Exception {
        assertThat(process.waitFor(LIMIT)).as(Files.readString(log)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(log)).isZero();
    }

    private static Path log(String name) throws Exception {
        return Files.createTempFile("etcd-" + name, ".log");
    }

    private void join(String node) throws Exception {
        Path joining = log("join");
        Process join = onNode(joining, node, "join");
        Path adding = log("add");
        requireDone(onNode(adding, NAME, "add", node), adding);
        requireDone(join, joining);
    }

    private Set<String> voters() throws Exception {
        Set<String> names = new TreeSet<>();
        for (JsonNode member : etcd().path("members")) {
            assertThat(member.path("role").asText()).isNotEqualTo("learner");
            names.add(member.path("name").asText());
        }
        return names;
    }

    private JsonNode etcd() throws Exception {
        // Two members that vote are a warning.
        Result said = ouro.runPlain("etcd", "status", "--hash", "--name", NAME, "-o", "json");
        assertThat(said.exitCode()).as(said.error()).isIn(0, 3);
        return new ObjectMapper().readTree(said.output());
    }

    private void change(String... options) {
        List<String> command = new ArrayList<>(
                List.of(OuroProgram.CHECKOUT.resolve("ouro").toString(), "change", "etcd-servers", "--name", NAME));
        command.addAll(List.of(options));
        Result changed = ouro.run(command, LIMIT);
        assertThat(changed.exitCode()).as(changed.error()).isZero();
    }

    @Test
    @Order(1)
    void oneMemberBecomesThreeWhileClientsAreServed() throws Exception {
        try (Availability availability = Availability.toPatientClients(ouro.kubeconfig())) {
            // Killed in the middle, on both sides.
            Path joining = log("join");
            Process join = onNode(joining, SECOND, "join");
            Path adding = log("add");
            Process add = onNode(adding, NAME, "add", SECOND);
            Await.until(
                    "the node may start its member",
                    () -> Files.readString(adding),
                    () -> Files.readString(adding).contains("may start member"));
            end(add);
            end(join);
            join(SECOND);
            assertThat(voters()).containsExactly(NAME, SECOND);
            join(THIRD);
            availability.requireNoFailedRequest();
        }
        assertThat(voters()).containsExactly(NAME, SECOND, THIRD);
        JsonNode findings = etcd().path("findings");
        assertThat(findings.findValuesAsText("evidence"))
                .contains(
                        "3 of 3 members that vote follow the leader, 1 may be lost",
                        "the hashes of 3 members that vote are the same");
        assertThat(nodes.filesOn(SECOND, "/var/lib/ouroboros/etcd-join"))
                .as("what it asked with")
                .isEmpty();
    }

    /** With those that it runs: the node's process is another one's child. */
    private static void end(Process process) throws Exception {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        process.waitFor();
    }

    @Test
    @Order(2)
    void apiServersLearnTheMembersAndOneMayBeLost() throws Exception {
        try (Availability availability = Availability.toPatientClients(ouro.kubeconfig())) {
            change();
            availability.requireNoFailedRequest();
        }
        nodes.off(THIRD);
        Await.sparingly(
                "the cluster is written",
                () -> ouro.runPlain(
                                        "exec",
                                        NAME,
                                        "--",
                                        "kubectl",
                                        "annotate",
                                        "--overwrite",
                                        "node",
                                        NAME,
                                        "written=without-third")
                                .exitCode()
                        == 0);
    }

    @Test
    @Order(3)
    void aMachineThatIsLostIsReplaced() throws Exception {
        Result answers = ouro.runPlain("etcd", "remove", SECOND, "--name", NAME);
        assertThat(answers.exitCode()).isEqualTo(2);
        assertThat(answers.error()).contains("ouro etcd leave");
        Result removed = ouro.runPlain("etcd", "remove", THIRD, "--name", NAME);
        assertThat(removed.exitCode()).as(removed.error()).isZero();
        assertThat(voters()).containsExactly(NAME, SECOND);

        nodes.on(THIRD);
        Await.sparingly("its kubelet is back", () -> nodes.isReady(THIRD));
        Path leaving = log("leave");
        requireDone(onNode(leaving, THIRD, "leave"), leaving);
        assertThat(nodes.filesOn(THIRD, "/var/lib/etcd"))
                .as("what it had is kept")
                .isNotEmpty()
                .allMatch(file -> file.contains("/member.removed-"));
        join(THIRD);
        assertThat(voters()).containsExactly(NAME, SECOND, THIRD);
        assertThat(ouro.kubectl("get", "node", NAME, "-o", "jsonpath={.metadata.annotations.written}"))
                .isEqualTo("without-third");
    }

    /** Has a member lead, so that it has to give that up. */
    private void lead(String name) throws Exception {
        JsonNode etcd = etcd();
        for (JsonNode member : etcd.path("members")) {
            if (member.path("name").asText().equals(name)
                    && !member.path("role").asText().equals("leader")) {
                ouro.inNode(
                        "etcdctl",
                        "--endpoints=https://" + nodes.address(leader(etcd)) + ":2379",
                        "move-leader",
                        member.path("id").asText());
            }
        }
        assertThat(leader(etcd())).isEqualTo(name);
    }

    private static String leader(JsonNode etcd) {
        return StreamSupport.stream(etcd.path("members").spliterator(), false)
                .filter(member -> member.path("role").asText().equals("leader"))
                .map(member -> member.path("name").asText())
                .findFirst()
                .orElseThrow();
    }

    @Test
    @Order(4)
    void aMemberLeavesWhileClientsAreServed() throws Exception {
        Result refused = ouro.runPlain("node", "remove", SECOND, "--name", NAME);
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.error()).contains("ouro etcd leave");
        lead(THIRD);
        Result early = ouro.runPlain("exec", THIRD, "--", "ouro", "etcd", "leave", "--timeout=5s");
        assertThat(early.exitCode()).isEqualTo(1);
        assertThat(early.error()).contains("clients to leave it");
        assertThat(nodes.filesOn(THIRD, "/var/lib/ouroboros/etcd-left"))
                .as("it has not left")
                .isEmpty();
        try (Availability availability = Availability.toPatientClients(ouro.kubeconfig())) {
            change("--without", THIRD);
            Path leaving = log("leave");
            Process killed = onNode(leaving, THIRD, "leave");
            Await.until(
                    "it is none any more",
                    () -> Files.readString(leaving),
                    () -> Files.readString(leaving).contains("is none any more"));
            end(killed);
            requireDone(onNode(leaving, THIRD, "leave"), leaving);
            availability.requireNoFailedRequest();
        }
        assertThat(voters()).containsExactly(NAME, SECOND);
        assertThat(ouro.kubectl(
                        "get",
                        "daemonset",
                        "kube-apiserver",
                        "-n",
                        "kube-system",
                        "-o",
                        "jsonpath={.spec.template.spec.containers[0].command}"))
                .contains(nodes.address(SECOND) + ":2379")
                .doesNotContain(nodes.address(THIRD));
    }
}
