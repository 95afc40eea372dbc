package dev.ouroboros.snapshot.etcd;

import java.util.OptionalLong;

/**
 * How a damaged key space was read.
 *
 * @param rootPage the newest page found from which a whole tree hangs; what is at revisions later than the tree's, or everything when
 *     there is none, is read from leaf pages wherever they are
 * @param treeRevision the newest in that tree
 * @param leafPages in the file, in use or freed
 * @param overwritten those of them that are no longer whole
 * @param records read, copies of the same change included
 * @param newestRevision of them
 * @param compactedRevision the latest of which a trace was found, 0 when etcd was never compacted; empty when that is not known
 * @param missingChanges revisions after that of which no record is left; empty when it is not known where to begin to count
 */
public record Salvage(
        OptionalLong rootPage,
        OptionalLong treeRevision,
        long leafPages,
        long overwritten,
        long records,
        long newestRevision,
        OptionalLong compactedRevision,
        OptionalLong missingChanges) {}
