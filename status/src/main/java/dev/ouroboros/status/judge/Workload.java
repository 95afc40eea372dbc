package dev.ouroboros.status.judge;

import dev.ouroboros.model.checkpoint.PodIdentity;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.status.model.Owner;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;

/**
 * A DaemonSet or Deployment, as the API has it.
 *
 * @param observed whether its controller has seen the present specification; if not, the counts are of an earlier one, and the controller
 *     may be gone
 * @param desired how many pods it wants
 * @param current how many it has, of any template
 * @param updated how many are of the template as it is
 * @param ready how many are ready, of any template
 * @param stuck why its controller has given up; empty when it has not
 * @param annotations its own
 * @param template of its pods
 * @param templateChangedAt when somebody other than the keeper last changed the template; empty when unknown
 */
record Workload(
        Owner owner,
        ComponentName name,
        boolean observed,
        long desired,
        long current,
        long updated,
        long ready,
        Optional<String> stuck,
        Map<String, Json> annotations,
        Json template,
        Optional<Instant> templateChangedAt) {
    static Workload daemonSet(Json object) {
        Json status = object.at("status");
        return of(
                Owner.DAEMON_SET,
                object,
                number(status, "desiredNumberScheduled"),
                number(status, "currentNumberScheduled"),
                number(status, "updatedNumberScheduled"),
                number(status, "numberReady"));
    }

    static Workload deployment(Json object) {
        Json status = object.at("status");
        return of(
                Owner.DEPLOYMENT,
                object,
                object.at("spec", "replicas").integer().orElse(1),
                number(status, "replicas"),
                number(status, "updatedReplicas"),
                number(status, "readyReplicas"));
    }

    private static Workload of(Owner owner, Json object, long desired, long current, long updated, long ready) {
        return new Workload(
                owner,
                new ComponentName(text(object, "namespace"), text(object, "name")),
                object.at("status", "observedGeneration").integer().orElse(-1)
                        == object.at("metadata", "generation").integer().orElse(0),
                desired,
                current,
                updated,
                ready,
                stuck(object),
                object.at("metadata", "annotations").fields(),
                object.at("spec", "template"),
                templateChange(object));
    }

    private static String text(Json object, String field) {
        return object.at("metadata", field).text().orElse("?");
    }

    private static long number(Json status, String field) {
        return status.at(field).integer().orElse(0);
    }

    private static Optional<String> stuck(Json object) {
        return object.at("status", "conditions").items().stream()
                .filter(condition -> condition.at("type").equals(Json.text("Progressing"))
                        && condition.at("status").equals(Json.text("False")))
                .map(condition -> condition.at("message").text().orElse("does not progress"))
                .findFirst();
    }

    /** The API server notes for each client which fields it set, and when, in whole seconds. */
    private static Optional<Instant> templateChange(Json object) {
        return object.at("metadata", "managedFields").items().stream()
                .filter(entry -> !entry.at("manager").equals(Json.text(Component.KEEPER.id())))
                .filter(entry -> !entry.at("fieldsV1", "f:spec", "f:template").isNull())
                .flatMap(entry -> instant(entry.at("time")).stream())
                .max(Comparator.naturalOrder());
    }

    static Optional<Instant> instant(Json value) {
        try {
            return value.text().map(Instant::parse);
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /** Whether it has pods that are not what it asks for. */
    boolean isRolling() {
        return updated < desired || current > desired;
    }

    /** Whether it has a pod on each of more than one node. */
    boolean isOnSeveralNodes() {
        return owner == Owner.DAEMON_SET && desired > 1;
    }

    /** Whether somebody wants no pod of it anywhere. */
    boolean isSwitchedOff() {
        return owner == Owner.DEPLOYMENT && desired == 0;
    }

    /** Whether it is an add-on of which there is to be no pod on any node, as the agents of nodes where each has a keeper. */
    boolean isForNobody() {
        return owner == Owner.DAEMON_SET && observed && desired == 0 && current == 0 && !asksForCheckpoint();
    }

    boolean asksForCheckpoint() {
        return PodIdentity.asks(template.at("metadata", "annotations"));
    }

    Optional<String> annotation(String name) {
        return Optional.ofNullable(annotations.get(name)).flatMap(Json::text);
    }
}
