package dev.ouroboros.e2e;

import static dev.ouroboros.e2e.ControlPlane.API_SERVER;
import static dev.ouroboros.e2e.ControlPlane.CONTROLLER_MANAGER;
import static dev.ouroboros.e2e.ControlPlane.SCHEDULER;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ouroboros.sim.scenario.Scenario;
import dev.ouroboros.sim.scenario.ScenarioStage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A sandbox at rest, and what its keepers have logged of a scenario since: each has a log of its own, which ends with it. */
final class SandboxStage implements ScenarioStage {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Scenario scenario;
    private final OuroProgram ouro;
    private final ControlPlane plane;
    private final Set<JsonNode> heard = new HashSet<>();
    private final List<String> told = new ArrayList<>();

    SandboxStage(Scenario scenario, OuroProgram ouro, ControlPlane plane) throws Exception {
        this.scenario = scenario;
        this.ouro = ouro;
        this.plane = plane;
        plane.awaitRest();
        for (String component : List.of(API_SERVER, CONTROLLER_MANAGER, SCHEDULER)) {
            plane.awaitProven(component);
        }
        listen();
        told.clear();
    }

    /** Everything told of since, in order. */
    List<String> told() {
        return List.copyOf(told);
    }

    void awaitRest() throws Exception {
        Await.until("every principal serves and no understudy is left", told::toString, () -> {
            boolean rests = plane.unrest().isEmpty();
            listen();
            return rests;
        });
    }

    /** Decided again before it can be seen, a deed is done twice at once: done again it alters nothing. */
    private void listen() throws IOException {
        Optional<String> log = plane.node().ask("http://127.0.0.1:26445/decisions");
        if (log.isEmpty()) {
            return;
        }
        for (JsonNode entry : JSON.readTree(log.get()).path("decisions")) {
            if (heard.add(entry) && entry.path("outcome").asText().equals("done")) {
                scenario.told(
                                entry.path("component").asText(),
                                entry.path("action").asText(),
                                entry.path("detail").asText(),
                                entry.path("reason").asText())
                        .filter(deed -> told.isEmpty() || !told.getLast().equals(deed))
                        .ifPresent(told::add);
            }
        }
    }

    @Override
    public void await(String decision) throws Exception {
        Await.until("the keeper did " + decision, told::toString, () -> {
            listen();
            return told.contains(decision);
        });
    }

    @Override
    public void deleteApiServerPods() {
        plane.deletePods(API_SERVER);
    }

    @Override
    public void removeControllers() throws IOException {
        plane.removeControllerManagerAndScheduler();
    }

    @Override
    public void cutPower() throws Exception {
        ouro.json("reboot", ouro.nodeName());
        plane.lookAgain();
    }

    @Override
    public void askForUnknownFlag() {
        plane.addWords(API_SERVER, "command", "--no-such-flag");
    }

    @Override
    public void takeBack() {
        ouro.kubectl("rollout", "undo", ApiServerChange.DAEMON_SET, ApiServerChange.SYSTEM);
    }
}
