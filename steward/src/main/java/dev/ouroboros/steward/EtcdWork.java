package dev.ouroboros.steward;

import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.EndpointSource;
import dev.ouroboros.change.EtcdServersChange;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.endpoint.ClientFiles;
import dev.ouroboros.endpoint.KubeconfigFile;
import dev.ouroboros.etcd.EtcdChangeOptions;
import dev.ouroboros.etcd.EtcdChanger;
import dev.ouroboros.etcd.EtcdCluster;
import dev.ouroboros.etcd.EtcdClusterSource;
import dev.ouroboros.etcd.EtcdMember;
import dev.ouroboros.etcd.EtcdMemberStatus;
import dev.ouroboros.etcd.EtcdServers;
import dev.ouroboros.etcd.UnfinishedChange;
import dev.ouroboros.etcd.decide.EtcdMemberPod;
import dev.ouroboros.etcd.decide.EtcdTlsFiles;
import dev.ouroboros.etcd.membership.MemberAdder;
import dev.ouroboros.etcd.membership.MemberCertificates;
import dev.ouroboros.etcd.membership.MemberDefragmenter;
import dev.ouroboros.etcd.membership.MemberJoiner;
import dev.ouroboros.etcd.membership.MemberLeaver;
import dev.ouroboros.etcd.membership.MemberRemover;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.FreeSpace;
import dev.ouroboros.node.port.Listeners;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.render.pki.RenewalPolicy;
import dev.ouroboros.runtime.ContainerRuntime;
import dev.ouroboros.steward.decide.EtcdWish;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The jobs of {@link EtcdJob}, done by the same classes that {@code ouro etcd} and {@code ouro change} use. */
final class EtcdWork implements EtcdJobs.Work {
    private static final Logger LOG = LoggerFactory.getLogger(EtcdWork.class);
    private static final Duration LIMIT = Duration.ofMinutes(10);
    /** As of {@code ouro etcd change}. */
    private static final Duration CHANGE_LIMIT = Duration.ofMinutes(5);

    /** Bytes that must be free beyond the size in use, to rewrite a database file. */
    private static final long SPARE = 64L << 20;

    private final Places places;
    private final EndpointSource self;
    private final ClientFiles etcd;
    private final Supplier<EtcdCluster> members;
    private final Disk disk;
    private final ContainerRuntime runtime;
    private final InstantSource clock;
    private final InstantSource wallClock;

    /**
     * Paths on this node.
     *
     * @param manifest of its member of etcd, where the kubelet looks for it
     * @param state directory of locks and journals
     * @param kubeconfig of its kubelet, with which it asks for a certificate
     * @param authorityKey of etcd's authority; empty where the owner keeps it
     */
    record Places(Path manifest, Path state, Path kubeconfig, Optional<Path> authorityKey) {}

    /**
     * Nothing is done yet.
     *
     * @param self identity at the API
     * @param etcd files of an etcd client, with the authority's certificate
     * @param members asks etcd
     * @param clock that does not jump
     */
    EtcdWork(
            Places places,
            EndpointSource self,
            ClientFiles etcd,
            Supplier<EtcdCluster> members,
            Disk disk,
            ContainerRuntime runtime,
            InstantSource clock,
            InstantSource wallClock) {
        this.places = places;
        this.self = self;
        this.etcd = etcd;
        this.members = members;
        this.disk = disk;
        this.runtime = runtime;
        this.clock = clock;
        this.wallClock = wallClock;
    }

    /** Whether the kubelet of this node has a manifest of a member of etcd. */
    boolean hasMember() {
        return disk.status(places.manifest()).isPresent();
    }

    /**
     * The member of etcd in the manifest of this node's kubelet.
     *
     * @throws ProblemException when the manifest is not understood
     */
    Optional<EtcdMemberPod> member() {
        return disk.readText(places.manifest())
                .map(text -> EtcdMemberPod.of(places.manifest().toString(), text));
    }

    /** Whether members can be added from here. */
    boolean hasAuthority() {
        return places.authorityKey().isPresent();
    }

    /** What was begun for this node's member, also by a command, and has not ended. */
    Optional<EtcdJob> unfinished() {
        if (isUnfinished(UnfinishedChange.LEAVE)) {
            return Optional.of(new EtcdJob.Leave());
        }
        if (isUnfinished(UnfinishedChange.CHANGE)) {
            return Optional.of(new EtcdJob.Change(Optional.empty()));
        }
        return isUnfinished(UnfinishedChange.JOIN) ? Optional.of(new EtcdJob.Join()) : Optional.empty();
    }

    private boolean isUnfinished(UnfinishedChange change) {
        return disk.status(change.directory(places.state()).resolve(UnfinishedChange.JOURNAL))
                .isPresent();
    }

    /**
     * This node's member; empty while something is being done with it, and when its manifest is not understood: such a member is not ours to manage.
     */
    Optional<EtcdMemberPod> quietMember() {
        try {
            return unfinished().isPresent() ? Optional.empty() : member();
        } catch (ProblemException e) {
            LOG.warn("component=steward event=member-not-understood reason=\"{}\"", Steward.describe(e));
            return Optional.empty();
        }
    }

    /**
     * The certificate files of this node's member; empty while something is being done with it.
     *
     * @throws ProblemException when its manifest hides which files they are
     */
    Optional<EtcdTlsFiles> quietFiles() {
        return unfinished().isPresent()
                ? Optional.empty()
                : disk.readText(places.manifest())
                        .map(text -> EtcdTlsFiles.of(places.manifest().toString(), text));
    }

    /** The certificates of this node's member. */
    MemberCertificates certificates(EtcdTlsFiles files, RenewalPolicy policy) {
        Optional<Credential> authority = places.authorityKey()
                .flatMap(key -> etcd.authorities()
                        .flatMap(certificate -> MemberCertificates.authority(disk, certificate, key)));
        return new MemberCertificates(disk, files, authority, policy, wallClock, new SecureRandom());
    }

    /**
     * Deletes the mark that members were added here: this node's member is the only one again, and after a restore of it no other has the former data.
     */
    void forgetAdded() {
        disk.delete(places.state().resolve(StateLayout.ETCD_MEMBERS_ADDED));
    }

    @Override
    public void perform(EtcdJob job, ProcedureListener listener) {
        switch (job) {
            case EtcdJob.Add(String node) -> add(node, listener);
            case EtcdJob.TellApiServers(List<String> without) -> tell(without, listener);
            case EtcdJob.Remove(String member) -> remove(member, listener);
            case EtcdJob.Change(Optional<EtcdWish> wish) -> change(wish, listener);
            case EtcdJob.Defragment() -> defragment(listener);
            case EtcdJob.Join() -> join(listener);
            case EtcdJob.Leave() -> leave(List.of(), false, listener);
            case EtcdJob.Clear(List<String> others) -> leave(others, true, listener);
        }
    }

    private void add(String node, ProcedureListener listener) {
        Path key = places.authorityKey()
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.CHANGE_REFUSED,
                        "etcd's authority",
                        "is the owner's: its key is not here",
                        "an etcd of render's own",
                        "add members with 'ouro etcd add', where the key is"));
        Path certificate = etcd.authorities().orElseThrow();
        try (ClusterClient client = client()) {
            new MemberAdder(disk, client, wallClock, clock, listener)
                    .add(new MemberAdder.Options(node, places.manifest(), certificate, key, places.state(), LIMIT));
        }
    }

    private void tell(List<String> without, ProcedureListener listener) {
        List<String> urls = members.get().clientUrlsWithout(without);
        try (ClusterClient client = client()) {
            new EtcdServersChange(client, listener, LIMIT, clock).to(urls);
        }
    }

    private void remove(String member, ProcedureListener listener) {
        new MemberRemover(clock, listener).remove(member, answering(), LIMIT);
    }

    private EtcdServers answering() {
        return EtcdServers.of(members.get().answeringUrls(), etcd);
    }

    private void change(Optional<EtcdWish> wish, ProcedureListener listener) {
        Path directory = UnfinishedChange.CHANGE.directory(places.state());
        Path target = directory.resolve(wish.isPresent() ? "wished.yaml" : "target.yaml");
        if (wish.isPresent()) {
            Optional<EtcdMemberPod> member = member();
            if (member.isEmpty()) {
                return;
            }
            disk.createDirectories(directory, Disk.OWNER_ONLY_DIRECTORY);
            disk.write(
                    target,
                    wished(member.get(), wish.get(), isOneOfSeveral()).text().getBytes(StandardCharsets.UTF_8),
                    Disk.OWNER_ONLY_FILE);
        }
        try {
            new EtcdChanger(disk, runtime, Listeners.ofThisMachine(), clock, listener)
                    .change(new EtcdChangeOptions(target, places.manifest(), places.state(), CHANGE_LIMIT));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ProblemException.of(ErrorCode.TIMEOUT, "the change", "was interrupted", "", "it is gone on with");
        }
    }

    /** Defragments this member of several, so that an etcd that has raised NOSPACE meanwhile refuses. */
    private void defragment(ProcedureListener listener) {
        EtcdCluster cluster = members.get();
        Optional<EtcdMemberPod> pod = member();
        Optional<EtcdMember> own = pod.flatMap(present -> cluster.members().stream()
                .filter(member -> member.isAt(present.peerUrls()))
                .findFirst()
                .filter(member -> MemberDefragmenter.worthwhile(cluster).contains(member.id())));
        if (own.isEmpty()) {
            return;
        }
        FreeSpace.require(
                disk,
                Path.of(pod.get().etcd().dataDirectory()),
                cluster.statusOf(own.get()).map(EtcdMemberStatus::usedBytes).orElse(0L) + SPARE,
                "a file that is written anew beside the old one",
                "make room, or move etcd to a larger disk");
        new MemberDefragmenter(clock, listener).defragment(List.of(own.get().id()), answering(), LIMIT);
    }

    private boolean isOneOfSeveral() {
        return members.get().voters().size() > 1;
    }

    /**
     * The member as it is wished.
     *
     * @param isOneOfSeveral a member that began its etcd must not begin another one when it has lost its data
     */
    static EtcdMemberPod wished(EtcdMemberPod member, EtcdWish wish, boolean isOneOfSeveral) {
        EtcdMemberPod wished = member.with(wish.image(), wish.flags());
        return isOneOfSeveral ? wished.joining() : wished;
    }

    /** Whether this node's member does not answer at its own address. */
    boolean isSilent(EtcdMemberPod member) {
        try {
            new EtcdClusterSource(EtcdServers.ofMember(List.of(member.clientUrl()), member)).look();
            return false;
        } catch (ProblemException e) {
            return true;
        }
    }

    private void join(ProcedureListener listener) {
        try (ClusterClient client = ClusterClient.connect(KubeconfigFile.read(places.kubeconfig(), Optional.empty()))) {
            new MemberJoiner(disk, runtime, client, clock, listener)
                    .join(new MemberJoiner.Options(places.manifest(), places.state(), LIMIT));
        }
    }

    private void leave(List<String> others, boolean isRemoved, ProcedureListener listener) {
        new MemberLeaver(disk, runtime, Listeners.ofThisMachine(), clock, listener)
                .leave(new MemberLeaver.Options(places.manifest(), others, places.state(), LIMIT, isRemoved));
    }

    /** A client with the ServiceAccount token as it is now: the kubelet replaces it before it expires. */
    ClusterClient client() {
        try {
            return ClusterClient.connect(self.endpoint(self.text()));
        } catch (ApiException e) {
            throw ProblemException.of(
                    ErrorCode.API_UNAVAILABLE,
                    "the API",
                    String.valueOf(e.getMessage()),
                    "the token that the kubelet mounts",
                    "it is tried again");
        }
    }
}
