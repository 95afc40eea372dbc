package dev.ouroboros.change.decide;

import dev.ouroboros.keeper.decide.ChangeReport;
import dev.ouroboros.keeper.decide.ChangeStep;
import dev.ouroboros.model.json.Json;
import java.util.Optional;
import java.util.Set;

/** Whether every pod of a workload has its template; until then nothing more is changed. */
public sealed interface Rollout {
    /** All pods have the template and are ready; no change is under way. */
    record Settled() implements Rollout {}

    /** @param why what it waits for */
    record Moving(String why) implements Rollout {}

    /** The rollout has ended without success; nothing goes on before somebody acts. */
    record Stopped(String why) implements Rollout {}

    /**
     * How a change of the API server ended, as the keeper reports it.
     *
     * @param since time of the report; two changes can end alike
     */
    record Ending(String word, String why, String since) {
        /** Whether the pods are not what was asked for. */
        public boolean isBad() {
            return REFUSALS.contains(word) || word.equals(ChangeStep.ROLLED_BACK.word());
        }

        /** Whether another try may end otherwise. */
        public boolean mayBeTriedAgain() {
            return !word.equals(ChangeStep.REFUSED.word());
        }
    }

    Set<String> REFUSALS = Set.of(ChangeStep.FAILED.word(), ChangeStep.REFUSED.word());

    Set<String> ENDINGS = Set.of(ChangeStep.DONE.word(), ChangeStep.NONE.word(), ChangeStep.ROLLED_BACK.word());

    /** Of the API server's DaemonSet, which the keeper changes. */
    static Rollout ofDaemonSet(Json object) {
        Optional<Ending> said = said(object);
        Json status = object.at("status");
        long desired = number(status, "desiredNumberScheduled");
        boolean isCurrent = isCurrent(object);
        // When every pod already has the template, the report is about another one.
        if (said.filter(Ending::isBad).isPresent() && isObserved(object) && !isCurrent) {
            return new Stopped(describe(said.get()));
        }
        if (said.isPresent() && !ENDINGS.contains(said.get().word())) {
            return new Moving(describe(said.get()));
        }
        if (!isObserved(object)) {
            return new Moving("the DaemonSet controller has not seen the template yet");
        }
        if (!isCurrent) {
            return new Moving(
                    number(status, "updatedNumberScheduled") + " of " + desired + " pods are of the template");
        }
        return number(status, "numberReady") < desired
                ? new Moving(number(status, "numberReady") + " of " + desired + " pods are ready")
                : new Settled();
    }

    /** The same, unless it is settled and something else is to be waited for. */
    default Rollout unless(Optional<String> waitedFor) {
        return this instanceof Settled && waitedFor.isPresent() ? new Moving("waits for " + waitedFor.get()) : this;
    }

    /** Whether all pods of a DaemonSet have the template, no change is under way, and some are not ready all the same. */
    static boolean lacksOnlyReadyPods(Json object) {
        Json status = object.at("status");
        return isCurrent(object)
                && (said(object).isEmpty() || ending(object).isPresent())
                && number(status, "numberReady") < number(status, "desiredNumberScheduled");
    }

    /** Whether every pod of a DaemonSet has the template. */
    private static boolean isCurrent(Json object) {
        Json status = object.at("status");
        long desired = number(status, "desiredNumberScheduled");
        return isObserved(object) && desired > 0 && number(status, "updatedNumberScheduled") >= desired;
    }

    /** Of a Deployment. */
    static Rollout ofDeployment(Json object) {
        Json status = object.at("status");
        long desired = object.at("spec", "replicas").integer().orElse(1);
        if (!isObserved(object)) {
            return new Moving("the Deployment controller has not seen the template yet");
        }
        for (Json condition : status.at("conditions").items()) {
            if (condition.at("type").equals(Json.text("Progressing"))
                    && condition.at("status").equals(Json.text("False"))) {
                return new Stopped(condition.at("message").text().orElse("it does not progress"));
            }
        }
        if (number(status, "updatedReplicas") < desired) {
            return new Moving(number(status, "updatedReplicas") + " of " + desired + " pods are of the template");
        }
        if (number(status, "availableReplicas") < desired) {
            return new Moving(number(status, "availableReplicas") + " of " + desired + " pods are available");
        }
        return number(status, "replicas") > number(status, "updatedReplicas")
                ? new Moving("an old pod has not ended yet")
                : new Settled();
    }

    /** How the last change of a DaemonSet ended; empty when it was never changed, or is under way. */
    static Optional<Ending> ending(Json object) {
        return said(object).filter(said -> said.isBad() || ENDINGS.contains(said.word()));
    }

    private static Optional<Ending> said(Json object) {
        Json annotations = object.at("metadata", "annotations");
        return annotations
                .at(ChangeReport.STATE_ANNOTATION)
                .text()
                .map(word -> new Ending(
                        word,
                        annotations.at(ChangeReport.MESSAGE_ANNOTATION).text().orElse(""),
                        annotations.at(ChangeReport.SINCE_ANNOTATION).text().orElse("")));
    }

    private static String describe(Ending said) {
        return said.word() + (said.why().isEmpty() ? "" : ": " + said.why());
    }

    /** Whether the controller has seen the present template. */
    static boolean isObserved(Json object) {
        return number(object.at("status"), "observedGeneration") >= number(object.at("metadata"), "generation");
    }

    private static long number(Json value, String field) {
        return value.at(field).integer().orElse(0);
    }
}
