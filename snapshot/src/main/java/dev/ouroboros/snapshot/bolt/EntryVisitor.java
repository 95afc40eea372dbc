package dev.ouroboros.snapshot.bolt;

/** Takes the entries of a bucket in the order of their keys. */
public interface EntryVisitor {
    /** @throws DamageException when the value makes no sense; it is noted, and the next entry comes */
    void visit(Entry entry) throws DamageException;
}
