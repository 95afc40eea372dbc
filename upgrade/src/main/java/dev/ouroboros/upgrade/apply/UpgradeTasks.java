package dev.ouroboros.upgrade.apply;

import dev.ouroboros.upgrade.decide.UpgradeMilestone;

/** What an upgrade does outside of the objects of the cluster. Each task may be interrupted and done again. */
public interface UpgradeTasks {
    /** Saves etcd. */
    UpgradeJournal.Snapshot save(UpgradeJournal journal);

    /** Runs what people wanted to be run before or after. */
    void hook(UpgradeMilestone mark, UpgradeJournal journal);

    /** Sees to the images of the target. */
    void images(NamedManifests target);

    /** Keeps aside what the asset directory has, unless that was done already. */
    void keep(UpgradeJournal journal);

    /** Writes the target into the asset directory. */
    void render(UpgradeJournal journal);

    /**
     * Tries the cluster as people use it, and whether it is of the version that the journal says.
     *
     * @throws dev.ouroboros.model.problem.ProblemException with what does not work
     */
    void accept(UpgradeJournal journal);
}
