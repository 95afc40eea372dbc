package dev.ouroboros.bootstrap;

import dev.ouroboros.bootstrap.decide.PivotObservation;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.front.Server;
import dev.ouroboros.model.problem.Problem;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/** The API servers of this node and the way of clients to them, as {@link PivotObservation} names them. */
sealed interface ApiServerSources permits FrontSources, SharedPortSources {
    /** Begins to look. */
    void start(Loops loops);

    Evidence<Health> understudy();

    Evidence<Health> principal();

    Evidence<Set<Server>> readers();

    Evidence<Health> endpoint();

    Evidence<Server> endpointServer();

    Evidence<List<Problem>> frontProof();

    /** Reads now. */
    Evidence<PivotObservation.Front> readFront();

    static AtomicReference<Evidence<Health>> notProbed() {
        return new AtomicReference<>(Evidence.unknown("not probed yet"));
    }
}
