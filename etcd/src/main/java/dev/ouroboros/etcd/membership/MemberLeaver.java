package dev.ouroboros.etcd.membership;

import dev.ouroboros.etcd.ClientDoors;
import dev.ouroboros.etcd.EtcdCluster;
import dev.ouroboros.etcd.EtcdMember;
import dev.ouroboros.etcd.LocalApiServers;
import dev.ouroboros.etcd.UnfinishedChange;
import dev.ouroboros.etcd.decide.EtcdMemberPod;
import dev.ouroboros.etcd.membership.MemberLeaveWork.Entry;
import dev.ouroboros.etcd.membership.decide.MemberLeave;
import dev.ouroboros.etcd.membership.decide.MemberLeave.Phase;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.Journal;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.lock.ExclusiveLock;
import dev.ouroboros.node.port.Listeners;
import dev.ouroboros.node.procedure.JournalFile;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.runtime.ContainerRuntime;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/** Has the member of etcd on this node leave: the steps are {@link MemberLeave}'s. It may be killed at any instruction and goes on when it is called again. */
public final class MemberLeaver {
    /** In the place of an ID, of a member that the list does not have any more. */
    private static final String BEFORE = "before";

    private final Disk disk;
    private final ContainerRuntime runtime;
    private final Listeners listeners;
    private final InstantSource clock;
    private final ProcedureListener listener;

    /** @param clock that does not jump: limits are counted on it */
    public MemberLeaver(
            Disk disk, ContainerRuntime runtime, Listeners listeners, InstantSource clock, ProcedureListener listener) {
        this.disk = disk;
        this.runtime = runtime;
        this.listeners = listeners;
        this.clock = clock;
        this.listener = listener;
    }

    /**
     * Where and how long.
     *
     * @param manifest of etcd, where the kubelet looks for it
     * @param others client URLs of other members, for a member that is none any more and does not know them; empty for those that it knows
     * @param limit how long one thing is waited for
     * @param isRemoved whether only what a member has left is cleared away: one that is on the list, as itself says or the others, is refused
     */
    public record Options(Path manifest, List<String> others, Path stateDirectory, Duration limit, boolean isRemoved) {
        public Options {
            others = List.copyOf(others);
        }

        /** Of a member that leaves. */
        public Options(Path manifest, List<String> others, Path stateDirectory, Duration limit) {
            this(manifest, others, stateDirectory, limit, false);
        }
    }

    /** What became of it. */
    public enum Outcome {
        LEFT,
        /** The node has no manifest of etcd: nothing was done. */
        SAME
    }

    /**
     * Leaves.
     *
     * @throws ProblemException CHANGE_REFUSED and others before anything was done; TIMEOUT when the next call goes on
     */
    public Outcome leave(Options options) {
        try (ExclusiveLock _ = UnfinishedChange.lock(disk, options.stateDirectory())) {
            UnfinishedChange.requireNone(
                    disk,
                    options.stateDirectory(),
                    List.of(UnfinishedChange.CHANGE, UnfinishedChange.JOIN),
                    options.manifest().toString());
            UnfinishedChange.requireNoStart(disk, options.stateDirectory());
            Path directory = UnfinishedChange.LEAVE.directory(options.stateDirectory());
            Path copy = directory.resolve("etcd.yaml");
            JournalFile journal = new JournalFile(
                    disk,
                    directory.resolve(UnfinishedChange.JOURNAL),
                    "MemberLeaveJournal",
                    "leaving of a member of etcd");
            Optional<Entry> before = journal.read(MemberLeaver::entry);
            if (before.isEmpty()) {
                Optional<String> text = disk.readText(options.manifest());
                if (text.isEmpty()) {
                    return Outcome.SAME;
                }
                Entry begun = begin(EtcdMemberPod.of(options.manifest().toString(), text.get()), options);
                disk.createDirectories(directory, Disk.OWNER_ONLY_DIRECTORY);
                disk.write(copy, text.get().getBytes(StandardCharsets.UTF_8), Disk.OWNER_ONLY_FILE);
                write(journal, begun);
                before = Optional.of(begun);
            }
            if (!options.others().isEmpty()) {
                // One that is on the list knows its others better.
                before = before.map(entry ->
                        entry.id().equals(BEFORE) ? new Entry(entry.id(), options.others(), entry.phase()) : entry);
            }
            EtcdMemberPod pod = EtcdMemberPod.of(
                    copy.toString(),
                    disk.readText(copy)
                            .orElseThrow(() -> ProblemException.of(
                                    ErrorCode.NOT_FOUND,
                                    copy.toString(),
                                    "does not exist",
                                    "the manifest of the member that leaves",
                                    "write it there yourself, then go on")));
            run(options, pod, before.get(), journal);
            journal.remove();
            return Outcome.LEFT;
        }
    }

    private static void write(JournalFile journal, Entry entry) {
        journal.write(Json.object()
                .with("member", Json.text(entry.id()))
                .with("others", Json.texts(entry.others()))
                .with("phase", Json.text(entry.phase().name())));
    }

    private static Entry entry(Json root) {
        return new Entry(
                JournalFile.required(root, "member"),
                root.at("others").items().stream()
                        .flatMap(url -> url.text().stream())
                        .toList(),
                Phase.valueOf(JournalFile.required(root, "phase")));
    }

    private void run(Options options, EtcdMemberPod pod, Entry entry, JournalFile journal) {
        MemberLeaveWork work = new MemberLeaveWork(
                disk,
                new NodeMember(disk, runtime, pod, options.manifest()),
                options.manifest(),
                entry,
                new ClientDoors(pod, listeners),
                listener::did);
        Journal<Phase> kept = phase -> {
            if (phase == Phase.CLEARING) {
                markAsLeft(options.stateDirectory());
            }
            write(journal, new Entry(entry.id(), entry.others(), phase));
        };
        new Patience(listener, options.limit(), clock).run(work, kept, entry.phase());
    }

    /** Not before the list is without it: whoever prepares the node takes away the manifest of one that has left. */
    private void markAsLeft(Path stateDirectory) {
        disk.write(
                stateDirectory.resolve(StateLayout.ETCD_LEFT),
                "a member that is started here with the manifest of before would be one of another etcd\n"
                        .getBytes(StandardCharsets.UTF_8),
                Disk.OWNER_ONLY_FILE);
    }

    /** @throws ProblemException with what forbids it */
    private Entry begin(EtcdMemberPod present, Options options) {
        EtcdCluster cluster = OwnCluster.ask(present, options.others());
        if (cluster.leader().isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.ETCD_UNAVAILABLE,
                    "etcd",
                    "has no leader as far as is seen from here: its list of members may be of before",
                    "a majority of its members",
                    "see ouro etcd status");
        }
        Optional<EtcdMember> own = cluster.members().stream()
                .filter(MembershipSource.at(present.peerUrls()))
                .findFirst();
        if (options.isRemoved() && own.isPresent()) {
            throw ProblemException.of(
                    ErrorCode.CHANGE_REFUSED,
                    "member " + own.get().title(),
                    "is on a list of members: nothing of it is cleared away",
                    "one that was removed",
                    "see ouro etcd status; to have it leave: ouro etcd leave");
        }
        List<EtcdMember> others = cluster.voters().stream()
                .filter(member -> !Optional.of(member).equals(own))
                .toList();
        List<String> urls =
                others.stream().flatMap(member -> member.clientUrls().stream()).toList();
        if (others.isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.CHANGE_REFUSED,
                    "etcd",
                    "has no other member that votes: without this one there is none",
                    "another one",
                    "add one first (docs/etcd.md)");
        }
        new LocalApiServers(listeners).requireKnown(urls);
        return new Entry(own.map(EtcdMember::id).orElse(BEFORE), urls, Phase.LEAVING);
    }
}
