package dev.ouroboros.keeper.observe;

import dev.ouroboros.api.EventRecorder;
import dev.ouroboros.api.EventRecorder.About;
import dev.ouroboros.keeper.api.EventReason;
import dev.ouroboros.model.component.KeeperObjects;
import java.util.Optional;
import java.util.function.Supplier;

/** Events about the Node: people look there for what happens on a machine, and the Node is there when pods are not. */
final class NodeEvents {
    private final EventRecorder events;
    private final String nodeName;
    private final Supplier<Optional<String>> uid;

    /** @param uid of the Node; empty while it is not known */
    NodeEvents(EventRecorder events, String nodeName, Supplier<Optional<String>> uid) {
        this.events = events;
        this.nodeName = nodeName;
        this.uid = uid;
    }

    void say(EventReason reason, String message) {
        About node = new About("Node", "v1", "", nodeName, uid.get().orElse(nodeName));
        events.say(reason.of(node, message));
    }

    /** The owner has to grant the keeper's rights there. Said again, it is the same Event. */
    void mayNotRead(String namespace) {
        say(
                EventReason.NAMESPACE_NOT_READABLE,
                "namespace " + namespace
                        + " may not be read: components there are not saved, and never retired, until you"
                        + " add a RoleBinding: kubectl create rolebinding " + KeeperObjects.NAMESPACE_ROLE
                        + " --namespace="
                        + namespace + " --clusterrole=" + KeeperObjects.NAMESPACE_ROLE + " --user="
                        + KeeperObjects.USER);
    }
}
