package dev.ouroboros.images.binary;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;

/** A processor architecture, by the names that Go, Debian and the JDK give it. */
public enum Architecture {
    AMD64("amd64", "x86_64-linux-gnu"),
    ARM64("arm64", "aarch64-linux-gnu");

    private final String goName;
    private final String libraryDirectory;

    Architecture(String goName, String libraryDirectory) {
        this.goName = goName;
        this.libraryDirectory = libraryDirectory;
    }

    /** As in Go's GOARCH, in OCI images and in Debian. */
    public String goName() {
        return goName;
    }

    /** The directory below {@code /usr/lib} in which Debian has its shared libraries. */
    public String libraryDirectory() {
        return libraryDirectory;
    }

    /** The architecture that the system property {@code os.arch} names. */
    public static Architecture of(String name) {
        return switch (name) {
            case "amd64", "x86_64" -> AMD64;
            case "aarch64", "arm64" -> ARM64;
            default ->
                throw ProblemException.of(
                        ErrorCode.MISSING_TOOL,
                        "this machine",
                        "has the architecture " + name,
                        "amd64 or arm64",
                        "run ouro on a machine with one of these");
        };
    }
}
