package dev.ouroboros.steward.decide;

import dev.ouroboros.model.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The leading steward's decision on the way to the wished members: {@code status.etcd.change}. Other nodes' stewards read in it what they are to do.
 *
 * @param step {@code Add}, {@code Remove}, {@code TellApiServers}, {@code Leave}, {@code Change}, {@code Defragment}; empty text while nothing can be
 * done
 * @param node that gets or loses a member, or is to get one in the place of a lost one; empty text when there is none
 * @param isStalled whether nothing moves until a person does something
 * @param reason in CamelCase
 */
public record ScaleReport(String step, String node, boolean isStalled, String reason, String message) {
    public static final String ADD = "Add";
    public static final String TELL = "TellApiServers";
    public static final String LEAVE = "Leave";
    public static final String CHANGE = "Change";
    public static final String DEFRAGMENT = "Defragment";

    private static final String REMOVE = "Remove";
    private static final String NOT_MANAGED = "EtcdNotManaged";

    private static final String SCALING = "Scaling";
    private static final String EXCHANGED =
            "waits for every API server to be exchanged: 'ouro status' shows how far that is, and whether it has stopped";

    /**
     * The report of the next step; empty when there is none.
     *
     * @param failure why the last attempt failed
     * @param progress what is done or waited for just now
     */
    public static Optional<ScaleReport> of(EtcdScale.Step step, Optional<String> failure, Optional<String> progress) {
        return switch (step) {
            case EtcdScale.Step.Settled() -> Optional.empty();
            case EtcdScale.Step.Stalled(String reason, String message) ->
                Optional.of(new ScaleReport("", "", true, reason, message));
            case EtcdScale.Step.Add(String node) -> Optional.of(of(ADD, node, failure, progress));
            case EtcdScale.Step.Leave(String node) -> Optional.of(of(LEAVE, node, failure, progress));
            case EtcdScale.Step.Remove(String _, Optional<String> replacement) ->
                Optional.of(of(REMOVE, replacement.orElse(""), failure, progress));
            case EtcdScale.Step.Change(String node) -> Optional.of(of(CHANGE, node, failure, progress));
            case EtcdScale.Step.Defragment(String node) -> Optional.of(of(DEFRAGMENT, node, failure, progress));
            case EtcdScale.Step.Await(String reason, String message) ->
                Optional.of(new ScaleReport("", "", false, reason, message));
            case EtcdScale.Step.TellApiServers _ -> Optional.of(of(TELL, "", failure, progress));
            case EtcdScale.Step.AwaitApiServers _ ->
                Optional.of(of(TELL, "", failure, progress.or(() -> Optional.of(EXCHANGED))));
        };
    }

    /**
     * The report where the owner manages etcd: which wish is not obeyed; empty when there is none. The present number of members is no wish, and may
     * not be known yet.
     */
    public static Optional<ScaleReport> ofOwnersEtcd(ControlPlaneObject object) {
        List<String> fields = new ArrayList<>();
        Json members = object.status().at("etcd", "size");
        boolean isKnown = !members.isNull() && object.etcdSize().isPresent();
        if (isKnown && !object.object().at("spec", "etcd", "size").equals(members)) {
            fields.add("spec.etcd.size");
        }
        object.etcdWish().image().ifPresent(_ -> fields.add("spec.etcd.image"));
        if (!object.etcdWish().flags().isEmpty()) {
            fields.add("spec.etcd.flags");
        }
        return fields.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new ScaleReport(
                                "",
                                "",
                                true,
                                NOT_MANAGED,
                                String.join(", ", fields)
                                        + " is not obeyed: etcd is its owner's in this cluster. To have it managed, set spec.layers of the Cluster document to 1-4, and run 'ouro upgrade apply'; else take the field out"));
    }

    boolean isOfOwnersEtcd() {
        return reason.equals(NOT_MANAGED);
    }

    /** The report while API servers learn where etcd is, which was begun here: it goes on, or has failed. */
    public static ScaleReport ofApiServers(Optional<String> failure, Optional<String> progress) {
        return of(TELL, "", failure, progress);
    }

    private static ScaleReport of(String step, String node, Optional<String> failure, Optional<String> progress) {
        return new ScaleReport(
                step,
                node,
                failure.isPresent(),
                failure.isPresent() ? "ScaleFailed" : SCALING,
                failure.or(() -> progress).orElse("begins"));
    }

    /** As the status has it, whatever the wish is now. */
    static Optional<ScaleReport> of(ControlPlaneObject object) {
        Json change = object.status().at("etcd", "change");
        return change.isNull()
                ? Optional.empty()
                : Optional.of(new ScaleReport(
                        text(change, "step"),
                        text(change, "node"),
                        change.at("stalled").isTrue(),
                        text(change, "reason"),
                        text(change, "message")));
    }

    /** The decision for the present wish: what was decided for an earlier one is not begun any more. */
    public static Optional<ScaleReport> decided(ControlPlaneObject object) {
        return object.isScaleDecided() ? of(object) : Optional.empty();
    }

    /** The node that the last decision, for whatever wish, gave a member. */
    public static Optional<String> adding(ControlPlaneObject object) {
        return of(object)
                .filter(report -> report.step().equals(ADD) || report.step().equals(REMOVE))
                .map(ScaleReport::node);
    }

    /** Whether the status has another step or reason so far: then people are told. */
    public boolean isNews(ControlPlaneObject object) {
        return of(object)
                .filter(told -> told.step().equals(step)
                        && told.node().equals(node)
                        && told.reason().equals(reason))
                .isEmpty();
    }

    /** The node whose member the last decision, for whatever wish, gave another manifest. */
    public static Optional<String> changing(ControlPlaneObject object) {
        return of(object).filter(report -> report.step().equals(CHANGE)).map(ScaleReport::node);
    }

    /** The node whose member the last decision, for whatever wish, had defragmented. */
    public static Optional<String> defragmenting(ControlPlaneObject object) {
        return of(object).filter(report -> report.step().equals(DEFRAGMENT)).map(ScaleReport::node);
    }

    private static String text(Json json, String field) {
        return json.at(field).text().orElse("");
    }

    /** For people: where it stands. */
    public String words() {
        String what = switch (step) {
            case ADD -> "node " + node + " gets a member of etcd: ";
            case CHANGE -> "the member of node " + node + " gets the manifest that is wished: ";
            case LEAVE -> "the member of node " + node + " leaves: ";
            case REMOVE ->
                "a member that is lost is taken off the list"
                        + (node.isEmpty() ? "" : ", and node " + node + " gets one in its place") + ": ";
            case TELL -> "API servers learn where etcd's members are: ";
            case DEFRAGMENT -> "the member of node " + node + " writes its file anew, of which much is not in use: ";
            default -> "";
        };
        return what + message;
    }
}
