package dev.ouroboros.bootstrap;

import dev.ouroboros.bootstrap.decide.PivotAction;
import dev.ouroboros.bootstrap.decide.PivotDecision.Planned;
import dev.ouroboros.bootstrap.decide.PivotReason;
import dev.ouroboros.node.action.ActionRunner;
import dev.ouroboros.node.action.Task;
import java.time.Duration;

/**
 * An action of a pivot as a task. What writes files and moves the front runs one after the other, in the order decided; every other action has a
 * lane of its own.
 */
public abstract class PivotTask implements Task<PivotAction> {
    /** A decision is made twice a second: after five seconds without one the process stood still. */
    public static final ActionRunner.Settings SETTINGS =
            new ActionRunner.Settings(Duration.ofSeconds(1), Duration.ofSeconds(5));

    private static final String NODE = "node";

    private final Planned planned;

    protected PivotTask(Planned planned) {
        this.planned = planned;
    }

    @Override
    public final PivotAction action() {
        return planned.action();
    }

    protected final PivotReason reason() {
        return planned.reason();
    }

    @Override
    public final String lane() {
        return switch (action()) {
            case PivotAction.InstallFront _,
                    PivotAction.PointFrontToUnderstudy _,
                    PivotAction.PointFrontToPrincipal _,
                    PivotAction.CopySecrets _,
                    PivotAction.RemoveSecrets _,
                    PivotAction.WriteManifest _,
                    PivotAction.RemoveManifest _ -> NODE;
            // Proving the front takes seconds when a firewall drops packets, and the front's lease must be renewed
            // meanwhile.
            case PivotAction.ProveFront _,
                    PivotAction.RestartKubelet _,
                    PivotAction.ApplyManifests _,
                    PivotAction.ApplyApiServer _,
                    PivotAction.ApplyWorkloads _,
                    PivotAction.LabelNode _,
                    PivotAction.WriteServiceEndpoints _,
                    PivotAction.DeleteOutdatedApiServer _,
                    PivotAction.ReleaseLeaderLease _,
                    PivotAction.RunAcceptance _ -> action().toString();
        };
    }

    /** Its effect is read before an action counts as done; only the deletion of a pod is shown by a watch, a little later. */
    @Override
    public final Kind kind() {
        return action() instanceof PivotAction.DeleteOutdatedApiServer ? Kind.SHOWN_LATER : Kind.USUAL;
    }
}
