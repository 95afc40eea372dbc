package dev.ouroboros.etcd.membership;

import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.etcd.EtcdCluster;
import dev.ouroboros.etcd.EtcdClusterSource;
import dev.ouroboros.etcd.EtcdMember;
import dev.ouroboros.etcd.EtcdServers;
import dev.ouroboros.etcd.UnfinishedChange;
import dev.ouroboros.etcd.decide.EtcdMemberCopy;
import dev.ouroboros.etcd.decide.EtcdMemberPod;
import dev.ouroboros.etcd.membership.MemberAdditionPreflight.Admitted;
import dev.ouroboros.etcd.membership.MemberAdditionWork.Authority;
import dev.ouroboros.etcd.membership.MemberAdditionWork.NewMember;
import dev.ouroboros.etcd.membership.decide.MemberAddition;
import dev.ouroboros.etcd.membership.decide.MemberAddition.State;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.Journal;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.lock.ExclusiveLock;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.render.cluster.KeyAlgorithm;
import dev.ouroboros.render.pki.Issuer;
import dev.ouroboros.render.pki.Pem;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Lets a node become one with a member of etcd, on the node of a member that runs and with etcd's authority: the steps are {@link MemberAddition}'s. It may be killed at any instruction and goes on when it
 * is called again for the same node.
 */
public final class MemberAdder {
    private final Disk disk;
    private final ClusterClient client;
    private final InstantSource wallClock;
    private final InstantSource clock;
    private final ProcedureListener listener;

    /**
     * For the additions of one process.
     *
     * @param wallClock for the dates of certificates
     * @param clock that does not jump: deadlines are counted on it
     */
    public MemberAdder(
            Disk disk, ClusterClient client, InstantSource wallClock, InstantSource clock, ProcedureListener listener) {
        this.disk = disk;
        this.client = client;
        this.wallClock = wallClock;
        this.clock = clock;
        this.listener = listener;
    }

    /**
     * What is to be added.
     *
     * @param node name of its Node
     * @param manifest of this node's member, where the kubelet looks for it
     * @param certificate of etcd's authority
     * @param key its key
     * @param deadline after which a learner that does not follow is taken away again, and after which nobody is waited for
     */
    public record Options(
            String node, Path manifest, Path certificate, Path key, Path stateDirectory, Duration deadline) {}

    /**
     * Adds the node's member.
     *
     * @return how many members vote now
     * @throws ProblemException UNSUPPORTED_CLUSTER, CHANGE_REFUSED and others before anything was done; COMPONENT_FAILED when it was given up; TIMEOUT when the next call goes on
     */
    public int add(Options options) {
        try (ExclusiveLock _ = UnfinishedChange.lock(disk, options.stateDirectory())) {
            UnfinishedChange.requireNoStart(disk, options.stateDirectory());
            UnfinishedChange.requireNone(
                    disk,
                    options.stateDirectory(),
                    List.of(UnfinishedChange.values()),
                    options.manifest().toString());
            EtcdMemberPod present = EtcdMemberPod.of(
                    options.manifest().toString(),
                    disk.readText(options.manifest())
                            .orElseThrow(() -> ProblemException.of(
                                    ErrorCode.NOT_FOUND,
                                    options.manifest().toString(),
                                    "does not exist",
                                    "the manifest of this node's member of etcd",
                                    "run this on the node of a member, or name its manifest with --etcd-manifest")));
            EtcdServers servers = EtcdServers.ofMember(List.of(present.clientUrl()), present);
            EtcdCluster cluster = new EtcdClusterSource(servers).look();
            EtcdMemberCopy copy = EtcdMemberCopy.of(present);
            cluster.requireMemberAt(present.peerUrls());
            Admitted admitted =
                    new MemberAdditionPreflight(client, cluster).require(options.node(), copy, present.image());
            Authority authority = authority(options, present);
            new MemberRequests(client)
                    .withdrawStale(
                            options.node(),
                            admitted.registered(),
                            cluster.members().stream().map(EtcdMember::id).collect(Collectors.toSet()));
            return run(options, admitted.member(), servers, authority);
        }
    }

    private int run(Options options, NewMember member, EtcdServers servers, Authority authority) {
        Path mark = options.stateDirectory().resolve(StateLayout.ETCD_MEMBERS_ADDED);
        MemberAdditionWork work = new MemberAdditionWork(
                new MemberAddition(options.node(), options.deadline()),
                member,
                new MemberRequests(client),
                servers,
                authority,
                () -> disk.write(
                        mark,
                        "a restore on this node would leave the other members with what was before\n"
                                .getBytes(StandardCharsets.UTF_8),
                        Disk.OWNER_ONLY_FILE),
                listener::did);
        // What is given up is given up before that.
        Patience patience = new Patience(listener, options.deadline().multipliedBy(2), clock);
        State end = patience.run(work, Journal.none(), State.initial(clock.instant()));
        int votes = new EtcdClusterSource(servers).look().voters().size();
        if (votes == 1) {
            disk.delete(mark);
        }
        end.failure().ifPresent(why -> {
            throw ProblemException.of(
                    ErrorCode.COMPONENT_FAILED,
                    "node " + options.node(),
                    why,
                    "a member that follows the leader",
                    "see ouro etcd status, and etcd's log there. One that is none any more is added again: 'ouro etcd join' there, and this here. One that votes leaves the list first: with 'ouro etcd leave' there, or 'ouro etcd remove' where its data are lost");
        });
        return votes;
    }

    private Authority authority(Options options, EtcdMemberPod present) {
        String certificate = material(options.certificate());
        X509Certificate parsed =
                Pem.certificate(certificate).orElseThrow(() -> unusable(options.certificate(), "has no certificate"));
        Credential credential = new Credential(
                parsed,
                Pem.privateKey(material(options.key()))
                        .orElseThrow(() -> unusable(options.key(), "has no private key that can be read")));
        if (!credential.fits()) {
            throw unusable(options.key(), "does not belong to " + options.certificate());
        }
        String clients = trusted(present, "trusted-ca-file", parsed);
        String peers = trusted(present, "peer-trusted-ca-file", parsed);
        return new Authority(
                credential, new Issuer(KeyAlgorithm.ECDSA_P256, wallClock, new SecureRandom()), clients, peers);
    }

    /** What members believe; it has to have the authority that signs. */
    private String trusted(EtcdMemberPod present, String flag, X509Certificate authority) {
        Path file = Path.of(present.fileOnNode(flag).orElseThrow());
        String text = material(file);
        boolean isTrusted = Pem.certificates(text).anyMatch(authority::equals);
        if (!isTrusted) {
            throw unusable(file, "does not have the certificate of " + authority.getSubjectX500Principal());
        }
        return text;
    }

    private String material(Path file) {
        return disk.readText(file).orElseThrow(() -> unusable(file, "does not exist"));
    }

    private static ProblemException unusable(Path file, String what) {
        return ProblemException.of(
                ErrorCode.INVALID_KEY_MATERIAL,
                file.toString(),
                what,
                "the authority that signed the certificates of etcd's members, and its key",
                "name both with --etcd-ca-path and --etcd-ca-key-path; ours are in tls of the asset directory");
    }
}
