package dev.ouroboros.runtime.grpc;

/** How a call ended. */
public enum GrpcStatus {
    OK(0),
    CANCELLED(1),
    UNKNOWN(2),
    INVALID_ARGUMENT(3),
    DEADLINE_EXCEEDED(4),
    NOT_FOUND(5),
    ALREADY_EXISTS(6),
    PERMISSION_DENIED(7),
    RESOURCE_EXHAUSTED(8),
    FAILED_PRECONDITION(9),
    ABORTED(10),
    OUT_OF_RANGE(11),
    UNIMPLEMENTED(12),
    INTERNAL(13),
    UNAVAILABLE(14),
    DATA_LOSS(15),
    UNAUTHENTICATED(16);

    private final int code;

    GrpcStatus(int code) {
        this.code = code;
    }

    /** The number of the {@code grpc-status} header. */
    public int code() {
        return code;
    }

    /** The status that a {@code grpc-status} header names; UNKNOWN when it names none. */
    static GrpcStatus of(String header) {
        for (GrpcStatus status : values()) {
            if (Integer.toString(status.code).equals(header)) {
                return status;
            }
        }
        return UNKNOWN;
    }
}
