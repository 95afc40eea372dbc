package dev.ouroboros.runtime.grpc;

import java.net.ProtocolException;

/** How many bytes may be sent; it can be negative (RFC 9113, section 6.9.2). */
final class Window {
    private long bytes;

    Window(int bytes) {
        this.bytes = bytes;
    }

    long bytes() {
        return bytes;
    }

    void grow(int increment) throws ProtocolException {
        bytes += increment;
        if (bytes > Integer.MAX_VALUE) {
            throw new ProtocolException("a window of more than 2^31 - 1 bytes");
        }
    }

    void use(int sent) {
        bytes -= sent;
    }
}
