package dev.ouroboros.keeper.balancer;

import dev.ouroboros.api.ApiException;
import dev.ouroboros.keeper.balancer.decide.RemoteHealth;
import dev.ouroboros.keeper.observe.Lookouts;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.front.ServerAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * Asks API servers of other nodes how they are. Each has a turn of its own as long as they are not too many: one that says nothing holds up no
 * other.
 */
final class RemoteServers {
    private static final int TURNS = 8;
    private static final Duration EVERY = Duration.ofSeconds(1);

    private final Function<ServerAddress, RemoteProbe> probes;
    private final Runnable changed;
    private final SortedMap<ServerAddress, Asked> asked = new TreeMap<>();
    private Optional<Lookouts> lookouts = Optional.empty();
    private int turns;

    /** A server, and what it said last. Whoever ends it does not wait for a question under way: who asked closes the probe then. */
    private static final class Asked {
        private final RemoteProbe probe;
        private final ReentrantLock asking = new ReentrantLock();
        private volatile RemoteHealth health = RemoteHealth.NOT_ASKED;
        private volatile boolean ended;

        Asked(RemoteProbe probe) {
            this.probe = probe;
        }

        /** Whether it says something else than before. */
        boolean ask() {
            if (ended || !asking.tryLock()) {
                return false;
            }
            RemoteHealth before = health;
            try {
                health = probe.ask(before.health().orElse(new Health.NotListening()));
            } catch (ApiException e) {
                health = RemoteHealth.present(Evidence.unknown(String.valueOf(e.getMessage())));
            } finally {
                asking.unlock();
                closeIfEnded();
            }
            return !health.equals(before);
        }

        void end() {
            ended = true;
            closeIfEnded();
        }

        private void closeIfEnded() {
            if (ended && asking.tryLock()) {
                try {
                    probe.close();
                } finally {
                    asking.unlock();
                }
            }
        }
    }

    /**
     * @param probes makes one for a server
     * @param changed told when a server says something else than before
     */
    RemoteServers(Function<ServerAddress, RemoteProbe> probes, Runnable changed) {
        this.probes = probes;
        this.changed = changed;
    }

    synchronized void start(Lookouts given) {
        lookouts = Optional.of(given);
        begin(given);
    }

    /** A turn that has begun stays: on a node that never had another server none wakes the processor. */
    private void begin(Lookouts given) {
        while (turns < Math.min(TURNS, asked.size())) {
            int own = turns++;
            given.every("server-" + own, EVERY, () -> ask(own));
        }
    }

    private void ask(int turn) {
        List<Asked> all = all();
        for (int index = turn; index < all.size(); index += TURNS) {
            if (all.get(index).ask()) {
                changed.run();
            }
        }
    }

    private synchronized List<Asked> all() {
        return new ArrayList<>(asked.values());
    }

    /** Those that are asked from now on. */
    void want(SortedSet<ServerAddress> servers) {
        List<Asked> left = new ArrayList<>();
        synchronized (this) {
            for (ServerAddress former : new TreeSet<>(asked.keySet())) {
                if (!servers.contains(former)) {
                    left.add(asked.remove(former));
                }
            }
            servers.forEach(server -> asked.computeIfAbsent(server, added -> new Asked(probes.apply(added))));
            lookouts.ifPresent(this::begin);
        }
        left.forEach(Asked::end);
    }

    /** What each said last. */
    synchronized SortedMap<ServerAddress, RemoteHealth> health() {
        SortedMap<ServerAddress, RemoteHealth> all = new TreeMap<>();
        asked.forEach((server, one) -> all.put(server, one.health));
        return all;
    }
}
