package dev.ouroboros.steward;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.etcd.EtcdCluster;
import dev.ouroboros.etcd.EtcdMember;
import dev.ouroboros.etcd.EtcdMemberStatus;
import dev.ouroboros.etcd.decide.EtcdMemberPod;
import dev.ouroboros.etcd.decide.TemporaryMember;
import dev.ouroboros.etcd.membership.MemberDefragmenter;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.steward.decide.ControlPlaneObject;
import dev.ouroboros.steward.decide.ControlPlaneStatus.Scaling;
import dev.ouroboros.steward.decide.EtcdScale;
import dev.ouroboros.steward.decide.EtcdScale.Step;
import dev.ouroboros.steward.decide.EtcdWish;
import dev.ouroboros.steward.decide.MemberManifest;
import dev.ouroboros.steward.decide.NodeJob;
import dev.ouroboros.steward.decide.ScaleReport;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has etcd as many members as are wished: decides, as the one of the nodes with a member that has the Lease, and does for its own node what the status says that the one that leads decided.
 *
 * <p>A job of the one that leads ends when the Lease was not renewed for a while, as another one may have it then. What a node has begun for itself is ended whatever is wished meanwhile: a node with half a
 * member is in everybody's way, and the one that leads decides on from there.
 */
final class MemberScaling implements EtcdManagement {
    private static final Logger LOG = LoggerFactory.getLogger(MemberScaling.class);
    /** As long as that no list of one that lags is believed in. */
    private static final Duration OFF_FOR = Duration.ofMinutes(1);
    /** Looks at etcd that are further apart say nothing of the time between them. */
    private static final Duration GAP = Duration.ofMinutes(1);

    private final String node;
    private final Api api;
    private final EtcdWork work;
    private final Leadership leadership;
    private final Supplier<EtcdCluster> members;
    private final InstantSource clock;
    private final InstantSource wallClock;
    private final EtcdJobs leading;
    private final EtcdJobs own;
    /** When a member was first known not to answer, by its ID. */
    private final Map<String, Instant> silentSince = new HashMap<>();

    private Optional<Instant> lookedAt = Optional.empty();

    /** When etcd's list was first seen without the member whose manifest is here. */
    private Optional<Instant> offSince = Optional.empty();

    /** Of this node's member. */
    private Optional<MemberManifest.Defragmentation> defragmentation = Optional.empty();

    private Optional<Instant> notedEnd = Optional.empty();

    /**
     * Nothing is known yet.
     *
     * @param clock that does not jump
     * @param wallClock of which people read times
     */
    MemberScaling(
            String node,
            Api api,
            EtcdWork work,
            Leadership leadership,
            Supplier<EtcdCluster> members,
            InstantSource clock,
            InstantSource wallClock) {
        this.node = node;
        this.api = api;
        this.work = work;
        this.leadership = leadership;
        this.members = members;
        this.clock = clock;
        this.wallClock = wallClock;
        this.leading = new EtcdJobs(work, clock, leadership::leads);
        this.own = new EtcdJobs(work, clock, () -> true);
    }

    @Override
    public Told turn(ControlPlaneObject object, WishSource.Seen now) {
        Optional<MemberManifest> manifest = Optional.empty();
        Optional<NodeJob> job = Optional.empty();
        try {
            rememberDefragmentation(object);
            Evidence<Optional<MemberManifest>> read = Evidence.asking(() -> manifest(object));
            manifest = read.orElse(Optional.empty());
            job = ofThisNode(object, manifest).or(() -> notUnderstood(read));
            // Who leads asks its own member when it adds another one.
            boolean mayLead = work.hasMember()
                    && offSince.isEmpty()
                    && manifest.filter(MemberManifest::isSilent).isEmpty();
            if (leadership.hold(mayLead)) {
                Optional<Scaling> scaling = lead(object, now);
                // A look at members that are off takes long, and the Lease is short.
                leadership.hold(mayLead);
                return new Told(scaling, job, manifest);
            }
            silentSince.clear();
        } catch (ApiException e) {
            LOG.warn("component=steward event=scaling-unknown reason=\"{}\"", e.getMessage());
        } catch (ProblemException e) {
            LOG.warn("component=steward event=members-unknown reason=\"{}\"", Steward.describe(e));
        }
        return new Told(Optional.empty(), job, manifest);
    }

    /** Certificates and kubelets wait for whoever leads, so that a member that cannot be changed keeps nobody from that. */
    private Optional<NodeJob> notUnderstood(Evidence<Optional<MemberManifest>> read) {
        if (read instanceof Unknown<Optional<MemberManifest>>(String why)) {
            LOG.warn("component=steward event=member-not-understood reason=\"{}\"", why);
            return Optional.of(new NodeJob(node, true, why));
        }
        return Optional.empty();
    }

    private Optional<NodeJob> ofThisNode(ControlPlaneObject object, Optional<MemberManifest> manifest) {
        // Who decided may not know yet that it is done, or that it was taken back.
        boolean isOutdated = manifest.filter(known -> known.state() == MemberManifest.State.OUTDATED)
                .isPresent();
        Optional<EtcdJob> decided = ScaleReport.decided(object)
                .filter(report -> report.node().equals(node))
                .flatMap(report -> switch (report.step()) {
                    // What a member left that is off the list is cleared away first, and a join that has begun is gone
                    // on with below.
                    case ScaleReport.ADD -> work.hasMember() ? Optional.empty() : Optional.of(new EtcdJob.Join());
                    case ScaleReport.CHANGE ->
                        isOutdated ? Optional.of(new EtcdJob.Change(Optional.of(object.etcdWish()))) : Optional.empty();
                    case ScaleReport.DEFRAGMENT ->
                        isDefragmentedRecently() ? Optional.empty() : Optional.of(new EtcdJob.Defragment());
                    case ScaleReport.LEAVE -> Optional.of(new EtcdJob.Leave());
                    default -> Optional.empty();
                });
        Optional<EtcdJob> begun = work.unfinished();
        // What was begun and not ended stands in the way of whatever was decided since.
        Optional<EtcdJob> next = begun.or(() -> clearing(object)).or(() -> decided);
        // Both lock this node's state, and a process has each lock once.
        next.filter(_ -> leading.progress().isEmpty()).ifPresent(own::ensure);
        if (next.isEmpty() && own.progress().isEmpty()) {
            return Optional.empty();
        }
        return own.progress()
                .map(what -> new NodeJob(node, false, what))
                .or(() -> own.failure().map(why -> new NodeJob(node, true, why)));
    }

    /** When this node's member last wrote its file anew, or was to; told by the manifest, so that whoever leads and the process after this one know it. */
    private void rememberDefragmentation(ControlPlaneObject object) {
        if (defragmentation.isEmpty()) {
            defragmentation = MemberManifest.of(object, node).flatMap(MemberManifest::defragmentation);
        }
        own.lastEnd()
                .filter(end -> end.job() instanceof EtcdJob.Defragment && !notedEnd.equals(Optional.of(end.at())))
                .ifPresent(end -> {
                    notedEnd = Optional.of(end.at());
                    defragmentation = Optional.of(new MemberManifest.Defragmentation(
                            wallClock.instant().truncatedTo(ChronoUnit.SECONDS), end.failure()));
                });
    }

    private boolean isDefragmentedRecently() {
        return defragmentation
                .filter(last -> last.isRecent(wallClock.instant()))
                .isPresent();
    }

    /** Whether this node's member has what is wished. */
    private Optional<MemberManifest> manifest(ControlPlaneObject object) {
        EtcdWish wish = object.etcdWish();
        boolean isOneOfSeveral = object.etcdSize().orElse(1) > 1;
        if ((wish.isEmpty() && !isOneOfSeveral) || wish.mistake().isPresent()) {
            return Optional.empty();
        }
        return work.member().map(member -> compare(member, wish, isOneOfSeveral, object));
    }

    private MemberManifest compare(
            EtcdMemberPod member, EtcdWish wish, boolean isOneOfSeveral, ControlPlaneObject object) {
        long generation = object.generation();
        // With one that is at something here that is expected.
        boolean isSilent =
                own.progress().isEmpty() && object.hasSilentMemberAt(member.clientUrl()) && work.isSilent(member);
        MemberManifest.State state;
        String message = "";
        Optional<String> takenBack = own.takenBack(new EtcdJob.Change(Optional.of(wish)));
        // A process that ended for it must not try again what did not run.
        Optional<MemberManifest> failedBefore = MemberManifest.of(object, node)
                .filter(told -> told.generation() == generation && told.state() == MemberManifest.State.FAILED);
        if (member.isSameAs(EtcdWork.wished(member, wish, isOneOfSeveral))) {
            state = MemberManifest.State.CURRENT;
        } else if (takenBack.isPresent() || failedBefore.isPresent()) {
            state = MemberManifest.State.FAILED;
            message = takenBack
                    .or(() -> failedBefore.map(MemberManifest::message))
                    .orElse("");
        } else {
            state = MemberManifest.State.OUTDATED;
        }
        return new MemberManifest(node, generation, state, message, member.startsAlone(), isSilent, defragmentation);
    }

    /** This node's member was taken off the list while it was away, and what it had is still here: nobody else can clear it away, and the node can get no other one before. */
    private Optional<EtcdJob> clearing(ControlPlaneObject object) {
        Optional<EtcdCluster> etcd = withoutOurs(object);
        if (etcd.isEmpty()) {
            offSince = Optional.empty();
            return Optional.empty();
        }
        Instant since = offSince.orElseGet(clock::instant);
        offSince = Optional.of(since);
        return since.plus(OFF_FOR).isAfter(clock.instant())
                ? Optional.empty()
                : Optional.of(new EtcdJob.Clear(etcd.get().answeringUrls()));
    }

    /** The etcd that has no member where the manifest of this node has one; empty when there is one, or no manifest, or nobody knows. */
    private Optional<EtcdCluster> withoutOurs(ControlPlaneObject object) {
        try {
            Optional<EtcdMemberPod> own = work.member().filter(pod -> object.lacksMemberAt(pod.clientUrl()));
            if (own.isEmpty()) {
                return Optional.empty();
            }
            EtcdCluster etcd = members.get();
            // Without a leader a list may be of before.
            return Optional.of(etcd)
                    .filter(told -> told.leader().isPresent()
                            && !told.hasMemberAt(own.get().peerUrls()));
        } catch (ProblemException e) {
            LOG.warn("component=steward event=own-member-unknown reason=\"{}\"", Steward.describe(e));
            return Optional.empty();
        }
    }

    private Optional<Scaling> lead(ControlPlaneObject object, WishSource.Seen now) throws ApiException {
        EtcdCluster told = members.get();
        OptionalInt quotaPercent = quotaPercent(told, object);
        List<EtcdScale.Member> etcd = seen(told, object, now.nodes());
        OptionalInt size = object.etcdSize();
        if (size.isEmpty()) {
            adopt(object, etcd, now.ready());
            return Optional.empty();
        }
        Optional<String> mistake = object.etcdWish().mistake();
        if (mistake.isPresent()) {
            return Optional.of(new Scaling(
                    Optional.of(new ScaleReport("", "", true, "InvalidFlags", mistake.get())), quotaPercent));
        }
        Step step = EtcdScale.next(new EtcdScale.Seen(
                size.getAsInt(),
                etcd,
                now.ready(),
                now.etcdServers(),
                now.isRolledOut(),
                ScaleReport.adding(object),
                object.replaceAfter(),
                !object.etcdWish().isEmpty(),
                manifests(object, now.nodes().keySet())));
        if (step instanceof Step.Settled && etcd.size() == 1) {
            work.forgetAdded();
        }
        return Optional.of(new Scaling(begin(step, object, now.isRolledOut()), quotaPercent));
    }

    /** By the quota of this node's member: all are to have the same. While something is done with that one it is as it was. */
    private OptionalInt quotaPercent(EtcdCluster etcd, ControlPlaneObject object) {
        return work.quietMember()
                .map(member -> member.quota()
                        .map(quota -> quota.percent(etcd.largestDatabaseBytes()))
                        .orElseGet(OptionalInt::empty))
                .orElseGet(object::quotaPercent);
    }

    private static EtcdScale.Manifests manifests(ControlPlaneObject object, Set<String> nodes) {
        return new EtcdScale.Manifests(
                object.generation(),
                nodes.stream()
                        .flatMap(name -> MemberManifest.of(object, name).stream())
                        .collect(Collectors.toMap(MemberManifest::node, manifest -> manifest)),
                nodes.stream()
                        .filter(name -> NodeJob.of(object, name).isPresent())
                        .collect(Collectors.toSet()),
                ScaleReport.changing(object).filter(changed -> isAtIt(object, changed)),
                ScaleReport.defragmenting(object).filter(changed -> isAtIt(object, changed)));
    }

    /** By its own steward, which is at it: also when the manifest is there already, and the member is not. */
    private static boolean isAtIt(ControlPlaneObject object, String node) {
        return NodeJob.of(object, node).filter(job -> !job.isFailed()).isPresent();
    }

    /** Nobody has said how many there are to be: as many as there are, so that {@code kubectl scale} has a number to change. */
    private void adopt(ControlPlaneObject object, List<EtcdScale.Member> etcd, Set<String> ready) throws ApiException {
        boolean isAtRest = etcd.stream()
                .allMatch(member -> !member.isLearner()
                        && member.silentFor().isEmpty()
                        && member.node().filter(ready::contains).isPresent());
        if (!isAtRest || !ControlPlaneObject.SIZES.contains((long) etcd.size())) {
            return;
        }
        Json version = object.object().at("metadata", "resourceVersion");
        api.patch(
                WishSource.OBJECT,
                Api.PatchType.MERGE,
                Json.object()
                        .with("metadata", Json.object().with("resourceVersion", version))
                        .with(
                                "spec",
                                Json.object().with("etcd", Json.object().with("size", Json.number(etcd.size())))));
        LOG.info("component=steward event=size-adopted size={}", etcd.size());
    }

    private List<EtcdScale.Member> seen(EtcdCluster etcd, ControlPlaneObject object, Map<String, Set<String>> nodes) {
        Instant now = clock.instant();
        if (lookedAt.filter(last -> last.plus(GAP).isAfter(now)).isEmpty()) {
            // As after a pause: what was in between is not known.
            silentSince.clear();
        }
        lookedAt = Optional.of(now);
        etcd.members().forEach(member -> {
            if (etcd.statusOf(member) instanceof Known<EtcdMemberStatus>) {
                silentSince.remove(member.id());
            } else {
                silentSince.putIfAbsent(member.id(), now);
            }
        });
        Set<String> fragmented = object.isDefragmenting() ? MemberDefragmenter.worthwhile(etcd) : Set.of();
        return etcd.members().stream()
                .map(member -> new EtcdScale.Member(
                        member.id(),
                        member.title(),
                        nodeOf(member, nodes),
                        temporaryOf(member, nodes),
                        member.isLearner(),
                        etcd.leader().filter(member.id()::equals).isPresent(),
                        etcd.isCurrent(member),
                        fragmented.contains(member.id()) && !isDefragmentedRecently(object, member, nodes),
                        Optional.ofNullable(silentSince.get(member.id())).map(since -> Duration.between(since, now)),
                        member.clientUrls()))
                .toList();
    }

    private boolean isDefragmentedRecently(
            ControlPlaneObject object, EtcdMember member, Map<String, Set<String>> nodes) {
        return nodeOf(member, nodes)
                .flatMap(name -> MemberManifest.of(object, name))
                .flatMap(MemberManifest::defragmentation)
                .filter(last -> last.isRecent(wallClock.instant()))
                .isPresent();
    }

    /** Temporary members of a node are at its address, too, at other ports: these are none that stay. */
    private static Optional<String> nodeOf(EtcdMember member, Map<String, Set<String>> nodes) {
        return nodeAt(member, nodes, Set.of(Component.ETCD_PEER_PORT));
    }

    private static Optional<String> temporaryOf(EtcdMember member, Map<String, Set<String>> nodes) {
        return nodeAt(
                member,
                nodes,
                Stream.of(TemporaryMember.values())
                        .map(temporary -> temporary.port(Component.ETCD_PEER_PORT))
                        .collect(Collectors.toSet()));
    }

    private static Optional<String> nodeAt(EtcdMember member, Map<String, Set<String>> nodes, Set<Integer> ports) {
        return nodes.entrySet().stream()
                .filter(node -> member.peerUrls().stream()
                        .map(URI::create)
                        .anyMatch(url -> ports.contains(url.getPort())
                                && node.getValue().contains(bare(String.valueOf(url.getHost())))))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    private static String bare(String host) {
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    private Optional<ScaleReport> begin(Step step, ControlPlaneObject object, boolean isRolledOut) {
        boolean adds = step instanceof Step.Add
                || (step instanceof Step.Remove(String _, Optional<String> replacement) && replacement.isPresent());
        if (adds && !work.hasAuthority()) {
            return Optional.of(new ScaleReport(
                    "",
                    "",
                    true,
                    "NoAuthority",
                    "etcd's authority is the owner's: add members with 'ouro etcd join' and 'ouro etcd add'"));
        }
        switch (step) {
            case Step.Add(String other) -> ensure(new EtcdJob.Add(other));
            case Step.Remove(String member, Optional<String> _) -> ensure(new EtcdJob.Remove(member));
            case Step.TellApiServers(List<String> without) -> ensure(new EtcdJob.TellApiServers(without));
            case Step.Change _,
                    Step.Defragment _,
                    Step.Leave _,
                    Step.Await _,
                    Step.AwaitApiServers _,
                    Step.Settled _,
                    Step.Stalled _ -> {
                // The node's own steward does it, or it is waited for.
            }
        }
        return report(step, object, isRolledOut);
    }

    private void ensure(EtcdJob job) {
        if (own.progress().isEmpty()) {
            leading.ensure(job);
        }
    }

    private Optional<ScaleReport> report(Step step, ControlPlaneObject object, boolean isRolledOut) {
        Optional<String> progress = leading.progress();
        Optional<String> failure = progress.isPresent() ? Optional.empty() : leading.failure();
        return switch (step) {
            // API servers are told once the template says so; a job that was begun here sees to the rest.
            case Step.Settled() -> ofApiServers(failure, progress, isRolledOut);
            case Step.Add(String other) ->
                ScaleReport.of(
                        step,
                        failure.or(() -> failureOf(object, other)),
                        progress.map(what -> what + ofNode(object, other)));
            case Step.Leave(String other) -> ofItsOwnSteward(step, object, other);
            case Step.Change(String other) -> ofItsOwnSteward(step, object, other);
            case Step.Defragment(String other) -> ofItsOwnSteward(step, object, other);
            case Step.Remove _, Step.TellApiServers _, Step.Await _, Step.AwaitApiServers _, Step.Stalled _ ->
                ScaleReport.of(step, failure, progress);
        };
    }

    private static Optional<ScaleReport> ofApiServers(
            Optional<String> failure, Optional<String> progress, boolean isRolledOut) {
        return progress.isPresent() || (failure.isPresent() && !isRolledOut)
                ? Optional.of(ScaleReport.ofApiServers(failure, progress))
                : Optional.empty();
    }

    /** What the node that is to get a member says of it. */
    private static String ofNode(ControlPlaneObject object, String node) {
        return NodeJob.of(object, node)
                .map(job -> "; node " + node + ": " + job.message())
                .orElse("");
    }

    private static Optional<ScaleReport> ofItsOwnSteward(Step step, ControlPlaneObject object, String other) {
        return ScaleReport.of(
                step, failureOf(object, other), NodeJob.of(object, other).map(NodeJob::message));
    }

    private static Optional<String> failureOf(ControlPlaneObject object, String other) {
        return NodeJob.of(object, other).filter(NodeJob::isFailed).map(NodeJob::message);
    }
}
