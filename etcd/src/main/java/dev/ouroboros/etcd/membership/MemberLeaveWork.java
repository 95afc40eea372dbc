package dev.ouroboros.etcd.membership;

import dev.ouroboros.etcd.ClientDoors;
import dev.ouroboros.etcd.EtcdServers;
import dev.ouroboros.etcd.MemberChanges;
import dev.ouroboros.etcd.membership.decide.MemberLeave;
import dev.ouroboros.etcd.membership.decide.MemberLeave.Action;
import dev.ouroboros.etcd.membership.decide.MemberLeave.Phase;
import dev.ouroboros.etcd.membership.decide.MemberLeave.Seen;
import dev.ouroboros.etcd.membership.decide.MembersSeen;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.NextStep;
import dev.ouroboros.model.procedure.Procedure;
import dev.ouroboros.node.disk.Disk;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** A member's leaving as a procedure: it looks at the other members and at the node and acts there, and {@link MemberLeave} decides. */
final class MemberLeaveWork implements Procedure<Phase, Seen, Action> {
    private final Disk disk;
    private final NodeMember member;
    private final Path manifest;
    private final Entry entry;
    private final ClientDoors doors;
    private final Consumer<String> listener;
    private Optional<Problem> refusal = Optional.empty();

    /**
     * What is known of a leave that has begun.
     *
     * @param id of the member, in hexadecimal; a word in its place when the list did not have it any more
     * @param others client URLs of the other members
     */
    record Entry(String id, List<String> others, Phase phase) {
        Entry {
            others = List.copyOf(others);
        }
    }

    /**
     * Nothing is asked yet.
     *
     * @param manifest where the kubelet looks for it
     */
    MemberLeaveWork(
            Disk disk, NodeMember member, Path manifest, Entry entry, ClientDoors doors, Consumer<String> listener) {
        this.disk = disk;
        this.member = member;
        this.manifest = manifest;
        this.entry = entry;
        this.doors = doors;
        this.listener = listener;
    }

    @Override
    public Seen look(Phase phase) {
        Evidence<Optional<String>> clients = doors.clientsAtFirst();
        Seen seen = new Seen(
                phase == Phase.LEAVING ? members() : Evidence.unknown("not asked in this phase"),
                clients,
                NodeMember.hasManifest(disk, manifest),
                member.runs(),
                member.hasData(),
                member.hasKeys(),
                refusal);
        refusal = Optional.empty();
        return seen;
    }

    /** The member itself may have ended: the others are asked. */
    private Evidence<MembersSeen> members() {
        return Evidence.asking(this::others)
                .flatMap(servers -> new MembershipSource(servers).cluster())
                .flatMap(cluster -> MembershipSource.members(
                        cluster, MembershipSource.at(member.pod().peerUrls())));
    }

    private EtcdServers others() {
        return EtcdServers.ofMember(entry.others(), member.pod());
    }

    @Override
    public NextStep<Phase, Action> decide(Seen seen, Phase phase, Instant now) {
        return MemberLeave.decide(seen, phase);
    }

    /** Performs the action; why it came to nothing is part of the next look. */
    @Override
    public Phase perform(Action action, Phase phase) {
        try {
            listener.accept(
                    switch (action) {
                        case Action.MoveLeader(String next) -> {
                            // Only who leads gives that up.
                            new MemberChanges(EtcdServers.ofMember(
                                            List.of(member.pod().clientUrl()), member.pod()))
                                    .moveLeader(next);
                            yield "member " + next + " leads";
                        }
                        case Action.Remove(String own) -> {
                            new MemberChanges(others()).remove(own);
                            yield "member " + own + " is none any more";
                        }
                        case Action.Stop() -> {
                            member.stop();
                            yield manifest + " is removed: its etcd ends";
                        }
                        case Action.SetAside() -> "its data are kept as " + member.setAside(entry.id());
                        case Action.RemoveKeys() -> {
                            member.removeKeys();
                            yield "its keys are removed";
                        }
                    });
        } catch (ProblemException e) {
            refusal = Optional.of(e.problems().getFirst());
        }
        return phase;
    }
}
