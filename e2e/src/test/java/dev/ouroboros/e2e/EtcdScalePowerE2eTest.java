package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ouroboros.node.process.Result;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/** The power of all nodes goes at every step of {@code kubectl scale controlplane/cluster}, once in each: it goes on by itself, with every write that was acknowledged. */
@Tag("e2e")
@Tag("long")
@Tag("alone")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class EtcdScalePowerE2eTest {
    private static final String NAME = "e2e-scalepower";
    private static final List<String> ALL = List.of(NAME, NAME + "-2", NAME + "-3");
    private static final int WRITTEN = 20;

    private final OuroProgram ouro = new OuroProgram(NAME);
    private final SandboxNodes nodes = new SandboxNodes(ouro);
    private final WishedEtcd etcd = new WishedEtcd(ouro);

    @SuppressWarnings("NullAway.Init") // made before the tests
    private AdminApi api;

    @SuppressWarnings("NullAway.Init") // made before the tests
    private Canaries canaries;

    @BeforeAll
    void up() throws Exception {
        ouro.down();
        ouro.up("--layers", "1-4");
        for (int more = 1; more < ALL.size(); more++) {
            Result added = ouro.runPlain("node", "add", "--control-plane", "--name", NAME);
            assertThat(added.exitCode()).as(added.error()).isZero();
        }
        etcd.awaitSize(1);
        api = new AdminApi(ouro.kubeconfig());
        canaries = new Canaries(api);
    }

    @AfterAll
    void down() {
        canaries.close();
        api.close();
        ouro.down();
    }

    @AfterEach
    void everyWriteIsThere() throws Exception {
        canaries.requireAll();
    }

    @Test
    @Order(1)
    void oneMemberBecomesThree() throws Exception {
        assertThat(scaleCuttingThePowerInEachStep(3))
                .anyMatch(step -> step.startsWith("Add"))
                .anyMatch(step -> step.startsWith("TellApiServers"));
        assertThat(etcd.members()).hasSize(3);
    }

    @Test
    @Order(2)
    void threeBecomeOne() throws Exception {
        assertThat(scaleCuttingThePowerInEachStep(1))
                .anyMatch(step -> step.startsWith("TellApiServers"))
                .anyMatch(step -> step.startsWith("Leave"));
        assertThat(etcd.members()).singleElement().asString().contains(NAME);
    }

    /** @return the steps in which it was cut */
    private Set<String> scaleCuttingThePowerInEachStep(int size) throws Exception {
        Set<String> cut = new TreeSet<>();
        etcd.scale(size);
        while (true) {
            Optional<String> step = nextStep(size, cut);
            if (step.isEmpty()) {
                return cut;
            }
            cut.add(step.get());
            System.err.println("the power goes in: " + step.get());
            nodes.allOff();
            nodes.allOn();
            for (int written = 0; written < WRITTEN; written++) {
                Await.until("etcd takes writes", canaries::createOne);
            }
        }
    }

    /** A step in which the power has not gone yet; empty when nothing is left to be done. */
    private Optional<String> nextStep(int size, Set<String> cut) throws Exception {
        String[] found = {""};
        Await.until("another step, or the end", WishedEtcd.LIMIT, etcd::status, () -> {
            Optional<JsonNode> object = object();
            found[0] = object.map(WishedEtcd::step)
                    .filter(step -> !step.isEmpty() && !cut.contains(step))
                    .orElse("");
            return !found[0].isEmpty()
                    || object.filter(known -> WishedEtcd.isSettled(known, size)).isPresent();
        });
        return Optional.of(found[0]).filter(step -> !step.isEmpty());
    }

    /** Empty while nobody answers, as after a cut. */
    private Optional<JsonNode> object() throws InterruptedException {
        return api.get("/apis/ouroboros.dev/v1alpha1/controlplanes/cluster");
    }
}
