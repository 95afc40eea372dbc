package dev.ouroboros.runtime.image;

import java.io.IOException;

/** A file that is no image archive of ours, or not a whole one. */
final class DamagedArchiveException extends IOException {
    private static final long serialVersionUID = 1L;

    DamagedArchiveException(String message) {
        super(message);
    }

    DamagedArchiveException(IOException cause) {
        super(
                "cannot be read: "
                        + (cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage()),
                cause);
    }
}
