package dev.ouroboros.keeper.succession;

import dev.ouroboros.keeper.decide.Successor;
import dev.ouroboros.model.evidence.Evidence;

/** Which of a node's keepers acts, and how the next one comes to it. At most one acts; another may look on. */
public interface Succession extends AutoCloseable {
    /** Whether this keeper acts from now on, because nobody else does. To be asked again until it says so. */
    boolean begin();

    /** Tells whoever acts that this keeper sees the node and decides. */
    void tellThatItDecides();

    /** How far the next keeper is. */
    Evidence<Successor> successor();

    /** Lets the next keeper start, and look on. */
    void admit();

    @Override
    void close();
}
