package dev.ouroboros.runtime.problem;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.runtime.grpc.GrpcException;
import dev.ouroboros.runtime.protobuf.MalformedMessageException;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.file.Path;
import java.util.Locale;

/** Turns what went wrong on a runtime's socket into a problem that says what to do. */
public final class RuntimeProblems {
    private static final String LOG = "see the runtime's own log: journalctl -u containerd";

    private final Path socket;

    public RuntimeProblems(Path socket) {
        this.socket = socket;
    }

    /** @param asked what was asked of the runtime, for example {@code its pods} */
    public ProblemException of(String asked, IOException failure) {
        return new ProblemException(
                failure instanceof GrpcException ended ? ended(asked, ended) : unreachable(failure), failure);
    }

    private Problem ended(String asked, GrpcException failure) {
        return switch (failure.status()) {
            case DEADLINE_EXCEEDED, CANCELLED ->
                problem(
                        ErrorCode.TIMEOUT,
                        "asked for " + asked + ", the container runtime did not answer: " + failure.getMessage(),
                        "look at the runtime's own log: it hangs, or the machine is overloaded");
            case UNAVAILABLE ->
                problem(
                        ErrorCode.RUNTIME_UNAVAILABLE,
                        "the container runtime ended the call: " + failure.getMessage(),
                        LOG);
            default ->
                problem(
                        ErrorCode.RUNTIME_REFUSED,
                        "asked for " + asked + ", the container runtime said " + failure.status() + ": "
                                + failure.getMessage(),
                        LOG);
        };
    }

    private Problem unreachable(IOException failure) {
        String detail = failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
        if (detail.toLowerCase(Locale.ROOT).contains("permission denied")) {
            return problem(
                    ErrorCode.MISSING_PERMISSION,
                    "the container runtime's socket cannot be used: " + detail,
                    "run as root");
        }
        if (failure instanceof MalformedMessageException || failure instanceof ProtocolException) {
            return problem(
                    ErrorCode.RUNTIME_UNAVAILABLE,
                    "this is no container runtime, or a broken one: " + detail,
                    "check that this is the socket of the node's container runtime");
        }
        return problem(
                ErrorCode.RUNTIME_UNAVAILABLE,
                "the container runtime does not answer: " + detail,
                "check that it runs and that this is its socket");
    }

    private Problem problem(ErrorCode code, String what, String next) {
        return new Problem(code, socket.toString(), what, "", next);
    }
}
