package dev.ouroboros.core.checkpoint;

import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.json.Json;
import dev.ouroboros.core.problem.Problem;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Makes a checkpoint of a pod, whole or not at all. */
@SuppressWarnings("DoNotCallSuggester") // signatures first
public final class Checkpointing {
    private Checkpointing() {}

    /** What came of it, when everything was known. */
    public sealed interface Result {
        /** All that the pod refers to was read, and this node's kubelet can run the understudy. */
        record Complete(Checkpoint checkpoint) implements Result {}

        /** It cannot be a static pod here, or a required object or key is not there. Each problem names its field. */
        record Refused(List<Problem> problems) implements Result {
            public Refused {
                problems = List.copyOf(problems);
            }
        }
    }

    /**
     * The checkpoint of a pod.
     *
     * @param pod as the API server has it
     * @param lookup the object, or that it does not exist, or that this is not known; asked once for each of
     *     {@link References#toRead}
     * @return unknown when any object is unknown: half a checkpoint is none
     */
    public static Evidence<Result> of(Json pod, Function<ApiObject, Evidence<Optional<Json>>> lookup, NodeFacts node) {
        throw new UnsupportedOperationException();
    }
}
