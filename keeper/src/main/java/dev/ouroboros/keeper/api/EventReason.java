package dev.ouroboros.keeper.api;

import dev.ouroboros.api.EventRecorder.About;
import dev.ouroboros.api.EventRecorder.Said;

/** Why the keeper writes an Event about its node or a pod there; the reasons of a change are {@code Change} followed by its step. */
public enum EventReason {
    CHECKPOINT_PROMOTED("CheckpointPromoted", false, "a checkpoint has proven itself and is the last good one"),
    CHECKPOINT_REFUSED(
            "CheckpointRefused", true, "a pod asks for a checkpoint and cannot be a static pod: the fields are named"),
    UNDERSTUDY_STARTED("UnderstudyStarted", true, "a principal is gone or fails, and its understudy is started"),
    UNDERSTUDY_STOPPED(
            "UnderstudyStopped", false, "the principal is back, or nobody wants the component here any more"),
    FRONT_MOVED("FrontMoved", false, "new connections go to the other server"),
    PRINCIPAL_CUT_OFF("PrincipalCutOff", true, "the API server hangs, and its clients are told so"),
    PRINCIPAL_LET_THROUGH("PrincipalLetThrough", false, "it is heard again"),
    NODE_LABELLED("NodeLabelled", false, "the label of control-plane nodes was missing"),
    REJECTED_POD_REMOVED("RejectedPodRemoved", true, "a pod that the kubelet will never run blocked its controller"),
    NAMESPACE_NOT_READABLE(
            "NamespaceNotReadable", true, "a component's namespace may not be read: the RoleBinding is named"),
    SERVER_NOT_NAMED(
            "ServerNotNamed",
            true,
            "the Service does not lead clients to this node's API server yet, because it fails a question: that is named"),
    NEWER_SERVER_VERIFIED(
            "NewerServerVerified",
            false,
            "after an older API server stood in, the newer one has all that it had before"),
    NEWER_SERVER_DAMAGED(
            "NewerServerDamaged", true, "after an older API server stood in, the newer one lacks something"),
    KUBELET_TRIED(
            "KubeletTried",
            false,
            "the node begins to run another kubelet, and goes back by itself if that does not run"),
    KUBELET_CHANGED("KubeletChanged", false, "the kubelet that is wished of the node runs"),
    KUBELET_FAILED(
            "KubeletFailed", true, "the kubelet that is wished of the node did not run, and the former one runs again"),
    KUBELET_REFUSED(
            "KubeletRefused",
            true,
            "the kubelet that is wished of the node is none that it can have: nothing was done");

    private final String word;
    private final boolean warning;
    private final String meaning;

    EventReason(String word, boolean warning, String meaning) {
        this.word = word;
        this.warning = warning;
        this.meaning = meaning;
    }

    /** An Event of this reason. */
    public Said of(About about, String message) {
        return new Said(about, warning, word, message);
    }

    /** As in the Event. */
    public String word() {
        return word;
    }

    /** Whether somebody has to do something. */
    public boolean isWarning() {
        return warning;
    }

    /** For people. */
    public String meaning() {
        return meaning;
    }
}
