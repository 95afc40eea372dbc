package dev.ouroboros.etcd.membership;

import dev.ouroboros.cluster.CertificateRequests;
import dev.ouroboros.etcd.EtcdCluster;
import dev.ouroboros.etcd.EtcdMember;
import dev.ouroboros.etcd.EtcdServers;
import dev.ouroboros.etcd.MemberChanges;
import dev.ouroboros.etcd.decide.EtcdMemberCopy;
import dev.ouroboros.etcd.membership.decide.MemberAddition;
import dev.ouroboros.etcd.membership.decide.MemberAddition.Action;
import dev.ouroboros.etcd.membership.decide.MemberAddition.Phase;
import dev.ouroboros.etcd.membership.decide.MemberAddition.Request;
import dev.ouroboros.etcd.membership.decide.MemberAddition.Seen;
import dev.ouroboros.etcd.membership.decide.MemberAddition.State;
import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.NextStep;
import dev.ouroboros.model.procedure.Procedure;
import dev.ouroboros.render.cluster.AlternativeName;
import dev.ouroboros.render.pki.Issuer;
import dev.ouroboros.render.pki.Pem;
import dev.ouroboros.render.pki.Profile;
import dev.ouroboros.render.pki.SigningRequest;
import java.net.InetAddress;
import java.security.PublicKey;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** The addition of a node's member as a procedure: it looks at etcd and at the node's request and acts there, and {@link MemberAddition} decides. */
final class MemberAdditionWork implements Procedure<State, Seen, Action> {
    private final MemberAddition decisions;
    private final NewMember member;
    private final MemberRequests requests;
    private final MembershipSource source;
    private final MemberChanges changes;
    private final Authority authority;
    private final Runnable beforeAdding;
    private final Consumer<String> listener;
    private Optional<Problem> refusal = Optional.empty();

    /**
     * The member that is to be.
     *
     * @param names that its certificate is for
     */
    record NewMember(String node, InetAddress address, EtcdMemberCopy pod, List<AlternativeName> names) {
        NewMember {
            names = List.copyOf(names);
        }

        List<String> peerUrls() {
            return pod.peerUrls(address);
        }
    }

    /**
     * Who signs certificates of members.
     *
     * @param clients in PEM: whom members believe that somebody is a client
     * @param peers in PEM: whom they believe that somebody is a member
     */
    record Authority(Credential key, Issuer issuer, String clients, String peers) {}

    /** @param beforeAdding what is to outlive the addition of a learner */
    MemberAdditionWork(
            MemberAddition decisions,
            NewMember member,
            MemberRequests requests,
            EtcdServers servers,
            Authority authority,
            Runnable beforeAdding,
            Consumer<String> listener) {
        this.decisions = decisions;
        this.member = member;
        this.requests = requests;
        this.source = new MembershipSource(servers);
        this.changes = new MemberChanges(servers);
        this.authority = authority;
        this.beforeAdding = beforeAdding;
        this.listener = listener;
    }

    @Override
    public Seen look(State state) {
        Evidence<EtcdCluster> cluster = source.cluster();
        Seen seen = new Seen(
                cluster.flatMap(known -> MembershipSource.members(known, isOwn())),
                Evidence.asking(() -> request(state.phase())),
                cluster.flatMap(MembershipSource::alarm),
                state.phase() == Phase.PROVING ? source.haveSameData() : Evidence.unknown("not asked in this phase"),
                refusal);
        refusal = Optional.empty();
        return seen;
    }

    private Predicate<EtcdMember> isOwn() {
        return MembershipSource.at(member.peerUrls());
    }

    /** Where the way leads back, one of several is closed after the other. */
    private Optional<Request> request(Phase phase) {
        return (phase == Phase.WITHDRAWING ? requests.anyOf(member.node()) : requests.ofNode(member.node()))
                .map(found ->
                        new Request(found.name(), found.certificate().isPresent(), MemberRequests.grantedIn(found)));
    }

    @Override
    public NextStep<State, Action> decide(Seen seen, State state, Instant now) {
        return decisions.decide(seen, state, now);
    }

    /** Performs the action; why it came to nothing is part of the next look. */
    @Override
    public State perform(Action action, State state) {
        try {
            listener.accept(
                    switch (action) {
                        case Action.Sign(String name) -> sign(name);
                        case Action.AddLearner() -> {
                            beforeAdding.run();
                            changes.addLearner(member.peerUrls());
                            yield "a learner at " + String.join(", ", member.peerUrls()) + " is on etcd's list";
                        }
                        case Action.Grant(String name, String id) -> {
                            requests.grant(
                                    name, grant(name, id).signed(authority.key().privateKey()));
                            yield "node " + member.node() + " may start member " + id + " with request " + name;
                        }
                        case Action.Promote(String id) -> {
                            changes.promote(id);
                            yield "member " + id + " votes";
                        }
                        case Action.Withdraw(String name, String why) -> {
                            requests.withdraw(name, why);
                            yield "request " + name + " is closed: " + why;
                        }
                        case Action.Remove(String id) -> {
                            changes.remove(id);
                            yield "member " + id + " is removed";
                        }
                    });
        } catch (ProblemException e) {
            refusal = Optional.of(e.problems().getFirst());
        }
        return state;
    }

    /** A request that proves no key is refused: the node makes another one. */
    private String sign(String name) {
        CertificateRequests.Request found = requests.ofNode(member.node())
                .filter(request -> request.name().equals(name))
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.NOT_FOUND,
                        "request " + name,
                        "is gone",
                        "the node's request",
                        "run 'ouro etcd join' on node " + member.node() + " again"));
        Optional<PublicKey> key = SigningRequest.read(found.pem()).map(SigningRequest::key);
        if (key.isEmpty()) {
            requests.withdraw(name, "it is no request that is signed with its own key");
            return "request " + name + " is refused: it is not signed with its own key";
        }
        Profile profile = Profile.server(member.node(), member.names(), Profile.Usage.SERVER, Profile.Usage.CLIENT);
        String certificate = Pem.of(authority.issuer().issue(authority.key(), profile, key.get()));
        List<String> names = member.names().stream().map(AlternativeName::value).toList();
        requests.sign(found, certificate, names);
        return "node " + member.node() + " has a certificate for " + String.join(", ", names);
    }

    /** Of the list as it is now: a member that starts compares its own with it. */
    private MemberGrant grant(String request, String id) {
        EtcdCluster cluster = switch (source.cluster()) {
            case Evidence.Known<EtcdCluster>(EtcdCluster known) -> known;
            case Evidence.Unknown<EtcdCluster>(String why) ->
                throw ProblemException.of(
                        ErrorCode.ETCD_UNAVAILABLE, "etcd", why, "its list of members", "ouro etcd status");
        };
        List<EtcdMember> others =
                cluster.members().stream().filter(isOwn().negate()).toList();
        return new MemberGrant(
                request,
                id,
                member.pod()
                        .yaml(
                                member.node(),
                                member.address(),
                                others.stream()
                                        .flatMap(other ->
                                                other.peerUrls().stream().map(url -> other.name() + "=" + url))
                                        .toList()),
                authority.clients(),
                authority.peers(),
                others.stream().flatMap(other -> other.clientUrls().stream()).toList(),
                cluster.largestDatabaseBytes());
    }
}
