package dev.ouroboros.sim.scenario;

import dev.ouroboros.model.component.Component;
import java.util.List;
import java.util.Optional;

/**
 * What is done to a cluster at rest, and all that the keeper does about it until the cluster is at rest again: every principal serves,
 * new connections lead to it, no understudy is left.
 */
public enum Scenario {
    API_SERVER_PODS_ARE_DELETED,
    POWER_IS_CUT,
    /** Bootkube's deadlock. */
    CONTROLLERS_ARE_REMOVED,
    UNKNOWN_FLAG_IS_ASKED_FOR;

    private static final String START = "start-understudy";
    private static final String STOP = "stop-understudy";
    private static final String FAILED = "record-failure";

    public void play(ScenarioStage stage) throws Exception {
        switch (this) {
            case API_SERVER_PODS_ARE_DELETED -> stage.deleteApiServerPods();
            case POWER_IS_CUT -> stage.cutPower();
            case CONTROLLERS_ARE_REMOVED -> stage.removeControllers();
            case UNKNOWN_FLAG_IS_ASKED_FOR -> {
                stage.askForUnknownFlag();
                stage.await(FAILED);
                stage.takeBack();
            }
        }
    }

    /** What the keeper does about it, in this order, and nothing else that {@link #told} tells of. */
    public List<String> decisions() {
        return switch (this) {
            case API_SERVER_PODS_ARE_DELETED, POWER_IS_CUT ->
                List.of(START, "point-front to the understudy", "point-front to the principal", STOP);
            case CONTROLLERS_ARE_REMOVED -> List.of(START, STOP);
            case UNKNOWN_FLAG_IS_ASKED_FOR -> List.of(START, FAILED, STOP);
        };
    }

    /**
     * One entry of the keeper's log of decisions, if it is about the component of this scenario or the front, and more than keeping
     * up: leases that are renewed, checkpoints, Events.
     *
     * @param about namespace and name of a component; anything else for an action that is about none
     */
    public Optional<String> told(String about, String action, String detail, String reason) {
        String component =
                this == CONTROLLERS_ARE_REMOVED ? Component.CONTROLLER_MANAGER.id() : Component.API_SERVER.id();
        boolean tells = switch (action) {
            case "point-front" -> !reason.equals("LEASE_RUNS_OUT") && this != CONTROLLERS_ARE_REMOVED;
            case START, STOP, FAILED, "replace-principal", "cut-off" -> about.equals("kube-system/" + component);
            default -> false;
        };
        return tells ? Optional.of((action + " " + detailOf(action, detail)).strip()) : Optional.empty();
    }

    /** The detail of other actions is a revision, which differs each time. */
    private static String detailOf(String action, String detail) {
        return action.equals("point-front") ? detail : "";
    }
}
