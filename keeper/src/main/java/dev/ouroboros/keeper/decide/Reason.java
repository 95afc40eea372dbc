package dev.ouroboros.keeper.decide;

/** Why a keeper wants an action; logged with it, counted by it, shown by {@code ouro explain}. */
public enum Reason {
    PRINCIPAL_IS_DEAD("the runtime says that no container of the principal runs"),
    PRINCIPAL_FAILS("the principal has failed its probes"),
    PRINCIPAL_IS_LEAVING("every pod of the principal is being deleted, and it still answers"),
    NO_POD_IS_THERE("the component belongs here and has no living pod"),
    NO_POD_IS_READY("no pod of the component has become ready for longer than the kubelet needs to start it again"),
    STATIC_COPY_IS_NEEDED("the static copy of the keeper is not there, or not of the checkpoint it is to be made from"),
    UNDERSTUDY_ANSWERS("the understudy is ready and the principal is not"),
    UNDERSTUDY_STARTS("the principal is closed or hangs, and the kubelet has an understudy to start"),
    PRINCIPAL_IS_BACK("the principal has been ready without interruption"),
    UNDERSTUDY_FAILS("the principal is ready and the understudy is not"),
    CLIENTS_HAVE_MOVED("new connections have gone to the principal for the drain time"),
    LEASE_RUNS_OUT("the front's lease must be renewed while the understudy serves"),
    FRONT_IS_MISSING("the front's table is not there, or not as it should be"),
    PRINCIPAL_IS_SILENT("the process answers nothing, and who has a connection to it would wait for it"),
    PRINCIPAL_IS_HEARD("the principal answers again, or has ended and holds no connection any more"),
    POD_IS_HEALTHY("the pod is ready and differs from what is saved"),
    POD_STAYED_HEALTHY("the pod has been healthy for the soak time"),
    CANDIDATE_IS_OLD("the pod that the candidate was saved from is gone or has changed"),
    CANNOT_BE_STATIC("the pod cannot be a static pod on this node"),
    DOES_NOT_BELONG_HERE("no controller has wanted the component on this node for the grace period"),
    NODE_IS_NOT_SELECTED(
            "the node has lost a label that the component's pods ask for, and another node has the component"),
    ANOTHER_NODE_HAS_NONE(
            "several pods of the component are on this node, and a control-plane node that serves has none"),
    ANOTHER_NODE_HAS_IT("no pod of the component lives here, and another node is known to have it"),
    SCALED_TO_ZERO("the component's controller asks for no pod of it"),
    KUBELET_REJECTED_IT("the kubelet rejected the pod after a restart and will never run it"),
    CONTROL_PLANE_NODE("the cluster says that this is a control-plane node, or its only API server is here"),
    NODE_TELLS_OTHERWISE("the Node's annotation does not say what checkpoints there are"),
    LEADER_HAS_ENDED("the process that holds the Lease has ended on this node"),
    SERVICE_MUST_LEAD_HERE("API servers run without an endpoint reconciler"),
    START_WAS_ABANDONED("start's lock has been free and its pivot is not finished"),
    KEEPER_WAS_REMOVED("the keeper's DaemonSet is gone"),
    TEMPLATE_CHANGED("the pod was made from another template than the DaemonSet has now"),
    ONE_AT_A_TIME("one node at a time changes its API server"),
    CANDIDATE_PROVED("the candidate proved itself beside the running server"),
    CANDIDATE_IS_UNPROVEN("the principal is away and a candidate that has proved nothing is in the understudy's place"),
    CANDIDATE_FAILED("the candidate did not prove itself"),
    CANDIDATE_SERVES("the candidate serves, and the principal can be replaced"),
    NEVER_SERVED("the principal has never been healthy on this node and fails, and the template is another one by now"),
    REPLACEMENT_FAILED("the new principal failed although its candidate proved itself"),
    CHANGE_IS_OVER("no change is under way"),
    CHANGE_MOVED_ON("people should know where the change stands"),
    KEEPER_POD_WAITS("the API-managed keeper waits for the lock"),
    SUCCESSOR_DECIDES("the API-managed keeper sees this node and decides, and acts as soon as this copy ends");

    private final String description;

    Reason(String description) {
        this.description = description;
    }

    public String description() {
        return description;
    }
}
