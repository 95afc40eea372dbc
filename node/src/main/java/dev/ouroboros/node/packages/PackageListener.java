package dev.ouroboros.node.packages;

import java.util.List;

/** Hears what is going to be installed, and the lines that apt prints meanwhile. */
public interface PackageListener {
    /** Called before anything on this machine changes. */
    default void installing(List<String> packages) {
        progress("installing Debian packages: " + String.join(" ", packages));
    }

    /** A line that apt printed. */
    void progress(String line);
}
