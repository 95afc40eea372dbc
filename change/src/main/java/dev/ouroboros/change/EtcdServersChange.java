package dev.ouroboros.change;

import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.ClusterReader;
import dev.ouroboros.cluster.ClusterWriter;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.EtcdServersFlag;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.Journal;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureListener;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

/** Has the API servers of a cluster look for etcd where its members are; the keepers exchange them without an outage. */
public final class EtcdServersChange {
    private final ControlPlaneObjects plane;
    private final ProcedureListener listener;
    private final Patience patience;

    /** @param limit how long one thing is waited for */
    public EtcdServersChange(ClusterClient client, ProcedureListener listener, Duration limit, InstantSource clock) {
        this(
                new ClusterChangeApi(new ClusterReader(client), new ClusterWriter(client)),
                listener,
                new Patience(listener, limit, clock));
    }

    EtcdServersChange(ChangeApi api, ProcedureListener listener, Patience patience) {
        this.plane = new ControlPlaneObjects(api);
        this.listener = listener;
        this.patience = patience;
    }

    /**
     * What the API servers know.
     *
     * @param isChanged whether they knew other URLs before
     */
    public record Outcome(List<String> urls, boolean isChanged) {
        public Outcome {
            urls = List.copyOf(urls);
        }
    }

    /**
     * Changes the flag, and waits until every API server has it. Run again it goes on.
     *
     * @param members client URLs of the members that are to be known; second ports of their hosts that are known stay so
     * @throws ProblemException CHANGE_REFUSED before anything was done while a control-plane node is not ready; UNSUPPORTED_CLUSTER, COMPONENT_FAILED when API servers do not start with them, TIMEOUT when nothing moves
     */
    public Outcome to(List<String> members) {
        Json first = patience.asking(plane::daemonSet);
        List<String> now = EtcdServersFlag.of(first);
        // Where one is off, its API server would not be exchanged, and be waited for in vain.
        patience.asking(
                () -> plane.requireReadyNodes(first, "its API server would go on looking for etcd where it did", ""));
        List<String> urls = EtcdServersFlag.of(now, members);
        boolean isChanged = !now.equals(urls);
        listener.did(
                isChanged
                        ? "API servers are to look for etcd at " + String.join(", ", urls)
                        : "the template says so already: " + String.join(", ", urls));
        EtcdServersProcedure procedure = new EtcdServersProcedure(plane, urls, patience::moment);
        patience.run(procedure, Journal.none(), EtcdServersProcedure.begin(first));
        return new Outcome(urls, isChanged);
    }
}
