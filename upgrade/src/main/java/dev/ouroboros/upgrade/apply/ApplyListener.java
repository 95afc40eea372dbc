package dev.ouroboros.upgrade.apply;

import dev.ouroboros.core.upgrade.ObjectName;
import java.time.Duration;
import java.util.List;

/** Hears what is being done, for people. */
public interface ApplyListener {
    /** Something was done. */
    void did(String what);

    /** An object was written; these changes of others are still in it. */
    void wrote(ObjectName object, List<String> kept);

    /** Something else has to happen first: at once, and again while it takes long. */
    void waits(String why, Duration since);
}
