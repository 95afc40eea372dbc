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
 * Brings etcd to the wished number of members. The steward on a node with a member that has the Lease decides, and writes the decision to the status;
 * every steward does its own node's part of what the status says.
 *
 * <p>A leader's job ends when the Lease was not renewed for a while, because another steward may have it then. What a node has begun for itself is
 * brought to its end whatever is wished meanwhile: a node with half a member is in everybody's way, and the leader decides on from there.
 */
final class MemberScaling implements EtcdManagement {
    private static final Logger LOG = LoggerFactory.getLogger(MemberScaling.class);
    /** How long etcd's list must lack this node's member before that is believed: a member that lags behind shows an old list. */
    private static final Duration OFF_FOR = Duration.ofMinutes(1);
    /** Two looks at etcd that are further apart tell nothing of the time between them. */
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

    /** When etcd's list was first seen without the member that this node has a manifest of. */
    private Optional<Instant> offSince = Optional.empty();

    /** The last defragmentation of this node's member. */
    private Optional<MemberManifest.Defragmentation> defragmentation = Optional.empty();

    private Optional<Instant> notedEnd = Optional.empty();

    /**
     * Nothing is known yet.
     *
     * @param clock that does not jump
     * @param wallClock for times that people read
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
            // A leader adds members through its own node's member.
            boolean mayLead = work.hasMember()
                    && offSince.isEmpty()
                    && manifest.filter(MemberManifest::isSilent).isEmpty();
            if (leadership.hold(mayLead)) {
                Optional<Scaling> scaling = lead(object, now);
                // A look at members that are off takes long, and the Lease is short: it is renewed once more.
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

    /**
     * The problem of a manifest that is not understood. Only the scaling of etcd stops for it: certificates and kubelets wait for the leader, who may
     * be this steward.
     */
    private Optional<NodeJob> notUnderstood(Evidence<Optional<MemberManifest>> read) {
        if (read instanceof Unknown<Optional<MemberManifest>>(String why)) {
            LOG.warn("component=steward event=member-not-understood reason=\"{}\"", why);
            return Optional.of(new NodeJob(node, true, why));
        }
        return Optional.empty();
    }

    private Optional<NodeJob> ofThisNode(ControlPlaneObject object, Optional<MemberManifest> manifest) {
        // The leader may not know yet that the job is done, or was taken back.
        boolean isOutdated = manifest.filter(known -> known.state() == MemberManifest.State.OUTDATED)
                .isPresent();
        Optional<EtcdJob> decided = ScaleReport.decided(object)
                .filter(report -> report.node().equals(node))
                .flatMap(report -> switch (report.step()) {
                    // First the remains of a member that was removed are cleared away; a join that has begun goes on
                    // below.
                    case ScaleReport.ADD -> work.hasMember() ? Optional.empty() : Optional.of(new EtcdJob.Join());
                    case ScaleReport.CHANGE ->
                        isOutdated ? Optional.of(new EtcdJob.Change(Optional.of(object.etcdWish()))) : Optional.empty();
                    case ScaleReport.DEFRAGMENT ->
                        isDefragmentedRecently() ? Optional.empty() : Optional.of(new EtcdJob.Defragment());
                    case ScaleReport.LEAVE -> Optional.of(new EtcdJob.Leave());
                    default -> Optional.empty();
                });
        Optional<EtcdJob> begun = work.unfinished();
        // A job that was begun and has not ended stands in the way of all that was decided since.
        Optional<EtcdJob> next = begun.or(() -> clearing(object)).or(() -> decided);
        // Both jobs would lock this node's state, and one process can have each lock once.
        next.filter(_ -> leading.progress().isEmpty()).ifPresent(own::ensure);
        if (next.isEmpty() && own.progress().isEmpty()) {
            return Optional.empty();
        }
        return own.progress()
                .map(what -> new NodeJob(node, false, what))
                .or(() -> own.failure().map(why -> new NodeJob(node, true, why)));
    }

    /** When this node's member was last defragmented, or was to be. The manifest's report has it, so that the leader and the next process know. */
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

    /** Whether this node's member has the wished manifest. */
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
        // While something is done with the member, its silence is expected.
        boolean isSilent =
                own.progress().isEmpty() && object.hasSilentMemberAt(member.clientUrl()) && work.isSilent(member);
        MemberManifest.State state;
        String message = "";
        Optional<String> takenBack = own.takenBack(new EtcdJob.Change(Optional.of(wish)));
        // A process that ended because of a failure must not try again what failed.
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

    /**
     * The job that clears away this node's member where it was removed from etcd's list while it was away. Nobody else can do that, and the node
     * cannot get another member before.
     */
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

    /**
     * The etcd whose list lacks the member that this node has a manifest of; empty when the list has it, when there is no manifest, or when that is
     * not known.
     */
    private Optional<EtcdCluster> withoutOurs(ControlPlaneObject object) {
        try {
            Optional<EtcdMemberPod> own = work.member().filter(pod -> object.lacksMemberAt(pod.clientUrl()));
            if (own.isEmpty()) {
                return Optional.empty();
            }
            EtcdCluster etcd = members.get();
            // Without a leader the list may be an old one.
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

    /** How much of its quota the largest database uses, in per cent. The quota is that of this node's member, as all are to have the same. */
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

    /** Whether the node's own steward is at it: also when its manifest is there already, and the member is not yet. */
    private static boolean isAtIt(ControlPlaneObject object, String node) {
        return NodeJob.of(object, node).filter(job -> !job.isFailed()).isPresent();
    }

    /** Writes the present number of members into the spec where no number is set, so that {@code kubectl scale} has one to change. */
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
            // As after a pause: nothing is known of the time in between.
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

    /** The node of a member, by its peer URL. Temporary members of a node have the same address and other ports, and are not counted. */
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
                // The node's own steward does it; here it is waited for.
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
            // API servers are told once the template says so; a job that this steward has begun does the rest.
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

    /** What the node that is to get a member reports. */
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
