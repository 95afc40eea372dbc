package dev.ouroboros.change;

import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.ClusterReader;
import dev.ouroboros.cluster.ClusterWriter;
import dev.ouroboros.core.change.Abort;
import dev.ouroboros.core.json.Json;
import dev.ouroboros.core.keeper.ChangeReport;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import java.util.Optional;
import java.util.function.Predicate;

/** Holds a change of the API server, lets it go on, or takes it back; what kubectl does with an annotation or {@code rollout undo}. */
public final class Steering {
    private static final int TRIES = 20;

    private final ControlPlane plane;

    public Steering(ClusterClient client) {
        this.plane = new ControlPlane(new ClusterChangeApi(new ClusterReader(client), new ClusterWriter(client)));
    }

    public void pause() {
        write(set -> plane.annotate(set, ChangeReport.PAUSED_ANNOTATION, Optional.of("true")));
    }

    public void resume() {
        write(set -> plane.annotate(set, ChangeReport.PAUSED_ANNOTATION, Optional.empty()));
    }

    /** Gives the template back to what ran before the change. */
    public void abort() {
        write(set -> plane.replace(Abort.of(set, plane.apiServerPods(set), plane.controllerRevisions(set))));
    }

    /** The keeper writes annotations at the same time: a conflict is a reason to read and try again. */
    private void write(Predicate<Json> change) {
        for (int attempt = 0; attempt < TRIES; attempt++) {
            if (change.test(plane.daemonSet())) {
                return;
            }
        }
        throw ProblemException.of(
                ErrorCode.API_UNAVAILABLE,
                "DaemonSet kube-system/kube-apiserver",
                "was changed by others " + TRIES + " times meanwhile",
                "",
                "run the same command again");
    }
}
