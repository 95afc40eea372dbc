package dev.ouroboros.node.doctor;

import dev.ouroboros.model.ailment.Finding;
import java.util.List;

/** Looks at one thing. Changes nothing; takes seconds at most. */
interface Check {
    /** What was found, one finding at least. */
    List<Finding> run();
}
