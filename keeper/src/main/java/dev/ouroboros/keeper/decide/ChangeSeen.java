package dev.ouroboros.keeper.decide;

import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.Problem;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * All that is known of a change of this node's API server. Each part has a source of its own.
 *
 * @param target what the API server's DaemonSet asks for now; empty when there is none, or its update strategy is not OnDelete
 * @param record what is recorded on disk about a change
 * @param lease which node may change its API server
 * @param principal what the server on the principal's port proves
 * @param understudy what the server on the understudy's port proves
 * @param trouble why the understudy's container does not run, in the words of kubelet and runtime; empty for nothing
 * @param understudyEnds how often a container of the understudy ended although it should have kept running
 */
public record ChangeSeen(
        Evidence<Optional<Target>> target,
        Evidence<ChangeRecord> record,
        Evidence<LeaseSeen> lease,
        Evidence<Proof> principal,
        Evidence<Proof> understudy,
        String trouble,
        int understudyEnds) {
    /** When nothing is known. */
    public static ChangeSeen unknown(String why) {
        return new ChangeSeen(
                Evidence.unknown(why),
                Evidence.unknown(why),
                Evidence.unknown(why),
                Evidence.unknown(why),
                Evidence.unknown(why),
                "",
                0);
    }

    /**
     * The DaemonSet's template, and what was made from it.
     *
     * @param component name of the DaemonSet
     * @param made what a pod of the template would be
     * @param madeFrom for each living pod of this node the hash of the template that it was made from
     * @param current hash of the template as it is now; empty while the DaemonSet controller has not named it
     * @param paused whether people want the change to wait
     * @param retry value of {@link ChangeReport#RETRY_ANNOTATION}
     * @param reported what the annotations say now
     * @param others what other nodes have to do with it
     */
    public record Target(
            ComponentName component,
            Made made,
            Map<String, String> madeFrom,
            Optional<String> current,
            boolean paused,
            String retry,
            Optional<ChangeReport> reported,
            Others others) {
        public Target {
            madeFrom = Map.copyOf(madeFrom);
        }

        /** Whether a pod was made from the template as it is now. */
        public boolean isCurrent(String podUid) {
            return current.isPresent() && current.get().equals(madeFrom.get(podUid));
        }
    }

    /**
     * What other control-plane nodes have to do with a template.
     *
     * @param several whether there are any
     * @param reporter name of the other node whose keeper wrote what the annotations say, which may be no control-plane node any more; empty when none did
     * @param tried value of {@link ChangeReport#RETRY_ANNOTATION} when it did
     * @param outdated whether pods of theirs may not be made from the template as it is now
     */
    public record Others(boolean several, String reporter, String tried, boolean outdated) {
        /** Where there are none. */
        public static final Others NONE = new Others(false, "", "", false);

        /** Whether the keeper of one of them wrote what the annotations say. */
        public boolean reported() {
            return several && !reporter.isEmpty();
        }
    }

    /** What a pod of the template would be. */
    public sealed interface Made {
        /** A candidate can be made, and can run beside the present server and those of other nodes. */
        record Complete(Revision revision) implements Made {}

        /**
         * A candidate must not run beside the present server or one of another node, or cannot be an understudy.
         *
         * @param revision if it has one
         * @param ofOthers whether servers of other nodes stand against it
         */
        record Refused(Optional<Revision> revision, List<Problem> problems, boolean ofOthers) implements Made {
            public Refused {
                problems = List.copyOf(problems);
            }
        }

        default Optional<Revision> named() {
            return switch (this) {
                case Complete(Revision revision) -> Optional.of(revision);
                case Refused(Optional<Revision> revision, List<Problem> _, boolean _) -> revision;
            };
        }
    }

    /** Who holds the Lease under which one node at a time changes its API server. */
    public sealed interface LeaseSeen {
        /** Nobody, or somebody who has not renewed it for too long. */
        record Free() implements LeaseSeen {}

        /** @param renewalDue whether it is time to renew it */
        record Mine(boolean renewalDue) implements LeaseSeen {}

        record OfAnother(String holder) implements LeaseSeen {}

        /**
         * Nobody has it, and nobody is to take it for a change: API servers of other nodes do not serve.
         *
         * @param servers their addresses
         */
        record Withheld(SortedSet<String> servers) implements LeaseSeen {
            public Withheld {
                servers = Collections.unmodifiableSortedSet(new TreeSet<>(servers));
            }
        }

        /** The same while these API servers of other nodes do not serve: who has begun goes on. */
        default LeaseSeen withoutServers(Set<String> servers) {
            return this instanceof Free && !servers.isEmpty() ? new Withheld(new TreeSet<>(servers)) : this;
        }
    }
}
