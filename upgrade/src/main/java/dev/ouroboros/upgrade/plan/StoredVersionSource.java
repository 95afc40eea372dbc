package dev.ouroboros.upgrade.plan;

import dev.ouroboros.core.upgrade.ClusterSeen.Stored;
import java.util.List;

/** Where the versions of stored objects are read from. */
public interface StoredVersionSource {
    /** @throws dev.ouroboros.model.problem.ProblemException when it cannot be read */
    List<Stored> stored();
}
