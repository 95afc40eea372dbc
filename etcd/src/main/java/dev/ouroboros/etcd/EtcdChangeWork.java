package dev.ouroboros.etcd;

import dev.ouroboros.etcd.decide.Doors;
import dev.ouroboros.etcd.decide.EtcdChange;
import dev.ouroboros.etcd.decide.EtcdChangeAction;
import dev.ouroboros.etcd.decide.EtcdChangePhase;
import dev.ouroboros.etcd.decide.EtcdChangeSeen;
import dev.ouroboros.etcd.decide.EtcdChangeSeen.Member;
import dev.ouroboros.etcd.decide.EtcdChangeSeen.Members;
import dev.ouroboros.etcd.decide.EtcdChangeSeen.Place;
import dev.ouroboros.etcd.decide.EtcdChangeSeen.Written;
import dev.ouroboros.etcd.decide.EtcdChangeState;
import dev.ouroboros.etcd.decide.EtcdMemberPod;
import dev.ouroboros.etcd.decide.TemporaryMember;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.NextStep;
import dev.ouroboros.model.procedure.Procedure;
import dev.ouroboros.model.runtime.RuntimeContainer;
import dev.ouroboros.model.runtime.RuntimePod;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.runtime.ContainerRuntime;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** A change of a member of etcd as a procedure: it looks and acts on the node, and {@link EtcdChange} decides. */
final class EtcdChangeWork implements Procedure<EtcdChangeState, EtcdChangeSeen, EtcdChangeAction> {
    private final EtcdChange decisions;
    private final EtcdMemberPod former;
    private final String target;
    private final Path manifest;
    private final Surroundings surroundings;
    private final EtcdClusterSource source;
    private final MemberChanges changes;
    private final Consumer<String> listener;
    private Optional<Problem> refusal = Optional.empty();

    /**
     * What a change asks and changes.
     *
     * @param former asks the member that is changed whether it is well, where the former manifest says
     * @param target where the new one says
     * @param doors who is connected to the first port, and to the second
     */
    record Surroundings(
            Disk disk,
            ContainerRuntime runtime,
            EtcdProbe former,
            EtcdProbe target,
            EtcdServers servers,
            Supplier<Evidence<Doors>> doors) {}

    /**
     * Nothing is asked yet.
     *
     * @param former as the member was when the change began
     * @param target text of the new manifest
     * @param manifest where the kubelet has it
     */
    EtcdChangeWork(
            EtcdChange decisions,
            EtcdMemberPod former,
            String target,
            Path manifest,
            Surroundings surroundings,
            Consumer<String> listener) {
        this.decisions = decisions;
        this.former = former;
        this.target = target;
        this.manifest = manifest;
        this.surroundings = surroundings;
        this.source = new EtcdClusterSource(surroundings.servers());
        this.changes = new MemberChanges(surroundings.servers());
        this.listener = listener;
    }

    @Override
    public EtcdChangeSeen look(EtcdChangeState state) {
        EtcdChangePhase phase = state.phase();
        Evidence<List<RuntimePod>> pods = Evidence.asking(surroundings.runtime()::pods);
        Map<TemporaryMember, Place> places = new EnumMap<>(TemporaryMember.class);
        for (TemporaryMember member : TemporaryMember.values()) {
            places.put(
                    member,
                    new Place(
                            there(manifestOf(member)),
                            pods.map(all -> all.stream().filter(isOf(member)).anyMatch(RuntimePod::mayRun)),
                            there(Path.of(former.dataDirectory(member))),
                            Evidence.asking(() -> surroundings
                                    .disk()
                                    .readText(manifestOf(member))
                                    .equals(Optional.of(former.temporary(member, true))))));
        }
        boolean asksClients = state.alone() && phase != EtcdChangePhase.GROWING;
        EtcdChangeSeen seen = new EtcdChangeSeen(
                Evidence.asking(source::look).flatMap(this::members),
                places,
                Evidence.asking(this::written),
                pods.map(this::running),
                healthy(phase),
                asksClients ? surroundings.doors().get() : Evidence.unknown("not asked in this phase"),
                refusal);
        refusal = Optional.empty();
        return seen;
    }

    private Evidence<Boolean> healthy(EtcdChangePhase phase) {
        return switch (phase) {
            case SWITCHING -> surroundings.target().healthy();
            case ROLLING_BACK -> surroundings.former().healthy();
            case GROWING, CROSSING, RETURNING, SHRINKING, DONE, FAILED -> Evidence.unknown("not asked in this phase");
        };
    }

    /** Without a leader a list may be of before: what it lacks may be there. */
    private Evidence<Members> members(EtcdCluster cluster) {
        if (cluster.leader().isEmpty()) {
            return Evidence.unknown("it has no leader");
        }
        Map<TemporaryMember, Member> temporary = new EnumMap<>(TemporaryMember.class);
        Optional<Member> principal = Optional.empty();
        NavigableMap<String, Member> others = new TreeMap<>();
        for (EtcdMember member : cluster.members()) {
            Optional<TemporaryMember> known = temporaryAt(member.peerUrls());
            if (member.isAt(former.peerUrls())) {
                principal = Optional.of(seen(cluster, member));
            } else if (known.isPresent()) {
                temporary.put(known.get(), seen(cluster, member));
            } else {
                others.put(member.title(), seen(cluster, member));
            }
        }
        return principal
                .map(one -> Evidence.known(new Members(one, temporary, others)))
                .orElseGet(() ->
                        Evidence.unknown("its list of members has none at " + String.join(",", former.peerUrls())));
    }

    private Optional<TemporaryMember> temporaryAt(List<String> peerUrls) {
        return List.of(TemporaryMember.values()).stream()
                .filter(each -> Set.copyOf(peerUrls).equals(Set.copyOf(former.peerUrls(each))))
                .findFirst();
    }

    private Member seen(EtcdCluster cluster, EtcdMember member) {
        return new Member(
                member.id(),
                member.isLearner(),
                cluster.leader().filter(member.id()::equals).isPresent(),
                cluster.isCurrent(member),
                member.clientUrls().contains(former.clientUrl(TemporaryMember.SECOND_DOOR)));
    }

    private Written written() {
        Optional<String> text = surroundings.disk().readText(manifest);
        return text.equals(Optional.of(target))
                ? Written.TARGET
                : text.equals(Optional.of(former.text())) ? Written.FORMER : Written.OTHER;
    }

    /** The kubelet adds the node's name, which the pod of the second door has too, where there is one; other static pods may begin with the same word. */
    private Optional<String> running(List<RuntimePod> pods) {
        String temporary = former.podName(TemporaryMember.SECOND_DOOR);
        List<String> names = pods.stream()
                .filter(isOf(TemporaryMember.SECOND_DOOR))
                .map(pod -> former.etcd().podName() + pod.name().substring(temporary.length()))
                .toList();
        return pods.stream()
                .filter(isOf(former.etcd().podName()))
                .filter(pod -> names.isEmpty() || names.contains(pod.name()))
                .filter(pod -> pod.containers().stream()
                        .anyMatch(container -> container.state() == RuntimeContainer.State.RUNNING
                                && container.name().equals(former.containerName())))
                .reduce((_, newer) -> newer)
                .map(RuntimePod::uid);
    }

    private Predicate<RuntimePod> isOf(TemporaryMember member) {
        return isOf(former.podName(member));
    }

    /** The kubelet adds the node's name to that of a static pod. */
    private Predicate<RuntimePod> isOf(String podName) {
        return pod -> pod.namespace().equals(former.etcd().namespace())
                && pod.isStatic()
                && pod.name().startsWith(podName + "-");
    }

    private Evidence<Boolean> there(Path path) {
        return Evidence.asking(() -> surroundings.disk().status(path).isPresent());
    }

    @Override
    public NextStep<EtcdChangeState, EtcdChangeAction> decide(EtcdChangeSeen seen, EtcdChangeState state, Instant now) {
        return decisions.decide(seen, state, now);
    }

    /** Performs the action; why it came to nothing is part of the next look. */
    @Override
    public EtcdChangeState perform(EtcdChangeAction action, EtcdChangeState state) {
        try {
            listener.accept(
                    switch (action) {
                        case EtcdChangeAction.Add(TemporaryMember member) -> add(member);
                        case EtcdChangeAction.Start(TemporaryMember member) -> {
                            write(manifestOf(member), former.temporary(member, false));
                            yield "member " + member.id() + " is started";
                        }
                        case EtcdChangeAction.Open() -> {
                            TemporaryMember door = TemporaryMember.SECOND_DOOR;
                            write(manifestOf(door), former.temporary(door, true));
                            yield "member " + door.id() + " is opened";
                        }
                        case EtcdChangeAction.Promote(TemporaryMember member, String id) -> {
                            changes.promote(id);
                            yield "member " + member.id() + " votes";
                        }
                        case EtcdChangeAction.MoveLeader(String id) -> {
                            changes.moveLeader(id);
                            yield "member " + id + " leads";
                        }
                        case EtcdChangeAction.WriteTarget() -> {
                            write(manifest, target);
                            yield manifest + " is as in the new manifest";
                        }
                        case EtcdChangeAction.WriteFormer() -> {
                            write(manifest, former.text());
                            yield manifest + " is as before";
                        }
                        case EtcdChangeAction.Remove(TemporaryMember member, String id) -> {
                            changes.remove(id);
                            yield "member " + member.id() + " is removed";
                        }
                        case EtcdChangeAction.Stop(TemporaryMember member) -> {
                            surroundings.disk().delete(manifestOf(member));
                            yield "member " + member.id() + " is stopped";
                        }
                        case EtcdChangeAction.Discard(TemporaryMember member) -> {
                            surroundings.disk().deleteTree(Path.of(former.dataDirectory(member)));
                            yield "data of member " + member.id() + " are deleted";
                        }
                    });
        } catch (ProblemException e) {
            refusal = Optional.of(e.problems().getFirst());
        }
        return state;
    }

    private String add(TemporaryMember member) {
        Path data = Path.of(former.dataDirectory(member));
        surroundings.disk().deleteTree(data);
        // etcd warns of one that others may read, as the kubelet would make it.
        surroundings.disk().createDirectories(data, Disk.OWNER_ONLY_DIRECTORY);
        changes.addLearner(former.peerUrls(member));
        return "member " + member.id() + " is added";
    }

    private Path manifestOf(TemporaryMember member) {
        return manifest.resolveSibling(former.podName(member) + ".yaml");
    }

    private void write(Path file, String text) {
        surroundings.disk().write(file, text.getBytes(StandardCharsets.UTF_8), Disk.OWNER_ONLY_FILE);
    }
}
