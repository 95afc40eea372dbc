package dev.ouroboros.upgrade.apply;

import dev.ouroboros.core.upgrade.Mark;

/** What an upgrade does outside of the objects of the cluster. Each may be interrupted and done again. */
public interface Deeds {
    /** Saves etcd. */
    Journal.Snapshot save(Journal journal);

    /** Runs what people wanted to be run before or after. */
    void hook(Mark mark, Journal journal);

    /** Sees to the images of the target. */
    void images(Manifests target);

    /** Keeps aside what the asset directory has; what is there already stays. */
    void keep(Journal journal);

    /** Makes the asset directory the target's. */
    void render(Journal journal);

    /**
     * Tries the cluster as people use it.
     *
     * @throws dev.ouroboros.core.problem.ProblemException with what does not work
     */
    void accept();
}
