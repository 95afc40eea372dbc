package dev.ouroboros.change;

import dev.ouroboros.change.decide.Abort;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.ClusterReader;
import dev.ouroboros.cluster.ClusterWriter;
import dev.ouroboros.keeper.decide.ChangeReport;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Holds a change of the API server or lets it go on, as kubectl does with an annotation; and takes a change of the control plane back. */
public final class Steering {
    private static final int TRIES = 20;

    private final ControlPlaneObjects plane;

    public Steering(ClusterClient client) {
        this(new ClusterChangeApi(new ClusterReader(client), new ClusterWriter(client)));
    }

    Steering(ChangeApi api) {
        this.plane = new ControlPlaneObjects(api);
    }

    public void pause() {
        daemonSet(set -> plane.annotate(set, ChangeReport.PAUSED_ANNOTATION, Optional.of("true")));
    }

    public void resume() {
        daemonSet(set -> plane.annotate(set, ChangeReport.PAUSED_ANNOTATION, Optional.empty()));
    }

    /**
     * Gives the template of what runs back.
     *
     * @param component API server, controller manager or scheduler
     */
    public void abort(Component component) {
        if (component == Component.API_SERVER) {
            daemonSet(set -> plane.replace(Abort.of(set, plane.apiServerPods(set), plane.controllerRevisions(set))));
        } else {
            write(
                    "Deployment kube-system/" + component.id(),
                    () -> plane.deployment(component.id()),
                    deployment -> plane.replace(Abort.ofDeployment(deployment, plane.replicaSets(deployment))));
        }
    }

    private void daemonSet(Predicate<Json> change) {
        write("DaemonSet kube-system/kube-apiserver", plane::daemonSet, change);
    }

    /** Keeper and controllers write at the same time: a conflict is a reason to read and try again. */
    private static void write(String workload, Supplier<Json> read, Predicate<Json> change) {
        for (int attempt = 0; attempt < TRIES; attempt++) {
            if (change.test(read.get())) {
                return;
            }
        }
        throw ProblemException.of(
                ErrorCode.API_UNAVAILABLE,
                workload,
                "was changed by others " + TRIES + " times meanwhile",
                "",
                "run the same command again");
    }
}
