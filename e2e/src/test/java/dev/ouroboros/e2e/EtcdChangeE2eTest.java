package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.node.process.Result;
import dev.ouroboros.probe.report.ProbeReport;
import dev.ouroboros.probe.report.TextReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/** {@code ouro etcd change} on a node whose etcd is the only member, while clients ask all the time. */
@Tag("e2e")
@Tag("long")
@Tag("alone")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class EtcdChangeE2eTest {
    private static final String WANTED = "/root/etcd.yaml";
    private static final String MANIFEST = Node.MANIFESTS + "/etcd.yaml";

    private final OuroProgram ouro = new OuroProgram("e2e-etcd");

    @SuppressWarnings("NullAway.Init") // made before the first test
    private ControlPlane plane;

    @BeforeAll
    void up() throws Exception {
        ouro.down();
        ouro.up();
        plane = new ControlPlane(ouro);
        plane.awaitRest();
    }

    @AfterAll
    void down() {
        plane.close();
        ouro.down();
    }

    /** The present manifest with one more flag, where the node finds it. */
    private void want(String flag) throws IOException {
        String present = Files.readString(plane.node().file(MANIFEST));
        Files.writeString(
                plane.node().file(WANTED), present.replace("    - --name=", "    - " + flag + "\n    - --name="));
    }

    private List<String> command(String... options) {
        List<String> command = new ArrayList<>(List.of(
                OuroProgram.CHECKOUT.resolve("ouro").toString(),
                "exec",
                ouro.nodeName(),
                "--",
                "ouro",
                "etcd",
                "change",
                WANTED));
        command.addAll(List.of(options));
        return command;
    }

    private Result change(String... options) {
        return ouro.run(command(options), Duration.ofMinutes(20));
    }

    /** The leader moves twice and the member ends once: an API server of 1.20 does not try again what it had at etcd in that instant. */
    private static void requireNoMoreThanTheLeadersMoves(ProbeReport report) {
        assertThat(report.failedRequests()).as(TextReport.render(report)).isLessThanOrEqualTo(3);
        assertThat(report.clients().stream()
                        .filter(client -> client.row().decides())
                        .flatMap(client -> client.outages().stream()))
                .as(TextReport.render(report))
                .allMatch(outage -> Stream.of("leader changed", "transport", "[-]etcd failed")
                        .anyMatch(outage.firstError()::contains));
        assertThat(report.watch())
                .hasValueSatisfying(watch -> assertThat(watch.consistent()).isTrue());
    }

    private void assertOneMember(String flag, boolean isThere) throws IOException {
        assertThat(plane.node().processes("etcd"))
                .singleElement()
                .satisfies(etcd -> assertThat(etcd.has(flag)).isEqualTo(isThere));
        assertThat(plane.node().manifests()).noneMatch(name -> name.startsWith("etcd-"));
        assertThat(ouro.inNode("etcdctl", "member", "list").strip().lines()).hasSize(1);
        assertThat(plane.node().file("/var/lib/etcd/temporary-second-door")).doesNotExist();
    }

    @Test
    @Order(1)
    void aFlagIsChangedWhileClientsAreServed() throws Exception {
        String flag = "--quota-backend-bytes=3000000000";
        want(flag);
        try (Availability availability = Availability.toPatientClients(ouro.kubeconfig())) {
            assertThat(change().exitCode()).isZero();
            requireNoMoreThanTheLeadersMoves(availability.report());
        }
        assertOneMember(flag, true);
        plane.awaitRest();
    }

    @Test
    @Order(2)
    void oneThatDoesNotStartIsTakenBackWhileClientsAreServed() throws Exception {
        String flag = "--no-such-flag=1";
        want(flag);
        try (Availability availability = Availability.toPatientClients(ouro.kubeconfig())) {
            Result refused = change("--timeout=4m");
            assertThat(refused.exitCode()).isEqualTo(1);
            assertThat(refused.error())
                    .contains("etcd was not changed, and is as before", "etcd to run as the new manifest says");
            requireNoMoreThanTheLeadersMoves(availability.report());
        }
        assertOneMember(flag, false);
        plane.awaitRest();
    }

    @Test
    @Order(3)
    void thePowerIsCutWhileThereAreThreeMembers() throws Exception {
        String flag = "--snapshot-count=20000";
        want(flag);
        Path log = Files.createTempFile("etcd-change", ".log");
        Process first = new ProcessBuilder(command())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        Await.until(
                "three members vote",
                () -> Files.readString(log),
                () -> Files.readString(log).contains("member third-vote votes"));
        ouro.json("reboot", ouro.nodeName());
        assertThat(first.waitFor()).isNotZero();
        plane.lookAgain();
        Await.until("the API is back", () -> plane.api().get("/api/v1/nodes").isPresent());
        assertThat(change().exitCode()).isZero();
        assertOneMember(flag, true);
        ouro.awaitConvergence();
    }
}
