package dev.ouroboros.bootstrap.decide;

import dev.ouroboros.bootstrap.decide.PivotDecision.Planned;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.start.SelfHostedWorkload;
import java.util.ArrayList;
import java.util.List;

/** Collects the actions and waits of one decision. */
final class PivotPlan {
    private final List<Planned> actions = new ArrayList<>();
    private final List<String> waiting = new ArrayList<>();

    void add(PivotAction action, PivotReason reason) {
        actions.add(new Planned(action, reason));
    }

    void waitFor(String what) {
        waiting.add(what);
    }

    List<String> waiting() {
        return List.copyOf(waiting);
    }

    void waitForWorkloads(Evidence<List<SelfHostedWorkload>> workloads) {
        switch (workloads) {
            case Unknown<List<SelfHostedWorkload>>(String reason) -> waitFor("self-hosted workloads: " + reason);
            case Known<List<SelfHostedWorkload>>(List<SelfHostedWorkload> all) ->
                all.stream()
                        .filter(workload -> !workload.isReady())
                        .forEach(workload -> waitFor(workload.name() + ": " + workload.ready() + " of "
                                + workload.desired() + " ready"
                                + (workload.detail().isEmpty() ? "" : " (" + workload.detail() + ")")));
        }
    }

    void clear() {
        actions.clear();
    }

    PivotDecision decision(PivotState next) {
        return new PivotDecision(next, actions, waiting);
    }
}
