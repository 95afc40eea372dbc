package dev.ouroboros.node.packages;

import java.util.List;

/** Hears what is about to be installed, before it is, and what apt says meanwhile. */
public interface PackageListener {
    /** Called before anything on this machine changes. */
    default void installing(List<String> packages) {
        progress("installing Debian packages: " + String.join(" ", packages));
    }

    /** A line that apt printed. */
    void progress(String line);
}
