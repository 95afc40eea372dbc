package dev.ouroboros.upgrade.decide;

import dev.ouroboros.change.decide.HeldRollout;
import dev.ouroboros.change.decide.Rollout;
import dev.ouroboros.upgrade.decide.StageSeen.ObjectSeen;
import dev.ouroboros.upgrade.merge.Conflict;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Decides how a cluster becomes what its target says. Only what the cluster does not show is remembered ({@link UpgradeMilestone});
 * everything else is read anew each time, so that an upgrade that was killed at any point goes on when it is run again.
 *
 * <ol>
 *   <li>Forward: etcd is saved, hooks run, images are ready, and then the asset directory becomes the target's. Back: only the asset
 *       directory changes.
 *   <li>Stage by stage, in {@link UpgradeStage#order}: what differs from the merged target is written, all of a stage at once; then
 *       its pods must be of the new template and ready, but for those on nodes that are away, which follow when they are back. Where a template asks for another role of nodes ({@link RoleMove}), the nodes
 *       have it before. A stage is looked at only when those before it are at rest.
 *   <li>The cluster is tested as people use it, hooks run, done.
 * </ol>
 *
 * <p>A conflict stops before anything of its stage is written. A rollout that ended badly stops everything; nothing of later stages was
 * touched then.
 */
public final class Apply {
    private static final List<UpgradeMilestone> BEFORE = List.of(
            UpgradeMilestone.SAVED, UpgradeMilestone.HOOKED_BEFORE, UpgradeMilestone.IMAGES, UpgradeMilestone.RENDERED);
    private static final List<UpgradeMilestone> BEFORE_GOING_BACK = List.of(UpgradeMilestone.RENDERED);
    private static final List<UpgradeMilestone> AFTER =
            List.of(UpgradeMilestone.ACCEPTED, UpgradeMilestone.HOOKED_AFTER);
    private static final List<UpgradeMilestone> AFTER_GOING_BACK = List.of(UpgradeMilestone.ACCEPTED);

    private Apply() {}

    /**
     * The next step.
     *
     * @param done milestones that were reached
     * @param look reads the state of a stage; called only for stages whose turn it may be
     */
    public static Step decide(Direction direction, Set<UpgradeMilestone> done, Function<UpgradeStage, StageSeen> look) {
        if (done.contains(UpgradeMilestone.DONE)) {
            return new Step.Finished();
        }
        boolean isForward = direction == Direction.FORWARD;
        for (UpgradeMilestone mark : isForward ? BEFORE : BEFORE_GOING_BACK) {
            if (!done.contains(mark)) {
                return new Step.Perform(mark);
            }
        }
        for (UpgradeStage stage : UpgradeStage.order(direction)) {
            Step step = ofStage(stage, look.apply(stage));
            if (!(step instanceof Step.Finished)) {
                return step;
            }
        }
        for (UpgradeMilestone mark : isForward ? AFTER : AFTER_GOING_BACK) {
            if (!done.contains(mark)) {
                return new Step.Perform(mark);
            }
        }
        return new Step.Perform(UpgradeMilestone.DONE);
    }

    private static Step ofStage(UpgradeStage stage, StageSeen seen) {
        Map<ObjectName, List<Conflict>> conflicts = new LinkedHashMap<>();
        seen.objects().stream()
                .filter(object -> !object.conflicts().isEmpty())
                .forEach(object -> conflicts.put(object.name(), object.conflicts()));
        if (!conflicts.isEmpty()) {
            return new Step.Choose(conflicts);
        }
        List<ObjectName> differing = seen.objects().stream()
                .filter(ObjectSeen::differs)
                .map(ObjectSeen::name)
                .toList();
        if (!differing.isEmpty()) {
            return new Step.Write(stage, differing);
        }
        for (ObjectSeen object : seen.objects()) {
            switch (object.rollout()) {
                case Rollout.Stopped(String why) -> {
                    return new Step.Stop(stage, object.name(), why);
                }
                case Rollout.Moving(String why) -> {
                    switch (object.held()) {
                        case HeldRollout.NotHeld() -> {
                            return new Step.Wait(stage, object.name() + ": " + why);
                        }
                        case HeldRollout.Next next -> {
                            return new Step.Replace(object.name(), next);
                        }
                        case HeldRollout.SettledElsewhere _ -> {}
                    }
                }
                case Rollout.Settled() -> {}
            }
        }
        return new Step.Finished();
    }
}
