package dev.ouroboros.upgrade.plan;

import dev.ouroboros.upgrade.decide.ClusterSeen.Stored;
import java.util.List;

/** Where the versions of stored objects are read from. */
public interface StoredVersionSource {
    /** @throws dev.ouroboros.model.problem.ProblemException when it cannot be read */
    List<Stored> stored();
}
