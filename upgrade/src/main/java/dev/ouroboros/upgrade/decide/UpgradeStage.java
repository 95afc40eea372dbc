package dev.ouroboros.upgrade.decide;

import dev.ouroboros.model.component.Component;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Objects that are changed together. A stage is at rest before the next is touched. */
public enum UpgradeStage {
    /** Secrets, ConfigMaps, RBAC: what the other stages refer to. */
    SHARED("what the others refer to"),
    API_SERVER(Component.API_SERVER),
    CONTROLLER_MANAGER(Component.CONTROLLER_MANAGER),
    SCHEDULER(Component.SCHEDULER),
    PROXY(Component.PROXY),
    KEEPER(Component.KEEPER),
    /** Everything else that makes pods. */
    ADD_ONS("add-ons");

    private static final String SYSTEM = "kube-system";
    private final String words;

    @SuppressWarnings("ImmutableEnumChecker") // An Optional of an enum constant is immutable.
    private final Optional<Component> component;

    UpgradeStage(String words) {
        this.words = words;
        this.component = Optional.empty();
    }

    UpgradeStage(Component component) {
        this.words = component == Component.KEEPER ? component.image() : component.id();
        this.component = Optional.of(component);
    }

    public String words() {
        return words;
    }

    /** Stage of a manifest. */
    public static UpgradeStage of(ObjectName name, boolean makesPods) {
        if (!makesPods) {
            return SHARED;
        }
        return name.namespace().equals(SYSTEM) && ObjectName.WORKLOADS.contains(name.kind())
                ? Arrays.stream(values())
                        .filter(stage -> stage.component
                                .filter(own -> own.id().equals(name.name()))
                                .isPresent())
                        .findFirst()
                        .orElse(ADD_ONS)
                : ADD_ONS;
    }

    /**
     * The order in which stages are changed: nothing is newer than the API server that it asks, going up and going back
     * (https://kubernetes.io/releases/version-skew-policy/).
     */
    public static List<UpgradeStage> order(Direction direction) {
        return switch (direction) {
            case FORWARD -> List.of(values());
            case BACK -> {
                List<UpgradeStage> order = new ArrayList<>(List.of(API_SERVER, CONTROLLER_MANAGER, SCHEDULER, PROXY)
                        .reversed());
                order.addFirst(SHARED);
                order.addAll(List.of(KEEPER, ADD_ONS));
                yield List.copyOf(order);
            }
        };
    }
}
