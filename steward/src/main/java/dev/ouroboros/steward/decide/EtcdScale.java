package dev.ouroboros.steward.decide;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How etcd gets as many members that vote as are wished, one step at a time, of what is seen now alone: so that a wish that changes on the way is obeyed in every state, and whoever leads next goes on.
 *
 * <ul>
 *   <li>More: nodes get members, one after the other, and only when there are nodes for all of them, as an even number is no place to rest. Then API servers learn where all members are, once.
 *   <li>Fewer: first no API server looks for etcd where it will not be, then members leave, one after the other. The first ones by name stay; those that do not answer would go first, and are a
 *       person's business: nobody here knows whether they are lost.
 *   <li>While a member does not answer, nothing is begun.
 * </ul>
 */
public final class EtcdScale {
    private EtcdScale() {}

    /**
     * A member of etcd.
     *
     * @param name that of its node; empty of one that has not run yet
     * @param answers whether it said something a moment ago
     */
    public record Member(String name, boolean isLearner, boolean answers, List<String> clientUrls) {
        public Member {
            clientUrls = List.copyOf(clientUrls);
        }
    }

    /**
     * What is seen.
     *
     * @param size how many members are to vote
     * @param ready names of control-plane nodes that are ready
     * @param known URLs at which API servers look for etcd
     * @param isRolledOut whether every API server does, and none still has a template of before
     * @param adding the node that is getting a member, as far as the status says
     */
    public record Seen(
            int size,
            List<Member> members,
            Set<String> ready,
            List<String> known,
            boolean isRolledOut,
            Optional<String> adding) {
        public Seen {
            members = List.copyOf(members);
            ready = Set.copyOf(ready);
            known = List.copyOf(known);
        }

        private List<Member> voters() {
            return members.stream()
                    .filter(member -> !member.isLearner())
                    .sorted(Comparator.comparing(Member::name))
                    .toList();
        }

        private Optional<Member> learner() {
            return members.stream().filter(Member::isLearner).findFirst();
        }
    }

    /** What is to be done next. */
    public sealed interface Step {
        /** As many vote as are wished, and API servers know them. */
        record Settled() implements Step {}

        /** A node is to get a member. */
        record Add(String node) implements Step {}

        /**
         * API servers are to look for etcd at its members.
         *
         * @param without names of members that they are not to know
         */
        record TellApiServers(List<String> without) implements Step {
            public TellApiServers {
                without = List.copyOf(without);
            }
        }

        /** The member of a node is to leave. */
        record Leave(String node) implements Step {}

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
        Optional<Step.Stalled> away = voters.stream()
                .filter(member -> !member.answers())
                .findFirst()
                .map(member -> new Step.Stalled(
                        "MemberAway",
                        "member " + member.name()
                                + " does not answer: boot its node, or, if its data are lost, 'ouro etcd remove "
                                + member.name() + "'"));
        if (voters.size() == seen.size() && seen.learner().isEmpty()) {
            boolean isKnown = isKnown(seen, voters);
            return isKnown
                    ? new Step.Settled()
                    : away.<Step>map(step -> step).orElseGet(() -> new Step.TellApiServers(List.of()));
        }
        if (away.isPresent()) {
            return away.get();
        }
        return voters.size() < seen.size() ? grow(seen, voters) : shrink(seen, voters);
    }

    private static Step grow(Seen seen, List<Member> voters) {
        Set<String> taken = voters.stream().map(Member::name).collect(Collectors.toSet());
        Optional<String> begun = seen.learner()
                .map(Member::name)
                .filter(name -> !name.isEmpty())
                .or(seen::adding)
                .filter(node -> !taken.contains(node));
        SortedSet<String> free = new TreeSet<>(seen.ready());
        free.removeAll(taken);
        if (begun.isPresent()) {
            return free.contains(begun.get())
                    ? new Step.Add(begun.get())
                    : new Step.Stalled("NodeAway", "node " + begun.get() + ", which is getting a member, is not ready");
        }
        int missing = seen.size() - voters.size();
        if (free.size() < missing) {
            return new Step.Stalled(
                    "TooFewNodes",
                    seen.size() + " members need " + missing
                            + " more control-plane nodes that are ready and have none: there are "
                            + (free.isEmpty() ? "none" : String.join(", ", free)));
        }
        return new Step.Add(free.getFirst());
    }

    private static Step shrink(Seen seen, List<Member> voters) {
        if (seen.learner().isPresent()) {
            String name = seen.learner().get().name();
            return new Step.Stalled(
                    "LearnerLeft",
                    "a member without a vote is on etcd's list" + (name.isEmpty() ? "" : ", " + name)
                            + ": see 'ouro etcd status', and 'ouro etcd remove'");
        }
        List<Member> leaving = voters.subList(seen.size(), voters.size());
        Optional<Member> elsewhere = leaving.stream()
                .filter(member -> !seen.ready().contains(member.name()))
                .findFirst();
        if (elsewhere.isPresent()) {
            return new Step.Stalled(
                    "NodeAway",
                    "member " + elsewhere.get().name()
                            + " is to leave, and no control-plane node of this name is ready");
        }
        List<Member> staying = voters.subList(0, seen.size());
        if (!isKnown(seen, staying)) {
            return new Step.TellApiServers(leaving.stream().map(Member::name).toList());
        }
        return new Step.Leave(leaving.getLast().name());
    }

    /** Whether API servers look for etcd where these members are, at other ports of their hosts, and nowhere else. */
    private static boolean isKnown(Seen seen, List<Member> members) {
        Set<String> urls =
                members.stream().flatMap(member -> member.clientUrls().stream()).collect(Collectors.toSet());
        Set<String> hosts = hosts(urls.stream());
        Set<String> others = new HashSet<>(hosts(seen.known().stream()));
        others.removeAll(hosts);
        return seen.isRolledOut() && new HashSet<>(seen.known()).containsAll(urls) && others.isEmpty();
    }

    private static Set<String> hosts(Stream<String> urls) {
        List<String> hosts = new ArrayList<>();
        urls.forEach(url -> hosts.add(String.valueOf(java.net.URI.create(url).getHost())));
        return Set.copyOf(hosts);
    }
}
