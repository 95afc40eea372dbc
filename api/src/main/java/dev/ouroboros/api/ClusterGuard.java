package dev.ouroboros.api;

import dev.ouroboros.api.ApiException.Kind;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ProblemException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes sure that the API server that answers belongs to our cluster. Clusters have no name of their own, but the UID of the namespace kube-system is
 * unique and lives as long as the cluster. The first UID ever seen on this node is written down: that cluster is ours.
 *
 * <p>The guard is asked before each list and each write, and remembers its answer for a moment. To be believed, a server of another cluster would
 * have to take over the address within that moment, accept our client certificate and be certified by our authority.
 */
public final class ClusterGuard {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterGuard.class);
    private static final Duration REMEMBERED = Duration.ofSeconds(5);
    private static final ApiPath IDENTITY = ApiPath.core("namespaces").named("kube-system");
    private static final ApiPath VERSION = new ApiPath("/version");

    private final Api client;
    private final ClusterMemory memory;
    private final InstantSource clock;
    private final AtomicBoolean foreign = new AtomicBoolean();
    private Optional<Instant> verified = Optional.empty();

    /** What the guard remembers beyond the life of the process. */
    public interface ClusterMemory {
        /**
         * The cluster's identity, if one was ever written down.
         *
         * @throws ProblemException when that cannot be told
         */
        Optional<String> clusterId();

        /**
         * Writes down whose node this is; called once in the life of a node.
         *
         * @throws ProblemException when the disk refuses
         */
        void adopt(String clusterId);

        /** An API server of this version serves. */
        void served(String version);
    }

    public ClusterGuard(Api client, ClusterMemory memory, InstantSource clock) {
        this.client = client;
        this.memory = memory;
        this.clock = clock;
    }

    /** @throws ApiException OTHER_CLUSTER, or why it cannot be told */
    public synchronized void require() throws ApiException {
        Instant now = clock.instant();
        if (verified.isPresent() && now.isBefore(verified.get().plus(REMEMBERED))) {
            return;
        }
        verified = Optional.empty();
        String answering = client.get(IDENTITY)
                .at("metadata", "uid")
                .text()
                .filter(uid -> !uid.isEmpty())
                .orElseThrow(() -> new ApiException(Kind.GARBAGE, IDENTITY + ": has no uid"));
        String ours = identity(answering);
        if (!ours.equals(answering)) {
            if (!foreign.getAndSet(true)) {
                LOG.error("component=api-client event=foreign-cluster cluster={} expected={}", answering, ours);
            }
            throw new ApiException(
                    Kind.OTHER_CLUSTER,
                    "the API server that answers is of cluster " + answering + ", this node belongs to " + ours);
        }
        foreign.set(false);
        Json version = client.get(VERSION);
        version.at("gitVersion").text().ifPresent(memory::served);
        verified = Optional.of(clock.instant());
    }

    /** The identity of our cluster; that of the cluster that answers, if none was ever written down. */
    private String identity(String answering) throws ApiException {
        try {
            Optional<String> ours = memory.clusterId();
            if (ours.isEmpty()) {
                memory.adopt(answering);
                LOG.info("component=api-client event=adopted-cluster cluster={}", answering);
            }
            return ours.orElse(answering);
        } catch (ProblemException e) {
            throw new ApiException(Kind.NO_IDENTITY, "whose node this is: " + e.describe(), e);
        }
    }

    /** Whether another cluster's API server answered last. */
    public boolean sawForeignCluster() {
        return foreign.get();
    }
}
