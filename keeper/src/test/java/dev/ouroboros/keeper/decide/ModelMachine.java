package dev.ouroboros.keeper.decide;

import dev.ouroboros.keeper.decide.Decision.Planned;
import dev.ouroboros.keeper.decide.ModelMember.Pod;
import dev.ouroboros.keeper.decide.Observation.NodeSeen;
import dev.ouroboros.keeper.decide.Observation.RejectedPod;
import dev.ouroboros.keeper.decide.Observation.SelfSeen;
import dev.ouroboros.keeper.decide.Observation.StartSeen;
import dev.ouroboros.keeper.decide.StaticManifest.Absent;
import dev.ouroboros.keeper.decide.StaticManifest.Foreign;
import dev.ouroboros.keeper.decide.StaticManifest.Ours;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.front.FrontState;
import dev.ouroboros.model.front.Server;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * One node with a whole control plane, modelled a second a tick: etcd, a kubelet that knows nothing but static pods until it has reached
 * an API server, a runtime, the front, controllers that work only while a controller manager and an API server do, and a keeper as
 * a pod and as a static copy. Deterministic for a seed.
 */
final class ModelMachine {
    /** Longer than the soak time and than the longest that a static copy waits for a pod that ended often. */
    private static final int PATIENCE = 1200;

    private static final int START_OF_A_JVM = 2;

    private final RandomGenerator random;
    private final Keeper keeper = new Keeper(KeeperSettings.DEFAULT);
    final SortedMap<ComponentName, ModelMember> members = new TreeMap<>();
    private int uids;

    /** How often, of 100, a source does not answer or an action fails. */
    int trouble;
    /** How often, of 100, the kubelet rejects a pod after a power loss. */
    int rejects;

    Instant now = KeeperScene.BEGIN;
    boolean etcd = true;
    FrontState front = new FrontState.ToPrincipal();
    boolean kubeletHasPods = true;
    boolean serviceLeadsHere = true;
    boolean labelled = true;
    /** What the Node says of checkpoints. */
    private Optional<CheckpointSummary> told = Optional.empty();

    Evidence<StartSeen> start = Evidence.known(new StartSeen.Idle(false));
    ChangeRecord record = ChangeRecord.NONE;
    Optional<ChangeReport> reported = Optional.empty();
    /** The template that the DaemonSet controller has seen. */
    private Optional<Revision> named = Optional.of(ModelMember.GOOD);

    boolean lease;
    boolean paused;
    boolean incompatible;
    private boolean staticCopyWorks;
    /** For how many seconds a successor has been a process that looks on; empty while it waits for the lock. */
    private OptionalInt admitted = OptionalInt.empty();

    private KeeperState state = KeeperState.initial();
    /** What the last decision asked for, for a failing test to show. */
    List<Planned> last = List.of();

    ModelMachine(RandomGenerator random) {
        this.random = random;
        add(KeeperScene.API_SERVER, Role.API_SERVER);
        add(KeeperScene.CONTROLLER_MANAGER, Role.CONTROLLER_MANAGER);
        add(KeeperScene.SCHEDULER, Role.SCHEDULER);
        add(KeeperScene.KEEPER, Role.KEEPER);
        of(KeeperScene.KEEPER).manifest = new Ours(ModelMember.GOOD);
        for (ModelMember member : members.values()) {
            Pod pod = newPod(member);
            pod.bound = true;
            member.pod = Optional.of(pod);
        }
        told = Optional.of(summary().orElse(CheckpointSummary.NONE));
        for (int i = 0; i < 10; i++) {
            pass();
        }
    }

    private void add(ComponentName name, Role role) {
        members.put(name, new ModelMember(name, role));
    }

    ModelMember of(ComponentName name) {
        return Objects.requireNonNull(members.get(name));
    }

    ModelMember api() {
        return of(KeeperScene.API_SERVER);
    }

    private Pod newPod(ModelMember member) {
        return new Pod("uid-" + ++uids, member.template);
    }

    private boolean troubled() {
        return trouble > 0 && random.nextInt(100) < trouble;
    }

    /** Whether a client that dials the front port now is answered. */
    boolean apiAnswers() {
        ModelMember api = api();
        boolean mapped = front instanceof FrontState.ToUnderstudy;
        boolean fallsBack = !(front instanceof FrontState.NotInstalled) && !api.listens(api.principal);
        boolean cut = !mapped && !fallsBack && front.cutOff().isPresent();
        return !cut && api.isReady(mapped || fallsBack ? api.understudy : api.principal, etcd);
    }

    private boolean works(ComponentName name) {
        ModelMember member = of(name);
        return apiAnswers() && (member.isReady(member.principal, etcd) || member.isReady(member.understudy, etcd));
    }

    /** One second: the keeper decides and acts, then time passes. */
    void step() {
        ModelMember self = of(KeeperScene.KEEPER);
        boolean copyRuns = self.understudy.age > 0;
        boolean podRuns = self.principal.age > 0;
        boolean holderRuns = staticCopyWorks ? copyRuns : podRuns;
        if (!holderRuns && (copyRuns || podRuns)) {
            staticCopyWorks = copyRuns;
            admitted = OptionalInt.empty();
            state = KeeperState.initial();
        }
        if (admitted.isPresent()) {
            admitted = OptionalInt.of(podRuns ? admitted.getAsInt() + 1 : 0);
        }
        last = List.of();
        if (copyRuns || podRuns) {
            Decision decision = keeper.decide(observe(), state, now);
            state = decision.state();
            last = decision.actions();
            last.stream().filter(planned -> !troubled()).forEach(planned -> perform(planned.action()));
        }
        pass();
    }

    /** The keeper is killed; whoever waits for the lock works next. */
    void killKeeper() {
        ModelMember self = of(KeeperScene.KEEPER);
        (staticCopyWorks ? self.understudy : self.principal).end();
        state = KeeperState.initial();
    }

    void losePower() {
        members.values().forEach(member -> {
            member.principal.end();
            member.understudy.end();
        });
        front = new FrontState.NotInstalled();
        kubeletHasPods = false;
        state = KeeperState.initial();
    }

    void deletePod(ComponentName name) {
        of(name).pod.filter(pod -> !pod.isTerminating() && apiAnswers()).ifPresent(pod -> pod.terminatingFor = 0);
    }

    /** As people do, of the controller manager and the scheduler; a pod that was never bound goes at once. */
    void scale(ComponentName name, int replicas) {
        of(name).replicas = replicas;
    }

    private <T> Evidence<T> maybe(T value) {
        return troubled() ? Evidence.unknown("trouble") : Evidence.known(value);
    }

    private <T> Evidence<T> fromApi(T value) {
        return apiAnswers() ? maybe(value) : Evidence.unknown("no API");
    }

    Observation observe() {
        SortedMap<ComponentName, ComponentSeen> seen = new TreeMap<>();
        members.forEach((name, member) -> seen.put(name, see(member)));
        List<RejectedPod> rejected = members.values().stream()
                .flatMap(member -> member.pod.filter(pod -> pod.failed).stream()
                        .map(pod ->
                                new RejectedPod(member.name.namespace(), member.name.name(), pod.uid, "NodeAffinity")))
                .toList();
        return new Observation(
                seen,
                new SelfSeen(staticCopyWorks, maybe(successor())),
                start,
                maybe(front),
                fromApi(serviceLeadsHere),
                fromApi(new NodeSeen(labelled, labelled, true, Evidence.known(told))),
                fromApi(rejected),
                fromApi(true),
                maybe(false),
                fromApi(0),
                summary(),
                fromApi(List.of()),
                fromApi(false),
                seeChange());
    }

    private Successor successor() {
        if (admitted.isEmpty()) {
            return Successor.WAITS;
        }
        return admitted.getAsInt() < START_OF_A_JVM ? Successor.ADMITTED : Successor.DECIDES;
    }

    /** The disk's word, or nobody's. */
    private Evidence<CheckpointSummary> summary() {
        Map<ComponentName, Evidence<Slots>> slots = new TreeMap<>();
        members.forEach((name, member) -> slots.put(name, Evidence.known(member.slots)));
        return maybe(CheckpointSummary.of(slots, (_, _) -> Optional.of(KeeperScene.BEGIN)));
    }

    private ChangeSeen seeChange() {
        ModelMember api = api();
        Map<String, String> madeFrom = new TreeMap<>();
        api.pod.ifPresent(pod -> madeFrom.put(pod.uid, pod.revision.digest()));
        ChangeSeen.Target target = new ChangeSeen.Target(
                api.name,
                incompatible
                        ? new ChangeSeen.Made.Refused(Optional.of(api.template), List.of(), false)
                        : new ChangeSeen.Made.Complete(api.template),
                madeFrom,
                named.filter(api.template::equals).map(Revision::digest),
                paused,
                "",
                reported,
                ChangeSeen.Others.NONE);
        return new ChangeSeen(
                fromApi(Optional.of(target)),
                maybe(record),
                fromApi(lease ? new ChangeSeen.LeaseSeen.Mine(false) : new ChangeSeen.LeaseSeen.Free()),
                maybe(proof(api.principal)),
                maybe(proof(api.understudy)),
                "",
                api.understudy.ends);
    }

    private Proof proof(ModelMember.Program process) {
        return api().isReady(process, etcd)
                ? new Proof.Passed(process.readySince.orElse(now))
                : new Proof.Failed("readyz", "does not answer");
    }

    private ComponentSeen see(ModelMember member) {
        boolean probed = member.role == Role.API_SERVER;
        Evidence<Material> material = member.material();
        return new ComponentSeen(
                member.role,
                fromApi(member.podsHere()),
                fromApi(member.replicas > 0 || member.podsHere().stream().anyMatch(PrincipalPod::isAlive)),
                fromApi(true),
                fromApi(member.replicas == 0),
                fromApi(0),
                fromApi(new Leading.Nobody()),
                maybe(member.running(member.principal, kubeletHasPods && member.pod.isPresent())),
                probed ? maybe(member.health(member.principal, etcd, now)) : Evidence.unknown("not probed"),
                maybe(member.manifest),
                maybe(member.running(member.understudy, !(member.manifest instanceof Absent))),
                probed ? maybe(member.health(member.understudy, etcd, now)) : Evidence.unknown("not probed"),
                maybe(member.slots),
                probed ? maybe(false) : Evidence.unknown("not versioned"),
                apiAnswers() && !troubled() ? material : Evidence.unknown("no API"));
    }

    private void perform(Action action) {
        switch (action) {
            case Action.SaveCandidate(ComponentName name, Revision revision) ->
                of(name).slots = new Slots(Optional.of(revision), of(name).slots.lastGood());
            case Action.Promote(ComponentName name, Revision revision) -> {
                require(
                        !revision.equals(of(name).saved(ModelMember.BAD))
                                && !revision.equals(of(name).saved(ModelMember.SLY)),
                        "a pod that crashes became last-good");
                require(of(name).slots.candidate().equals(Optional.of(revision)), "promoted what was not saved");
                of(name).slots = new Slots(Optional.empty(), Optional.of(revision));
            }
            case Action.DropCandidate(ComponentName name, Revision _) ->
                of(name).slots = new Slots(Optional.empty(), of(name).slots.lastGood());
            case Action.StartUnderstudy(ComponentName name, Revision revision) -> {
                require(!(of(name).manifest instanceof Foreign), "wrote over a foreign manifest");
                require(of(name).replicas > 0, "started what people had scaled to zero");
                if (!of(name).manifest.equals(new Ours(revision))) {
                    of(name).understudy.end();
                    of(name).understudy.ends = 0;
                }
                of(name).manifest = new Ours(revision);
            }
            case Action.StopUnderstudy(ComponentName name) -> {
                boolean api = name.equals(KeeperScene.API_SERVER);
                require(!api || api().isReady(api().principal, etcd), "stopped the only API server that answers");
                require(!api || front instanceof FrontState.ToPrincipal, "stopped the one that clients are sent to");
                of(name).manifest = new Absent();
            }
            case Action.InstallFront _ -> front = new FrontState.ToPrincipal();
            case Action.PointFront(Server server) -> point(server);
            case Action.CutOff _ -> {
                require(api().principal.isHung(), "cut off a server that does not hang");
                front = withCut(Optional.of(KeeperSettings.DEFAULT.cut()));
            }
            case Action.LetThrough _ -> front = withCut(Optional.empty());
            case Action.ReportRefusal _ -> {}
            case Action.WriteServiceEndpoints _ -> serviceLeadsHere |= apiAnswers();
            case Action.LabelNode _ -> labelled |= apiAnswers();
            case Action.ReleaseLeaderLease _ -> throw new AssertionError("no Lease was left behind");
            case Action.PublishCheckpoints(CheckpointSummary summary) ->
                told = apiAnswers() ? Optional.of(summary) : told;
            case Action.Reap(RejectedPod rejected) -> {
                for (ModelMember member : members.values()) {
                    member.pod = member.pod.filter(pod -> !pod.uid.equals(rejected.uid()) || !apiAnswers());
                }
            }
            case Action.AdmitSuccessor _ -> admitted = OptionalInt.of(0);
            case Action.GiveWay _ -> {
                require(successor() == Successor.DECIDES, "gave way to nobody");
                of(KeeperScene.KEEPER).understudy.end();
                staticCopyWorks = false;
                admitted = OptionalInt.empty();
                state = KeeperState.initial();
            }
            case Action.HoldLease _ -> lease |= apiAnswers();
            case Action.ReleaseLease _ -> lease &= !apiAnswers();
            case Action.RecordProven(ComponentName _, Optional<ChangeRecord.Proven> proven) ->
                record = record.withProven(proven);
            case Action.RecordFailure(ComponentName _, ChangeRecord.Failure failure) -> {
                require(!failure.revision().equals(ModelMember.GOOD), "what served well was said to have failed");
                record = record.withFailure(failure);
            }
            case Action.ReplacePrincipal(ComponentName name, String uid, String _) -> replace(name, uid);
            case Action.RevertTemplate(ComponentName name, Revision failed, String previous) -> {
                if (apiAnswers() && of(name).template.equals(failed)) {
                    of(name).template = new Revision(previous);
                }
            }
            case Action.ReportChange(ComponentName _, ChangeReport report, String _) -> {
                if (apiAnswers()) {
                    reported = Optional.of(report);
                }
            }
            case Action.FinishPivot _ -> start = Evidence.known(new StartSeen.Idle(false));
            case Action.Retire _, Action.RemoveSelf _ -> throw new AssertionError("gave up on a cluster that wants it");
        }
    }

    private void replace(ComponentName name, String uid) {
        ModelMember api = of(name);
        boolean covered = front instanceof FrontState.ToUnderstudy && api.isReady(api.understudy, etcd);
        require(covered, "replaced a principal that nobody stands in for");
        require(
                api.manifest instanceof Ours(Revision serving)
                        && (record.isProven(serving) || api.slots.lastGood().equals(Optional.of(serving))),
                "replaced a principal under an understudy that proved nothing");
        api.pod
                .filter(pod -> pod.uid.equals(uid) && !pod.isTerminating() && apiAnswers())
                .ifPresent(pod -> pod.terminatingFor = 0);
    }

    private void point(Server server) {
        boolean principal = api().isReady(api().principal, etcd);
        boolean understudy = api().isReady(api().understudy, etcd);
        boolean sound = server == Server.PRINCIPAL ? principal || !understudy : understudy || !principal;
        require(sound, "sent clients to a server that is not ready while the other is");
        boolean unproven = api().manifest instanceof Ours(Revision serving)
                && !record.isProven(serving)
                && api().slots.candidate().equals(Optional.of(serving))
                && api().slots.lastGood().filter(good -> !good.equals(serving)).isPresent();
        require(
                server == Server.PRINCIPAL || !unproven || !principal,
                "sent clients to a candidate that proved nothing while the principal is ready");
        front = server == Server.PRINCIPAL
                ? new FrontState.ToPrincipal(front.cutOff())
                : new FrontState.ToUnderstudy(KeeperSettings.DEFAULT.lease(), front.cutOff());
    }

    private FrontState withCut(Optional<Duration> cutOff) {
        return front instanceof FrontState.ToUnderstudy(Duration remaining, var _)
                ? new FrontState.ToUnderstudy(remaining, cutOff)
                : new FrontState.ToPrincipal(cutOff);
    }

    /** What a second leaves of a lease. */
    private static Optional<Duration> aSecondLess(Duration lease) {
        return Optional.of(lease.minusSeconds(1)).filter(Duration::isPositive);
    }

    private static void require(boolean holds, String broken) {
        if (!holds) {
            throw new AssertionError(broken);
        }
    }

    private void pass() {
        now = now.plusSeconds(1);
        Optional<Duration> cut = front.cutOff().flatMap(ModelMachine::aSecondLess);
        if (front instanceof FrontState.ToUnderstudy(Duration remaining, var _)) {
            front = aSecondLess(remaining)
                    .<FrontState>map(left -> new FrontState.ToUnderstudy(left, cut))
                    .orElseGet(() -> new FrontState.ToPrincipal(cut));
        } else if (front instanceof FrontState.ToPrincipal) {
            front = new FrontState.ToPrincipal(cut);
        }
        boolean answers = apiAnswers();
        if (answers && !kubeletHasPods) {
            kubeletHasPods = true;
            members.values()
                    .forEach(member -> member.pod.ifPresent(pod -> pod.failed |= random.nextInt(100) < rejects));
        }
        for (ModelMember member : members.values()) {
            member.tickStatic(etcd, now);
            if (kubeletHasPods) {
                member.tickPod(etcd, now, answers);
            }
            if (answers && kubeletHasPods) {
                member.pod.ifPresent(pod -> pod.reportedReady = member.isReady(member.principal, etcd));
            }
        }
        control();
    }

    /** Controllers replace pods that are gone, and roll what changed; an API server's are replaced only when deleted. */
    private void control() {
        boolean managed = works(KeeperScene.CONTROLLER_MANAGER);
        boolean scheduled = works(KeeperScene.SCHEDULER) && labelled;
        for (ModelMember member : new ArrayList<>(members.values())) {
            if (managed && member.role == Role.API_SERVER) {
                named = Optional.of(member.template);
            }
            if (managed && member.replicas == 0) {
                deletePod(member.name);
            }
            if (managed && member.pod.isEmpty() && member.replicas > 0) {
                member.pod = Optional.of(newPod(member));
            }
            boolean rolls = managed && member.role != Role.API_SERVER;
            if (rolls
                    && member.pod
                            .filter(pod -> !pod.revision.equals(member.template))
                            .isPresent()) {
                deletePod(member.name);
            }
            if (scheduled) {
                member.pod.ifPresent(pod -> pod.bound = true);
            }
        }
    }

    /** Nothing goes wrong any more, and whoever made a bad change takes it back. */
    void calm() {
        trouble = 0;
        rejects = 0;
        etcd = true;
        for (ModelMember member : members.values()) {
            scale(member.name, 1);
            member.template = member.template.equals(ModelMember.BAD) ? ModelMember.BETTER : member.template;
        }
    }

    /** Lets time pass until it is at rest, and returns how often the API was lost until then. */
    int settle(String run) {
        int losses = 0;
        boolean answered = apiAnswers();
        for (int second = 0; second < PATIENCE; second++) {
            step();
            losses += answered && !apiAnswers() ? 1 : 0;
            answered = apiAnswers();
            if (isAtRest()) {
                return losses;
            }
        }
        throw new AssertionError(run + " did not come to rest: " + this);
    }

    /** As {@link #settle}; a change that failed and left things as they were is a rest, too. */
    int settleAnyhow(String run) {
        int losses = 0;
        boolean answered = apiAnswers();
        for (int second = 0; second < PATIENCE; second++) {
            step();
            losses += answered && !apiAnswers() ? 1 : 0;
            answered = apiAnswers();
            boolean failed = change() == ChangeStep.FAILED && last.isEmpty();
            Revision asked = api().template;
            api().template = failed ? api().pod.orElseThrow().revision : asked;
            boolean atRest = isAtRest();
            api().template = asked;
            if (atRest) {
                return losses;
            }
        }
        throw new AssertionError(run + " did not come to rest: " + this);
    }

    ChangeStep change() {
        return state.change().status().step();
    }

    /** At rest: every principal serves and is saved, nothing temporary is left, and nothing is to be done. */
    boolean isAtRest() {
        boolean served = members.values().stream()
                .allMatch(member -> member.isReady(member.principal, etcd)
                        && member.pod
                                .filter(pod -> pod.revision.equals(member.template))
                                .isPresent()
                        && member.slots.equals(new Slots(Optional.empty(), Optional.of(member.saved(member.template))))
                        && (member.role == Role.KEEPER
                                ? member.manifest.equals(new Ours(member.template))
                                : member.manifest instanceof Absent || member.manifest instanceof Foreign));
        return served && front instanceof FrontState.ToPrincipal && !staticCopyWorks && last.isEmpty();
    }

    @Override
    public String toString() {
        return "front " + front + ", etcd " + etcd + ", static copy works " + staticCopyWorks + ", kubelet has pods "
                + kubeletHasPods + ", " + members.values() + ", template " + api().template + ", change "
                + state.change() + ", record " + record + ", lease " + lease
                + ", last " + last;
    }
}
