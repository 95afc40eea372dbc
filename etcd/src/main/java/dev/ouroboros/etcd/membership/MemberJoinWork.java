package dev.ouroboros.etcd.membership;

import dev.ouroboros.cluster.CertificateRequests;
import dev.ouroboros.etcd.EtcdRoom;
import dev.ouroboros.etcd.EtcdServers;
import dev.ouroboros.etcd.decide.EtcdMemberPod;
import dev.ouroboros.etcd.membership.decide.ListedMember;
import dev.ouroboros.etcd.membership.decide.MemberJoin;
import dev.ouroboros.etcd.membership.decide.MemberJoin.Action;
import dev.ouroboros.etcd.membership.decide.MemberJoin.Request;
import dev.ouroboros.etcd.membership.decide.MemberJoin.Seen;
import dev.ouroboros.etcd.membership.decide.MemberJoin.State;
import dev.ouroboros.etcd.membership.decide.MembersSeen;
import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.NextStep;
import dev.ouroboros.model.procedure.Procedure;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.FreeSpace;
import dev.ouroboros.render.pki.Pem;
import dev.ouroboros.runtime.ContainerRuntime;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A node's joining as a procedure: it looks at its request, at the node and at the other members, and acts on the node; {@link MemberJoin} decides. */
final class MemberJoinWork implements Procedure<State, Seen, Action> {
    private final Disk disk;
    private final ContainerRuntime runtime;
    private final MemberRequests requests;
    private final MemberJoinJournal journal;
    private final Path manifest;
    private final Consumer<String> listener;
    private Optional<Problem> refusal = Optional.empty();

    MemberJoinWork(
            Disk disk,
            ContainerRuntime runtime,
            MemberRequests requests,
            MemberJoinJournal journal,
            Path manifest,
            Consumer<String> listener) {
        this.disk = disk;
        this.runtime = runtime;
        this.requests = requests;
        this.journal = journal;
        this.manifest = manifest;
        this.listener = listener;
    }

    /** The request first: what it grants is kept, and says where to look. */
    @Override
    public Seen look(State state) {
        Evidence<Optional<Request>> request = request();
        Evidence<Boolean> hasManifest = NodeMember.hasManifest(disk, manifest);
        Optional<MemberGrant> grant = journal.grant();
        Optional<NodeMember> member = grant.map(this::member);
        Seen seen = new Seen(
                request,
                hasManifest,
                member.map(NodeMember::runs).orElseGet(() -> Evidence.unknown("nothing was granted")),
                member.map(NodeMember::left).orElseGet(() -> Evidence.unknown("nothing was granted")),
                grant.isPresent() && Evidence.isFalse(hasManifest)
                        ? lackOfRoom(grant.get())
                        : Evidence.unknown("not asked before a grant, nor behind the start"),
                grant.isPresent() && Evidence.isTrue(hasManifest)
                        ? own(grant.get(), pod(grant.get()))
                        : Evidence.unknown("not asked before it is started"),
                refusal);
        refusal = Optional.empty();
        return seen;
    }

    /** An API that does not answer is asked again; what it refuses for good ends the run. */
    private Evidence<Optional<Request>> request() {
        try {
            return Evidence.known(requests.find(journal.request().pem()).map(this::read));
        } catch (ProblemException e) {
            if (e.problems().getFirst().code() == ErrorCode.API_UNAVAILABLE) {
                return Evidence.unknown(e.problems().getFirst().describe());
            }
            throw e;
        }
    }

    private Request read(CertificateRequests.Request found) {
        if (MemberRequests.nodeOf(found).isEmpty()) {
            journal.end();
            throw notOfANode(found);
        }
        Optional<MemberGrant> grant = MemberRequests.grantOf(found);
        Optional<String> refused = MemberRequests.refusalOf(found).or(() -> grant.flatMap(MemberJoinWork::whyUnusable));
        if (refused.isEmpty()) {
            grant.ifPresent(journal::keep);
        }
        return new Request(refused, grant.isPresent());
    }

    private static Optional<String> whyUnusable(MemberGrant grant) {
        try {
            pod(grant);
            return Optional.empty();
        } catch (ProblemException e) {
            return Optional.of("what it was granted cannot be used: "
                    + e.problems().getFirst().describe());
        }
    }

    private Evidence<Optional<String>> lackOfRoom(MemberGrant grant) {
        return Evidence.asking(() -> FreeSpace.lack(
                        disk,
                        Path.of(pod(grant).etcd().dataDirectory()),
                        grant.databaseBytes() + EtcdRoom.BESIDE_DATABASE,
                        "a member of this etcd and its log",
                        "make room, or move etcd to a larger disk")
                .map(Problem::describe));
    }

    private static ProblemException notOfANode(CertificateRequests.Request request) {
        return ProblemException.of(
                ErrorCode.BAD_USAGE,
                "--kubeconfig",
                "is that of " + request.user(),
                "this node's kubelet's: so the request proves which node asks",
                "give the one that the kubelet has written");
    }

    private NodeMember member(MemberGrant grant) {
        return new NodeMember(disk, runtime, pod(grant), manifest);
    }

    private static EtcdMemberPod pod(MemberGrant grant) {
        return EtcdMemberPod.of("the manifest that this node was granted", grant.manifest());
    }

    private static Evidence<Optional<ListedMember>> own(MemberGrant grant, EtcdMemberPod pod) {
        return Evidence.asking(() -> new MembershipSource(EtcdServers.ofMember(
                        Stream.concat(grant.servers().stream(), Stream.of(pod.clientUrl()))
                                .toList(),
                        pod)))
                .flatMap(MembershipSource::cluster)
                .flatMap(cluster -> MembershipSource.members(cluster, MembershipSource.at(pod.peerUrls())))
                .map(MembersSeen::own);
    }

    @Override
    public NextStep<State, Action> decide(Seen seen, State state, Instant now) {
        return MemberJoin.decide(seen, state);
    }

    /** Performs the action; why it came to nothing is part of the next look. */
    @Override
    public State perform(Action action, State state) {
        try {
            switch (action) {
                case ASK -> {
                    requests.ask(journal.request());
                    listener.accept("asked for a certificate with request "
                            + MemberRequests.nameOf(journal.request().pem())
                            + "; where etcd's authority is: ouro etcd add, with this node's name");
                }
                case INSTALL -> {
                    install();
                    listener.accept("keys, certificates and " + manifest + " are written");
                }
                case STOP -> {
                    member(granted()).stop();
                    listener.accept(manifest + " is removed");
                }
                case DISCARD -> {
                    member(granted()).discard();
                    listener.accept("its data and keys are removed");
                }
            }
        } catch (ProblemException e) {
            refusal = Optional.of(e.problems().getFirst());
        }
        return state;
    }

    private MemberGrant granted() {
        return journal.grant().orElseThrow(() -> new IllegalStateException("nothing was granted"));
    }

    private void install() {
        MemberGrant grant = granted();
        PrivateKey key = journal.key();
        String certificate = requests.find(journal.request().pem())
                .flatMap(CertificateRequests.Request::certificate)
                .filter(pem -> Pem.certificate(pem)
                        .filter(parsed -> new Credential(parsed, key).fits())
                        .isPresent())
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.INVALID_KEY_MATERIAL,
                        "the certificate of request "
                                + MemberRequests.nameOf(journal.request().pem()),
                        "is not of the key that this node made",
                        "one that is",
                        "see who signed it: kubectl get csr"));
        member(grant).install(Pem.of(key), certificate, grant.authority(), grant.peerAuthority());
    }
}
