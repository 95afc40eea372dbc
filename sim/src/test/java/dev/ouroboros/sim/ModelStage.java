package dev.ouroboros.sim;

import dev.ouroboros.keeper.decide.KeeperSettings;
import dev.ouroboros.keeper.report.DecisionLog;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.sim.Blueprint.Kept;
import dev.ouroboros.sim.Blueprint.Template;
import dev.ouroboros.sim.scenario.Scenario;
import dev.ouroboros.sim.scenario.ScenarioStage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** A modelled machine at rest. */
final class ModelStage implements ScenarioStage {
    private static final Duration BOUND = Duration.ofMinutes(15);

    private final Scenario scenario;
    private final ClusterModel cluster;
    private final Rest rest;
    private final List<String> told = new ArrayList<>();
    private Optional<KeeperProcess> keeper = Optional.empty();
    private int heard;

    ModelStage(Scenario scenario, long seed) {
        this.scenario = scenario;
        this.cluster = new ClusterModel(
                List.of(Chance.of(seed)),
                KeeperSettings.DEFAULT,
                Distortion.NONE,
                ClusterModel.Beginning.STARTED,
                Optional.empty());
        this.rest = new Rest(cluster);
        awaitRest();
        told.clear();
    }

    /** Everything told of since, in order. */
    List<String> told() {
        return List.copyOf(told);
    }

    void awaitRest() {
        until("rest", () -> rest.unrest().isEmpty());
    }

    private void until(String what, BooleanSupplier holds) {
        Instant end = cluster.now().plus(BOUND);
        while (!holds.getAsBoolean()) {
            if (cluster.now().isAfter(end)) {
                throw new AssertionError("no " + what + " but " + rest.unrest() + ", told " + told + "\n"
                        + String.join("\n", cluster.trace().lines()));
            }
            cluster.step();
            listen();
        }
    }

    private void listen() {
        cluster.first().keeper().ifPresent(now -> {
            if (!keeper.equals(Optional.of(now))) {
                keeper = Optional.of(now);
                heard = 0;
            }
            List<DecisionLog.Entry> entries = now.decisions();
            for (DecisionLog.Entry entry : entries.subList(heard, entries.size())) {
                if (entry.outcome().equals("done")) {
                    String about =
                            entry.component().map(ComponentName::toString).orElse("");
                    scenario.told(
                                    about,
                                    entry.action(),
                                    entry.detail(),
                                    entry.reason().name())
                            .ifPresent(told::add);
                }
            }
            heard = entries.size();
        });
    }

    @Override
    public void await(String decision) {
        until(decision, () -> told.contains(decision));
    }

    @Override
    public void deleteApiServerPods() {
        Fault.delete(cluster, List.of(Blueprint.API_SERVER));
    }

    @Override
    public void removeControllers() {
        end(Role.CONTROLLER_MANAGER);
        end(Role.SCHEDULER);
        for (Kept kept : List.of(Blueprint.MANAGER, Blueprint.SCHEDULER)) {
            List.copyOf(cluster.objects()
                            .below(Blueprint.PODS.formatted(kept.namespace()) + kept.name())
                            .keySet())
                    .forEach(cluster.objects()::remove);
        }
    }

    private void end(Role role) {
        cluster.runs()
                .flatMap(run -> run.program.stream())
                .filter(program -> program.role == role)
                .forEach(program -> program.endAt(cluster.now()));
    }

    @Override
    public void cutPower() {
        cluster.first().losePower("as a scenario has it");
    }

    @Override
    public void askForUnknownFlag() {
        ask(new Template("v1.20.2", 1, Behaviour.CRASHES_AT_ONCE));
    }

    @Override
    public void takeBack() {
        ask(Template.FIRST);
    }

    private void ask(Template template) {
        Fault.change(cluster, Blueprint.API_SERVER, template);
    }
}
