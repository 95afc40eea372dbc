package dev.ouroboros.upgrade.apply;

import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.upgrade.decide.ObjectName;
import java.util.List;

/** Is told what is being done, to show it to people. */
public interface ApplyListener extends ProcedureListener {
    /** An object was written; it still has these changes that others made. */
    void wrote(ObjectName object, List<String> kept);
}
