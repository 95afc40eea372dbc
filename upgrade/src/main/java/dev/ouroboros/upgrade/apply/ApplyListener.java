package dev.ouroboros.upgrade.apply;

import dev.ouroboros.change.ChangeListener;
import dev.ouroboros.core.upgrade.ObjectName;
import java.util.List;

/** Hears what is being done, for people. */
public interface ApplyListener extends ChangeListener {
    /** An object was written; these changes of others are still in it. */
    void wrote(ObjectName object, List<String> kept);
}
