package dev.ouroboros.upgrade.apply;

import dev.ouroboros.change.decide.EarlierServers;
import dev.ouroboros.change.decide.HeldRollout;
import dev.ouroboros.cluster.ClusterWriter;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.upgrade.decide.RoleMove;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What an upgrade needs of an API server. Every method may throw API_UNAVAILABLE; the caller then asks again. */
public interface ApplyApi {
    /** Whether the server knows a manifest's kind in the version that it is written in. */
    boolean serves(Json manifest);

    /** The object with a manifest's kind and name, in the manifest's version; empty when there is none. */
    Optional<Json> read(Json manifest);

    /** What an object would be stored as, with the server's defaults; empty when the server would refuse it. */
    Optional<Json> preview(Json object);

    ClusterWriter.Outcome create(Json object);

    ClusterWriter.Outcome replace(Json object);

    /** Deletes an object that was read, and no other of its name. */
    ClusterWriter.Outcome delete(Json object);

    /** Gives every Node that has the roles from which a workload moves those to which it moves, where a Node lacks them. */
    void label(RoleMove move);

    /** The Nodes with these labels that are ready. */
    List<Json> nodes(Map<String, String> labels);

    /** Whether nodes that are away hold up a rollout of a DaemonSet that is under way. */
    HeldRollout held(Json daemonSet);

    /** What {@link EarlierServers} waits for, of the API server's DaemonSet. */
    Optional<String> earlierServers(Json daemonSet);

    /** Pods of a namespace with these labels. */
    List<Json> pods(String namespace, Map<String, String> labels);
}
