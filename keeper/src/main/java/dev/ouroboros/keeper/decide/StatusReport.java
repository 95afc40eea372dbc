package dev.ouroboros.keeper.decide;

import dev.ouroboros.model.component.Role;
import java.util.Optional;

/** Says where a component stands. */
final class StatusReport {
    private final Moment moment;
    private final Scope scope;

    private final ChangeStatus change;

    /** @param change of the API server */
    StatusReport(Moment moment, Scope scope, ChangeStatus change) {
        this.moment = moment;
        this.scope = scope;
        this.change = change;
    }

    /**
     * @param last whether its checkpoint is the only way back that is known
     * @param blocked why an understudy that is needed is not started
     * @param checkpoint what its checkpoint waits for; empty for nothing
     */
    Status of(Judged component, boolean last, Optional<String> blocked, String checkpoint) {
        Condition condition = condition(component, last, blocked);
        String waitsFor = waitsFor(component, condition, blocked, checkpoint);
        return component
                .memory()
                .status()
                .filter(before -> before.condition() == condition)
                .map(before -> new Status(condition, waitsFor, before.since()))
                .orElseGet(() -> new Status(condition, waitsFor, moment.now()));
    }

    private Condition condition(Judged component, boolean last, Optional<String> blocked) {
        if (!scope.includesAll()) {
            return Condition.PASSIVE;
        }
        boolean serves = component.verdict() == Verdict.SERVES;
        if (component.isApiServer()
                && component.hasUnderstudy()
                && change.step().isUnderWay()) {
            return Condition.CHANGING;
        }
        if (component.hasUnderstudy()) {
            boolean keeper = component.seen().role() == Role.KEEPER;
            if (serves) {
                return keeper ? Condition.STANDING_BY : Condition.GIVING_WAY;
            }
            return keeper || understudyServes(component) ? Condition.UNDERSTUDY_SERVES : Condition.STARTING;
        }
        if (component.memory().unwantedSince().isPresent()) {
            return unwanted(component, last);
        }
        if (component.isElsewhere()) {
            return Condition.ELSEWHERE;
        }
        if (blocked.isPresent()) {
            return Condition.HELPLESS;
        }
        return serves || component.verdict() == Verdict.LEAVES ? Condition.SERVING : Condition.DOUBTFUL;
    }

    private static Condition unwanted(Judged component, boolean last) {
        if (component.seen().role().isIndispensable() && component.isSwitchedOff()) {
            return Condition.SWITCHED_OFF;
        }
        return last && component.hasCheckpoint() ? Condition.KEPT : Condition.LEAVING;
    }

    /** Only an API server's understudy is probed for readiness; of others the runtime tells. */
    private static boolean understudyServes(Judged component) {
        return component.isApiServer()
                ? component.understudyIsReady()
                : component.seen().understudyRuns().is(running -> running == Running.RUNNING);
    }

    private String waitsFor(Judged component, Condition condition, Optional<String> blocked, String checkpoint) {
        return switch (condition) {
            case PASSIVE -> scope.why();
            case CHANGING -> change.message().replaceFirst("^for ", "");
            case HELPLESS -> blocked.orElse("");
            case STARTING ->
                "the understudy: " + Explain.running(component.seen().understudyRuns());
            case UNDERSTUDY_SERVES -> "the principal: " + principal(component);
            case GIVING_WAY ->
                "the principal to be steady: "
                        + moment.progress(
                                component.memory().servingSince(),
                                moment.settings().steady());
            case DOUBTFUL ->
                "the principal: " + principal(component)
                        + component
                                .memory()
                                .failingSince()
                                .map(since -> ", for "
                                        + moment.progress(
                                                component.memory().failingSince(),
                                                component.patience(moment.settings())))
                                .orElse("");
            case SWITCHED_OFF ->
                "its replicas to be more than 0 again"
                        + (component.hasCheckpoint()
                                ? "; its checkpoint is kept"
                                : "; it has no checkpoint: without one 'ouro start', run on this node, brings it back then");
            case KEPT -> "another one to be known to serve: until then its checkpoint stays";
            case LEAVING ->
                "the grace period: "
                        + moment.progress(
                                component.memory().unwantedSince(),
                                moment.settings().retireGrace());
            case SERVING, STANDING_BY, ELSEWHERE -> checkpoint;
        };
    }

    private static String principal(Judged component) {
        return component.isApiServer() ? Explain.principal(component) : Explain.pods(component.seen());
    }
}
