package dev.ouroboros.keeper.agent.decide;

import dev.ouroboros.model.json.Json;
import java.util.Map;
import java.util.Optional;

/** Where people want agents, by the agents' DaemonSet and the labels of this node. */
public enum Wish {
    /** One belongs on this node. */
    HERE,
    /** They are wanted on other nodes: this one is of the control plane, whose keeper does the same. */
    ELSEWHERE,
    /** There is no DaemonSet. */
    NOWHERE;

    /**
     * Only labels that a node must not have are looked at: the DaemonSet that we make asks for nothing else.
     *
     * @param daemonSet of the agents; empty when there is none
     * @param node this machine's Node
     */
    public static Wish of(Optional<Json> daemonSet, Json node) {
        if (daemonSet.isEmpty()) {
            return NOWHERE;
        }
        Map<String, Json> labels = node.at("metadata", "labels").fields();
        boolean excluded = daemonSet
                .get()
                .at(
                        "spec",
                        "template",
                        "spec",
                        "affinity",
                        "nodeAffinity",
                        "requiredDuringSchedulingIgnoredDuringExecution",
                        "nodeSelectorTerms")
                .items()
                .stream()
                .flatMap(term -> term.at("matchExpressions").items().stream())
                .filter(expression -> expression.at("operator").equals(Json.text("DoesNotExist")))
                .anyMatch(expression ->
                        expression.at("key").text().filter(labels::containsKey).isPresent());
        return excluded ? ELSEWHERE : HERE;
    }
}
