package dev.ouroboros.bootstrap.decide;

/** Why a pivot wants an action; logged with it. */
public enum PivotReason {
    CLIENTS_NEED_A_FIRST_SERVER("no self-hosted API server answers yet"),
    LEASE_RUNS_OUT("the front's lease must be renewed while the temporary API server is needed"),
    FRONT_IS_MISSING("the front's table is not there"),
    API_SERVER_ANSWERS("the temporary API server is ready"),
    FRONT_IS_NOT_PROVEN("a firewall or another tool may keep clients from the understudy"),
    KUBELET_HAS_NOT_JOINED("the kubelet can join now, and would try again only in half a minute"),
    KUBELET_STARTS_SLOWLY("the kubelet has started the temporary control plane, and is back when that is ready"),
    NODE_CAN_TAKE_PODS("a pod that finds no node waits out the scheduler's back-off"),
    MACHINE_IS_SLOW(
            "where an API server takes a minute to begin, it begins alone: else its clients take the time that it needs"),
    NODE_REGISTERED("the kubelet has registered this node"),
    SERVICE_MUST_LEAD_HERE("API servers run without an endpoint reconciler"),
    SELF_HOSTED_IS_READY("every self-hosted component is ready"),
    ANOTHER_TEMPLATE_IS_ASKED_FOR(
            "the self-hosted API server cannot take over, and its pod is not what the DaemonSet asks for any more"),
    TRAFFIC_HAS_MOVED("the final endpoint answers from the self-hosted API server"),
    OTHERS_NEED_CONTROLLERS("somebody has to make the pods of the other self-hosted workloads"),
    PORT_IS_NEEDED("the self-hosted API server has begun and needs the port"),
    HOLDER_IS_GONE("the temporary component that holds the lease has ended"),
    TEMPORARY_IS_GONE("no temporary component listens any more"),
    PRINCIPAL_WENT_AWAY("the self-hosted API server stopped answering before the temporary one was removed"),
    TEMPORARY_DOES_NOT_ANSWER("the self-hosted API server answers, and the temporary one does not"),
    GIVING_UP("the pivot failed");

    private final String description;

    PivotReason(String description) {
        this.description = description;
    }

    public String description() {
        return description;
    }
}
