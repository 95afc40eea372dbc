package dev.ouroboros.steward.decide;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How etcd gets the wished number of voting members, one step at a time, decided only on what is seen now: so a wish that changes on the way is
 * obeyed in every state, and another leader goes on.
 * <ul>
 * <li>More: nodes get members, one after the other, and only when there are nodes for all of them, because an even number is no place to rest. Then
 * API servers learn where all members are, once.
 * <li>Fewer: first API servers stop looking for etcd at members that will leave, then these leave, one after the other. The members of the first
 * nodes by name stay.
 * <li>When the number is right, and API servers know the members, their manifests are changed as wished, one after the other, the leader's last.
 * <li>When nothing else is to be done, members with much free space in their files are defragmented, where there are several.
 * <li>A learner on a control-plane node is promoted first, whatever is wished: what was begun is ended.
 * <li>While a voting member does not answer, nothing is begun. After the time that the wish sets, it is removed and replaced; only where all others
 * follow the leader and there is a node for the new one, because a removed member does not come back by itself.
 * </ul>
 */
public final class EtcdScale {
    private static final String MEMBER_AWAY = "MemberAway";

    private EtcdScale() {}

    /**
     * A member of etcd.
     *
     * @param id as etcd has it
     * @param title for people
     * @param node the control-plane node whose address its peer URL has; empty when that is none's
     * @param temporaryOf the node whose member is being changed, of one that is there for that time only
     * @param isCurrent whether it follows the leader and has nearly all that was agreed on
     * @param isFragmented whether its file is to be written anew, and may be
     * @param silentFor how long it has been known not to answer; empty while it does
     */
    public record Member(
            String id,
            String title,
            Optional<String> node,
            Optional<String> temporaryOf,
            boolean isLearner,
            boolean isLeader,
            boolean isCurrent,
            boolean isFragmented,
            Optional<Duration> silentFor,
            List<String> clientUrls) {
        public Member {
            clientUrls = List.copyOf(clientUrls);
        }

        private boolean answers() {
            return silentFor.isEmpty();
        }

        private boolean isSilentFor(Duration limit) {
            return silentFor.filter(silent -> silent.compareTo(limit) >= 0).isPresent();
        }
    }

    /**
     * What is seen.
     *
     * @param size how many members are to vote
     * @param ready names of control-plane nodes that are ready
     * @param known URLs at which the template of the API servers has them look for etcd
     * @param isRolledOut whether every API server is of that template
     * @param adding the node that was to get a member when that was last decided
     * @param replaceAfter how long a member does not answer before it is replaced; empty where none is
     * @param isChangeWished whether an image or flags are wished
     * @param manifests of members
     */
    public record Seen(
            int size,
            List<Member> members,
            Set<String> ready,
            List<String> known,
            boolean isRolledOut,
            Optional<String> adding,
            Optional<Duration> replaceAfter,
            boolean isChangeWished,
            Manifests manifests) {
        public Seen {
            members = List.copyOf(members);
            ready = Set.copyOf(ready);
            known = List.copyOf(known);
        }

        private List<Member> voters() {
            return members.stream()
                    .filter(member -> !member.isLearner())
                    .sorted(Comparator.comparing(member -> member.node().orElse("")))
                    .toList();
        }

        private Optional<Member> learner() {
            return members.stream().filter(Member::isLearner).findFirst();
        }
    }

    /**
     * How the manifests of members stand to what is wished of them now.
     *
     * @param generation of the object
     * @param told by node, of whatever generation; what a node has not said yet is missing
     * @param busy nodes at which something is done with the member, as they say
     * @param changing the node whose member is getting another one, by what was last decided and what that node says
     * @param defragmenting the node whose member is writing its file anew, in the same way
     */
    public record Manifests(
            long generation,
            Map<String, MemberManifest> told,
            Set<String> busy,
            Optional<String> changing,
            Optional<String> defragmenting) {
        /** Nobody has said anything. */
        public static final Manifests UNTOLD = new Manifests(0, Map.of(), Set.of(), Optional.empty(), Optional.empty());

        public Manifests {
            told = Map.copyOf(told);
            busy = Set.copyOf(busy);
        }

        private Optional<MemberManifest> of(String node) {
            return Optional.ofNullable(told.get(node));
        }
    }

    /** The next step. */
    public sealed interface Step {
        /** The wished number votes, and API servers are to look for etcd at all of them. */
        record Settled() implements Step {}

        /** A node is to get a member. */
        record Add(String node) implements Step {}

        /**
         * API servers are to look for etcd at its members.
         *
         * @param without IDs of members that they are not to know
         */
        record TellApiServers(List<String> without) implements Step {
            public TellApiServers {
                without = List.copyOf(without);
            }
        }

        /** API servers were told, by whomever, and some still run with the former template. */
        record AwaitApiServers() implements Step {}

        /** The member of a node is to leave. */
        record Leave(String node) implements Step {}

        /** The member of a node is to get the wished manifest. */
        record Change(String node) implements Step {}

        /** The member of a node is to be defragmented. */
        record Defragment(String node) implements Step {}

        /**
         * Something has to come by itself.
         *
         * @param reason in CamelCase
         */
        record Await(String reason, String message) implements Step {}

        /**
         * A lost member is to be removed.
         *
         * @param member its ID
         * @param replacement the node that gets a member in its place; empty when the wished number is left
         */
        record Remove(String member, Optional<String> replacement) implements Step {}

        /**
         * Nothing can be done as things are.
         *
         * @param reason in CamelCase
         */
        record Stalled(String reason, String message) implements Step {}
    }

    /** The next step. */
    public static Step next(Seen seen) {
        List<Member> voters = seen.voters();
        Optional<String> changing = seen.members().stream()
                .flatMap(member -> member.temporaryOf().stream())
                .findFirst()
                .or(() -> seen.manifests().changing())
                .filter(node ->
                        seen.ready().contains(node) && seen.manifests().busy().contains(node));
        if (changing.isPresent()) {
            // This member is away for a moment, or temporary members are there: neither is an obstacle, and the change
            // ends before anything else
            // begins.
            return new Step.Change(changing.get());
        }
        // While a member is defragmented it may not answer; that is no obstacle unless another one is away, too.
        Optional<String> defragmenting =
                seen.manifests().defragmenting().filter(node -> isBusyAlone(seen, voters, node));
        if (defragmenting.isPresent()) {
            return new Step.Defragment(defragmenting.get());
        }
        return obstacle(seen, voters).orElseGet(() -> {
            if (seen.learner().isPresent()) {
                return finish(seen, seen.learner().get());
            }
            if (voters.size() < seen.size()) {
                return grow(seen, voters);
            }
            if (voters.size() > seen.size()) {
                return shrink(seen, voters);
            }
            if (!isKnown(seen, voters)) {
                return new Step.TellApiServers(List.of());
            }
            Step change = seen.isChangeWished() || voters.size() > 1 ? change(seen, voters) : new Step.Settled();
            return change instanceof Step.Settled && seen.isRolledOut() ? defragment(seen, voters) : change;
        });
    }

    /**
     * Defragments members one after the other, the leader last. Requests wait for a member that is defragmented: for an only member all of them, and
     * when that may be is its owner's decision.
     */
    private static Step defragment(Seen seen, List<Member> voters) {
        return voters.stream()
                .filter(voter -> voters.size() > 1
                        && voter.isFragmented()
                        && seen.ready().contains(voter.node().orElseThrow()))
                .min(Comparator.comparing(Member::isLeader))
                .map(next -> next.node().orElseThrow())
                .filter(node -> Set.of(node).containsAll(seen.manifests().busy()))
                .<Step>map(Step.Defragment::new)
                .orElseGet(Step.Settled::new);
    }

    /** Whether this node is doing something with its member, and no other one is silent. */
    private static boolean isBusyAlone(Seen seen, List<Member> voters, String node) {
        return seen.ready().contains(node)
                && seen.manifests().busy().contains(node)
                && voters.stream()
                        .allMatch(voter -> voter.answers() != voter.node().equals(Optional.of(node)));
    }

    private static Step change(Seen seen, List<Member> voters) {
        List<Member> others = new ArrayList<>();
        for (Member voter : voters) {
            String node = voter.node().orElseThrow();
            Optional<MemberManifest> told = seen.manifests()
                    .of(node)
                    .filter(known -> known.generation() == seen.manifests().generation());
            if (told.isEmpty()) {
                return new Step.Await(
                        "ManifestPending", "node " + node + " has not said yet whether its member is as is wished");
            }
            MemberManifest manifest = told.get();
            if (manifest.state() == MemberManifest.State.FAILED) {
                return new Step.Stalled("ChangeFailed", node + ": " + manifest.message());
            }
            if (manifest.state() == MemberManifest.State.OUTDATED) {
                others.add(voter);
            }
        }
        return others.stream()
                .min(Comparator.comparing(Member::isLeader))
                .<Step>map(next ->
                        seen.isRolledOut() ? new Step.Change(next.node().orElseThrow()) : new Step.AwaitApiServers())
                .orElseGet(Step.Settled::new);
    }

    private static Optional<Step> obstacle(Seen seen, List<Member> voters) {
        Optional<Member> foreign = Stream.concat(voters.stream(), seen.learner().stream())
                .filter(member -> member.node().isEmpty())
                .findFirst();
        if (foreign.isPresent()) {
            return Optional.of(
                    new Step.Stalled(
                            "UnknownMember",
                            "member " + foreign.get().title()
                                    + " is on no control-plane node: it is temporary, as while 'ouro etcd change' works, or somebody else's"));
        }
        if (isElsewhere(seen, voters)) {
            return Optional.of(
                    new Step.Stalled(
                            "UnknownServers",
                            "API servers look for etcd at " + String.join(", ", seen.known())
                                    + ", where no member says that it is: set their --etcd-servers to client URLs of members first"));
        }
        return voters.stream().filter(member -> !member.answers()).findFirst().map(lost -> replace(seen, voters, lost));
    }

    /** Whether API servers look for etcd at none of these members. */
    private static boolean isElsewhere(Seen seen, List<Member> members) {
        return Collections.disjoint(hosts(seen.known().stream()), hosts(urls(members).stream()));
    }

    private static Step replace(Seen seen, List<Member> voters, Member lost) {
        String does = "member " + lost.title() + " does not answer";
        if (seen.replaceAfter().isEmpty()) {
            return new Step.Stalled(
                    MEMBER_AWAY,
                    does + ": boot its node, or, if its data are lost, take it off the list: ouro etcd remove "
                            + lost.id());
        }
        List<Member> others =
                voters.stream().filter(member -> !member.equals(lost)).toList();
        Optional<Member> behind =
                others.stream().filter(member -> !member.isCurrent()).findFirst();
        if (behind.isPresent()) {
            return new Step.Stalled(
                    MEMBER_AWAY,
                    does + ", and " + behind.get().title()
                            + " does not follow the leader, so that it cannot be replaced: boot their nodes");
        }
        Optional<String> alive = whyItMayLive(seen, lost.node().orElseThrow());
        if (alive.isPresent()) {
            return new Step.Await(MEMBER_AWAY, does + alive.get());
        }
        boolean isWanted = voters.size() <= seen.size();
        Optional<String> replacement = replacement(seen, voters, lost);
        if (isWanted && replacement.isEmpty()) {
            return new Step.Stalled(
                    MEMBER_AWAY,
                    does
                            + ", and no control-plane node that is ready could get another one: boot its node, or add one");
        }
        Duration after = seen.replaceAfter().get();
        if (!lost.isSilentFor(after)) {
            return new Step.Await(
                    MEMBER_AWAY,
                    does + ": if it goes on so, it is "
                            + replacement
                                    .filter(_ -> isWanted)
                                    .map(node -> "replaced by one on node " + node)
                                    .orElse("taken off the list")
                            + " when that has been for " + after.toMinutes() + " min");
        }
        return isElsewhere(seen, others)
                // API servers were being told to leave out this one alone.
                ? new Step.TellApiServers(List.of(lost.id()))
                : new Step.Remove(lost.id(), replacement.filter(_ -> isWanted));
    }

    /** Why a member must not be removed: some still reach it, something is done with it, or it would begin an etcd of its own. */
    private static Optional<String> whyItMayLive(Seen seen, String node) {
        Optional<MemberManifest> manifest = seen.manifests().of(node);
        if (manifest.isEmpty() || manifest.get().startsAlone()) {
            return Optional.of(
                    ", and node " + node
                            + " has not said that its member would not begin an etcd of its own without data (--initial-cluster-state=existing): boot it, or take the member off the list by hand: ouro etcd remove");
        }
        if (!seen.ready().contains(node)) {
            return Optional.empty();
        }
        if (seen.manifests().busy().contains(node)) {
            return Optional.of(", and node " + node + " is at something with it");
        }
        return manifest.get().isSilent()
                ? Optional.empty()
                : Optional.of(", and node " + node + " does not say so: see what is between the nodes");
    }

    /** The node for the replacement: one without a member, or else the same one, whose steward clears away what the lost member left. */
    private static Optional<String> replacement(Seen seen, List<Member> voters, Member lost) {
        NavigableSet<String> free = free(seen, voters);
        return free.isEmpty() ? lost.node().filter(seen.ready()::contains) : Optional.of(free.getFirst());
    }

    /** Control-plane nodes that are ready and have no member that votes. */
    private static NavigableSet<String> free(Seen seen, List<Member> voters) {
        NavigableSet<String> free = new TreeSet<>(seen.ready());
        voters.forEach(member -> free.remove(member.node().orElseThrow()));
        return free;
    }

    private static Step finish(Seen seen, Member learner) {
        String node = learner.node().orElseThrow();
        if (seen.ready().contains(node)) {
            return new Step.Add(node);
        }
        return seen.replaceAfter().filter(learner::isSilentFor).isPresent()
                ? new Step.Remove(learner.id(), Optional.empty())
                : new Step.Stalled("NodeAway", "node " + node + ", which is getting a member, is not ready");
    }

    private static Step grow(Seen seen, List<Member> voters) {
        NavigableSet<String> free = free(seen, voters);
        int missing = seen.size() - voters.size();
        if (free.size() < missing) {
            return new Step.Stalled(
                    "TooFewNodes",
                    seen.size() + " members need " + missing
                            + " more control-plane nodes that are ready and have none: there are "
                            + (free.isEmpty() ? "none" : String.join(", ", free)));
        }
        return new Step.Add(seen.adding().filter(free::contains).orElseGet(free::getFirst));
    }

    private static Step shrink(Seen seen, List<Member> voters) {
        List<Member> leaving = voters.subList(seen.size(), voters.size());
        Optional<String> notReady = leaving.stream()
                .flatMap(member -> member.node().stream())
                .filter(node -> !seen.ready().contains(node))
                .findFirst();
        if (notReady.isPresent()) {
            return new Step.Stalled(
                    "NodeAway", "the member of node " + notReady.get() + " is to leave, and the node is not ready");
        }
        if (!isKnown(seen, voters.subList(0, seen.size()))) {
            return new Step.TellApiServers(leaving.stream().map(Member::id).toList());
        }
        return seen.isRolledOut() ? new Step.Leave(leaving.getLast().node().orElseThrow()) : new Step.AwaitApiServers();
    }

    /** Whether the API servers' template looks for etcd at these members and nowhere else; the ports of their hosts may differ. */
    private static boolean isKnown(Seen seen, List<Member> members) {
        Set<String> urls = urls(members);
        Set<String> others = new HashSet<>(hosts(seen.known().stream()));
        others.removeAll(hosts(urls.stream()));
        return new HashSet<>(seen.known()).containsAll(urls) && others.isEmpty();
    }

    private static Set<String> urls(List<Member> members) {
        return members.stream().flatMap(member -> member.clientUrls().stream()).collect(Collectors.toSet());
    }

    private static Set<String> hosts(Stream<String> urls) {
        return urls.map(url -> String.valueOf(URI.create(url).getHost())).collect(Collectors.toSet());
    }
}
