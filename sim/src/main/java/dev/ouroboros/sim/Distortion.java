package dev.ouroboros.sim;

import dev.ouroboros.api.Api;
import dev.ouroboros.keeper.decide.Decision;
import dev.ouroboros.keeper.decide.KeeperSettings;
import dev.ouroboros.keeper.decide.Observation;
import dev.ouroboros.keeper.observe.LocalServers;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.testing.ModelDisk;

/** Where a defect can be put back into a keeper, to see whether a simulation finds it. */
interface Distortion {
    /** The keeper as it is. */
    Distortion NONE = new Distortion() {};

    default KeeperSettings settings(KeeperSettings settings) {
        return settings;
    }

    default void prepare(ModelDisk disk) {}

    default Disk disk(Disk disk) {
        return disk;
    }

    default Api api(Api api) {
        return api;
    }

    default LocalServers servers(LocalServers servers) {
        return servers;
    }

    default Observation seen(Observation seen) {
        return seen;
    }

    default Decision decided(Observation seen, Decision decision) {
        return decision;
    }
}
