package dev.ouroboros.model.component;

import dev.ouroboros.model.flags.CommandLine;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** What makes a component one that runs beside its principal. The one rule set, for start's temporary pods and the keeper's understudies. */
public final class UnderstudyFlags {
    private static final String CONTROLLERS = "controllers";
    private static final String WITHOUT_NODE_IPAM = ",-nodeipam";
    private static final String SHUTDOWN_DELAY = "shutdown-delay-duration";

    private UnderstudyFlags() {}

    /** How long it is meant to be there. */
    public enum Purpose {
        /** Until the self-hosted pods run: some seconds, in which the cluster is brought up. */
        PIVOT,
        /** Until the principal is back, which may be never: it must do all that the principal does. */
        STAND_IN
    }

    /** The same command line on the understudy's port, with nothing that would disturb the principal. */
    public static CommandLine of(Component component, CommandLine principal, Purpose purpose) {
        Map<String, String> flags = new LinkedHashMap<>();
        flags.put("secure-port", Integer.toString(component.understudyPort()));
        if (component == Component.API_SERVER) {
            flags.put("endpoint-reconciler-type", "none");
            // When it is told to end, new connections go elsewhere already: it need not keep its door open for those to
            // come.
            principal.value(SHUTDOWN_DELAY).ifPresent(_ -> flags.put(SHUTDOWN_DELAY, "0s"));
        } else {
            // It starts before there is an API server to ask whom else to trust; nobody calls it but us.
            flags.put("authentication-skip-lookup", "true");
            flags.put("bind-address", "127.0.0.1");
            // So that it leads within half a second of the API server's first answer, not within two.
            flags.put("leader-elect-retry-period", "500ms");
            // The unauthenticated port that 1.20 to 1.22 have besides: its number is the principal's.
            principal.value("port").ifPresent(_ -> flags.put("port", "0"));
        }
        if (component == Component.CONTROLLER_MANAGER && purpose == Purpose.PIVOT) {
            // It makes a ServiceAccount for each of its controllers before it signs the kubelet's certificate; with the
            // default of 20 requests a second that takes seconds.
            flags.put("kube-api-qps", "200");
            flags.put("kube-api-burst", "400");
            // No controller begins to work before this one has waited 10 s for a first look at the nodes (listNodes in
            // pkg/controller/nodeipam/ipam/cidr_allocator.go): start gives this node its pod CIDR instead.
            String controllers = Optional.of(principal.value(CONTROLLERS).orElse(""))
                    .filter(value -> !value.isEmpty())
                    .orElse("*");
            if (!controllers.contains(WITHOUT_NODE_IPAM)) {
                flags.put(CONTROLLERS, controllers + WITHOUT_NODE_IPAM);
            }
        }
        return principal.with(flags);
    }
}
