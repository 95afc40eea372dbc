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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * A node that is short of processor time, and a keeper that stands still for a minute in the middle: no request of a client that waits ten
 * seconds fails.
 */
@Tag("e2e")
@Tag("long")
@Tag("alone")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class SlowNodeE2eTest {
    private static final String CPUS = "0.7";
    private static final Duration STANDSTILL = Duration.ofMinutes(1);

    private final OuroProgram ouro = new OuroProgram("e2e-slow");
    private ControlPlane plane;
    private ApiServerChange change;

    @BeforeAll
    void up() throws Exception {
        ouro.down();
        ouro.up();
        plane = new ControlPlane(ouro);
        change = new ApiServerChange(ouro, plane);
        plane.awaitRest();
        for (String component : List.of(API_SERVER, CONTROLLER_MANAGER, SCHEDULER)) {
            plane.awaitProven(component);
        }
        ouro.up("--cpus", CPUS);
    }

    @AfterAll
    void down() throws Exception {
        plane.printDecisions();
        plane.close();
        ouro.down();
    }

    @Test
    @Tag("long")
    @Order(1)
    void aChangeFailsNoRequestAlthoughTheKeeperStandsStill() throws Exception {
        try (Availability availability = Availability.toPatientClients(ouro.kubeconfig())) {
            change.taken(() -> change.patch(ApiServerChange.add("--v=3")));
            change.awaitStep("Switching");
            standStill();
            change.awaitState("Done");
            assertThat(change.served()).contains("--v=3");
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
