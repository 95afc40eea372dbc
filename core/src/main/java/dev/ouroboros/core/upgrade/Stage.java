package dev.ouroboros.core.upgrade;

import dev.ouroboros.core.manifest.KeeperDaemonSet;
import dev.ouroboros.core.version.Component;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What is changed together. One is at rest before the next is touched. */
public enum Stage {
    /** Secrets, ConfigMaps, rights: what the others refer to. */
    SHARED("what the others refer to"),
    API_SERVER("kube-apiserver"),
    CONTROLLER_MANAGER("kube-controller-manager"),
    SCHEDULER("kube-scheduler"),
    PROXY("kube-proxy"),
    KEEPER("keeper"),
    /** Everything else that makes pods. */
    ADD_ONS("add-ons");

    private static final String SYSTEM = "kube-system";
    private static final Map<String, Stage> BY_NAME = Map.of(
            Component.KUBE_APISERVER.binary(),
            API_SERVER,
            Component.KUBE_CONTROLLER_MANAGER.binary(),
            CONTROLLER_MANAGER,
            Component.KUBE_SCHEDULER.binary(),
            SCHEDULER,
            Component.KUBE_PROXY.binary(),
            PROXY,
            KeeperDaemonSet.NAME,
            KEEPER);

    private final String words;

    Stage(String words) {
        this.words = words;
    }

    public String words() {
        return words;
    }

    /** Of a manifest. */
    public static Stage of(ObjectName name, boolean makesPods) {
        if (!makesPods) {
            return SHARED;
        }
        return name.namespace().equals(SYSTEM) && ObjectName.WORKLOADS.contains(name.kind())
                ? BY_NAME.getOrDefault(name.name(), ADD_ONS)
                : ADD_ONS;
    }

    /**
     * The order in which stages are changed: nothing is newer than the API server that it asks, going up and going back
     * (https://kubernetes.io/releases/version-skew-policy/).
     */
    public static List<Stage> order(Direction direction) {
        return switch (direction) {
            case FORWARD -> List.of(values());
            case BACK -> {
                List<Stage> order = new ArrayList<>(List.of(API_SERVER, CONTROLLER_MANAGER, SCHEDULER, PROXY)
                        .reversed());
                order.addFirst(SHARED);
                order.addAll(List.of(KEEPER, ADD_ONS));
                yield List.copyOf(order);
            }
        };
    }
}
