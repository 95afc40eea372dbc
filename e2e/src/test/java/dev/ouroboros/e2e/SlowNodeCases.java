package dev.ouroboros.e2e;

import static dev.ouroboros.e2e.ControlPlane.API_SERVER;
import static dev.ouroboros.e2e.ControlPlane.CONTROLLER_MANAGER;
import static dev.ouroboros.e2e.ControlPlane.SCHEDULER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.e2e.Node.Running;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * A node that is short of processor time, and a keeper that stands still for a minute in the middle: no request of a client that waits ten
 * seconds fails.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
abstract class SlowNodeCases {
    private static final String CPUS = "0.7";
    private static final Duration STANDSTILL = Duration.ofMinutes(1);

    private final OuroProgram ouro;
    private final ControlPlane plane;
    private final ApiServerChange change;

    /** @param plane of a cluster that is at rest; its node is slow from then on */
    SlowNodeCases(OuroProgram ouro, ControlPlane plane) {
        this.ouro = ouro;
        this.plane = plane;
        this.change = new ApiServerChange(ouro, plane);
    }

    @BeforeAll
    void slow() throws Exception {
        plane.awaitRest();
        for (String component : List.of(API_SERVER, CONTROLLER_MANAGER, SCHEDULER)) {
            plane.awaitProven(component);
        }
        ouro.up("--cpus", CPUS);
    }

    @AfterAll
    void close() {
        plane.close();
    }

    @Test
    @Order(1)
    void aChangeFailsNoRequestAlthoughTheKeeperStandsStill() throws Exception {
        try (Availability availability = Availability.toPatientClients(ouro.kubeconfig())) {
            change.taken(() -> change.patch(ApiServerChange.add("--v=4")));
            change.awaitStep("Switching");
            standStill();
            change.awaitState("Done");
            assertThat(change.served()).contains("--v=4");
            availability.requireNoFailedRequest();
        }
        plane.awaitRest();
    }

    @Test
    @Order(2)
    void afterAPowerCutTheApiIsNotLostAgainAlthoughTheKeeperStandsStill() throws Exception {
        ouro.json("reboot", ouro.nodeName());
        plane.lookAgain();
        try (Availability availability = Availability.toPatientClients(ouro.kubeconfig())) {
            Await.until(
                    "the API answers",
                    () -> plane.api().get("/api/v1/namespaces/kube-system").isPresent());
            standStill();
            plane.awaitRest();
            availability.requireNoFailedRequest();
        }
    }

    /** The kernel and the other processes of the node go on. */
    private void standStill() throws Exception {
        List<Running> keepers = plane.node().processes("java").stream()
                .filter(process -> process.words().stream().anyMatch(word -> word.contains("/opt/keeper/")))
                .toList();
        assertThat(keepers).as("a keeper").isNotEmpty();
        keepers.forEach(keeper -> ouro.inNode("kill", "-STOP", keeper.id()));
        Thread.sleep(STANDSTILL);
        keepers.forEach(keeper -> ouro.inNode("kill", "-CONT", keeper.id()));
    }
}
