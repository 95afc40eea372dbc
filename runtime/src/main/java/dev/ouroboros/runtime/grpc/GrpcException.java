package dev.ouroboros.runtime.grpc;

import java.io.IOException;

/** A call that the server ended with another status than OK, or that took longer than it may. */
public final class GrpcException extends IOException {
    private static final long serialVersionUID = 1L;

    private final GrpcStatus status;

    public GrpcException(GrpcStatus status, String message) {
        super(message.isEmpty() ? status.name() : message);
        this.status = status;
    }

    public GrpcStatus status() {
        return status;
    }
}
