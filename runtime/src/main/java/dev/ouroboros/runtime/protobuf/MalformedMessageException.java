package dev.ouroboros.runtime.protobuf;

import java.io.IOException;

/** Bytes that are no protobuf message, or not one of the expected shape. */
public final class MalformedMessageException extends IOException {
    private static final long serialVersionUID = 1L;

    public MalformedMessageException(String message) {
        super(message);
    }
}
