package dev.ouroboros.core.keeper;

import java.time.Instant;
import java.util.List;
import java.util.TreeMap;

/** Decides what a keeper does next. Pure: no I/O, no clock. */
public final class Keeper {
    private final Settings settings;

    public Keeper(Settings settings) {
        this.settings = settings;
    }

    public Decision decide(Observation seen, KeeperState state, Instant now) {
        return new Decision(state, List.of(), new TreeMap<>());
    }

    public Settings settings() {
        return settings;
    }
}
