package dev.ouroboros.bootstrap.decide;

import dev.ouroboros.model.component.Component;

/** Something a pivot wants done. Every action is idempotent: it may be asked for again until the observation shows its effect. */
public sealed interface PivotAction {
    /** Install the front's table; an existing one keeps its map. */
    record InstallFront() implements PivotAction {}

    /** Send new connections to the temporary API server, with a fresh lease. */
    record PointFrontToUnderstudy() implements PivotAction {}

    /** Empty the front's map. */
    record PointFrontToPrincipal() implements PivotAction {}

    /** Dial the node from outside its loopback and compare which server answers. */
    record ProveFront() implements PivotAction {}

    /** Copy keys and kubeconfigs to where the bootstrap manifests expect them. */
    record CopySecrets() implements PivotAction {}

    record RemoveSecrets() implements PivotAction {}

    /** Write the understudy's static Pod into the kubelet's manifest directory. */
    record WriteManifest(Component component) implements PivotAction {}

    /** Remove that manifest again, if it is ours. */
    record RemoveManifest(Component component) implements PivotAction {}

    /** Server-side apply of what {@code manifests/} holds besides workloads, in order. */
    record ApplyManifests() implements PivotAction {}

    /** Server-side apply of the API server's DaemonSet alone. */
    record ApplyApiServer() implements PivotAction {}

    /** Server-side apply of the DaemonSets, Deployments and so on of {@code manifests/}. */
    record ApplyWorkloads() implements PivotAction {}

    /**
     * Delete the self-hosted API server's pods that were made from another template than is asked for now: its DaemonSet, which is updated
     * on delete, makes new ones.
     */
    record DeleteOutdatedApiServer() implements PivotAction {}

    /**
     * Restart a kubelet that has waited for an API server for long: by then the kubelet asks for its certificate only every 32 s
     * (k8s.io/client-go/util/certificate, rotateCerts).
     */
    record RestartKubelet() implements PivotAction {}

    /** Give this machine's Node the control-plane label, which a kubelet may not give itself. */
    record LabelNode() implements PivotAction {}

    /** Make Endpoints and EndpointSlice of the kubernetes Service lead to this node's API port. */
    record WriteServiceEndpoints() implements PivotAction {}

    /** Empty the holder of a leader-election Lease that a temporary component left behind. */
    record ReleaseLeaderLease(Component component) implements PivotAction {}

    /** Try read, write, watch, a scheduled pod and its logs through the final endpoint. */
    record RunAcceptance() implements PivotAction {}
}
