package dev.ouroboros.sim;

import java.util.HashSet;
import java.util.Set;

/** Which machines of a cluster reach each other: those that have power and no cut between them. */
final class Network {
    private final Set<Cut> cuts = new HashSet<>();

    private record Cut(Machine from, Machine to) {}

    boolean reaches(Machine from, Machine to) {
        return from == to || (to.isPowered() && (cuts.isEmpty() || !cuts.contains(new Cut(from, to))));
    }

    /** Nothing passes between the two, in either direction. */
    void cut(Machine one, Machine other) {
        cuts.add(new Cut(one, other));
        cuts.add(new Cut(other, one));
    }

    void heal() {
        cuts.clear();
    }
}
