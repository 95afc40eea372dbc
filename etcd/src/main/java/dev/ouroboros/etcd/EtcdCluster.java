package dev.ouroboros.etcd;

import dev.ouroboros.etcd.EtcdAlarms.Alarm;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * An etcd as its members tell of it.
 *
 * @param members as the member that is furthest on has them in its list
 * @param statuses what each member of the list says of itself, by its ID
 * @param hashes of the key spaces of members that follow the leader, by their IDs, at one revision of all; empty when nobody asked for them
 * @param walSyncs how fast the disks of members are, by their IDs; empty when nobody asked for that
 * @param alarms that are raised; unknown without a majority
 */
public record EtcdCluster(
        List<EtcdMember> members,
        SortedMap<String, Evidence<EtcdMemberStatus>> statuses,
        SortedMap<String, Evidence<Hash>> hashes,
        SortedMap<String, Evidence<WalSyncs>> walSyncs,
        Evidence<List<Alarm>> alarms) {
    /**
     * Of a key space.
     *
     * @param compacted revision up to which it was compacted: two hashes can be compared when theirs are the same
     */
    public record Hash(long revision, long compacted, long value) {}

    /** How many entries a member may be behind and count as current. */
    private static final long CLOSE = 100;

    public EtcdCluster {
        members = List.copyOf(members);
        statuses = Collections.unmodifiableSortedMap(new TreeMap<>(statuses));
        hashes = Collections.unmodifiableSortedMap(new TreeMap<>(hashes));
        walSyncs = Collections.unmodifiableSortedMap(new TreeMap<>(walSyncs));
    }

    /** Those with a vote. */
    public List<EtcdMember> voters() {
        return members.stream().filter(member -> !member.isLearner()).toList();
    }

    /** How many voters must agree. */
    public int majority() {
        return voters().size() / 2 + 1;
    }

    public Evidence<EtcdMemberStatus> statusOf(EtcdMember member) {
        return Optional.ofNullable(statuses.get(member.id())).orElseGet(() -> Evidence.unknown("it was not asked"));
    }

    /** Whether the list has one with these peer URLs, in any order. */
    public boolean hasMemberAt(List<String> peerUrls) {
        return members.stream().anyMatch(member -> member.isAt(peerUrls));
    }

    /**
     * Requires that a member is where its manifest says.
     *
     * @throws ProblemException UNSUPPORTED_CLUSTER when none is, as after a restore by etcd's own tool
     */
    public void requireMemberAt(List<String> peerUrls) {
        if (!hasMemberAt(peerUrls)) {
            EtcdMember first = members.getFirst();
            throw ProblemException.of(
                    ErrorCode.UNSUPPORTED_CLUSTER,
                    "etcd",
                    "has no member at " + String.join(", ", peerUrls) + ", as after a restore by etcd's own tool: "
                            + first.title() + " is at " + String.join(", ", first.peerUrls()),
                    "a member where its manifest says",
                    "tell it: etcdctl member update " + first.id() + " --peer-urls=" + String.join(",", peerUrls));
        }
    }

    /**
     * Where clients reach those that vote, in the order of their names.
     *
     * @param without names or IDs of members that are left out
     * @throws ProblemException NOT_FOUND when one of these is none, CHANGE_REFUSED when one of the others does not answer, or there is no other
     */
    public List<String> clientUrlsWithout(List<String> without) {
        for (String asked : without) {
            if (members.stream().noneMatch(member -> isCalled(member, asked))) {
                throw ProblemException.of(
                        ErrorCode.NOT_FOUND,
                        "member " + asked,
                        "is none of etcd's",
                        "one of " + members.stream().map(EtcdMember::title).toList(),
                        "see ouro etcd status");
            }
        }
        List<EtcdMember> wanted = voters().stream()
                .filter(member -> without.stream().noneMatch(asked -> isCalled(member, asked)))
                .sorted(Comparator.comparing(EtcdMember::name))
                .toList();
        for (EtcdMember member : wanted) {
            if (statusOf(member) instanceof Unknown<EtcdMemberStatus>(String why)) {
                throw ProblemException.of(
                        ErrorCode.CHANGE_REFUSED,
                        "member " + member.title(),
                        "does not answer: " + why,
                        "members that API servers can reach",
                        "see ouro etcd status; if it is lost, leave it out with --without " + member.name());
            }
        }
        if (wanted.isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.CHANGE_REFUSED, "etcd", "has no other member that votes", "one", "leave fewer out");
        }
        return wanted.stream().flatMap(member -> member.clientUrls().stream()).toList();
    }

    private static boolean isCalled(EtcdMember member, String asked) {
        return member.name().equals(asked) || member.id().equals(asked);
    }

    /** Voters that say anything. */
    public List<EtcdMember> answering() {
        return voters().stream()
                .filter(member -> statusOf(member) instanceof Known<EtcdMemberStatus>)
                .toList();
    }

    /** Where clients reach voters that say anything. */
    public List<String> answeringUrls() {
        return answering().stream()
                .flatMap(member -> member.clientUrls().stream())
                .toList();
    }

    /** Voters that follow the leader, itself among them. A member that is cut off from the others answers, too. */
    public List<EtcdMember> following() {
        return voters().stream()
                .filter(member -> statusOf(member).is(this::follows))
                .toList();
    }

    /** Whether it follows the leader that {@link #leader} tells. */
    public boolean follows(EtcdMemberStatus status) {
        return status.leader().isPresent() && status.leader().equals(leader());
    }

    /** Whether it answers, follows the leader and has nearly all that was agreed on: one that gets to lead has to catch up first, and nothing is written meanwhile. */
    public boolean isCurrent(EtcdMember member) {
        return statusOf(member).is(status -> follows(status) && behind(status) <= CLOSE);
    }

    /** What members say of themselves, those that say anything. */
    Stream<EtcdMemberStatus> told() {
        return statuses.values().stream()
                .flatMap(status -> status instanceof Known<EtcdMemberStatus>(EtcdMemberStatus known)
                        ? Stream.of(known)
                        : Stream.of());
    }

    /** Size of the largest file of a member that says anything; 0 when none does. */
    public long largestDatabaseBytes() {
        return told().mapToLong(EtcdMemberStatus::databaseBytes).max().orElse(0);
    }

    /** ID of the leader, as a member of the latest election tells it: one that is cut off may believe in an earlier one for a while. */
    public Optional<String> leader() {
        return told().filter(status -> status.leader().isPresent())
                .max(Comparator.comparingLong(EtcdMemberStatus::term))
                .flatMap(EtcdMemberStatus::leader);
    }

    /** How many entries that are agreed on, as far as the leader tells it or else any member, are not in the member's key space yet. */
    public long behind(EtcdMemberStatus status) {
        long agreed = told().filter(EtcdMemberStatus::isLeader)
                .mapToLong(EtcdMemberStatus::committed)
                .max()
                .orElseGet(() ->
                        told().mapToLong(EtcdMemberStatus::committed).max().orElse(0));
        return Math.max(0, agreed - status.applied());
    }

    /**
     * The largest group of hashes that can be compared, by the titles of members: of one revision, compacted to the same one, by members of one version, as others may
     * hash otherwise. A group in which they differ comes before one in which they do not.
     */
    public NavigableMap<String, Hash> comparable() {
        Map<String, NavigableMap<String, Hash>> groups = new TreeMap<>();
        for (EtcdMember member : members) {
            if (hashes.get(member.id()) instanceof Known<Hash>(Hash hash)
                    && statusOf(member) instanceof Known<EtcdMemberStatus>(EtcdMemberStatus status)) {
                String kind = status.version() + " " + hash.revision() + " " + hash.compacted();
                groups.computeIfAbsent(kind, _ -> new TreeMap<>()).put(member.title(), hash);
            }
        }
        return groups.values().stream()
                .max(Comparator.<NavigableMap<String, Hash>, Boolean>comparing(EtcdCluster::differ)
                        .thenComparingInt(NavigableMap::size))
                .orElseGet(TreeMap::new);
    }

    /** Whether not all of them are the same. */
    public static boolean differ(NavigableMap<String, Hash> hashes) {
        return hashes.values().stream().distinct().count() > 1;
    }
}
