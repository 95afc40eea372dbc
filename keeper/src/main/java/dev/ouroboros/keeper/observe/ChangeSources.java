package dev.ouroboros.keeper.observe;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.keeper.api.ChangeLease;
import dev.ouroboros.keeper.checkpoint.ChangeFile;
import dev.ouroboros.keeper.checkpoint.StaticManifests;
import dev.ouroboros.keeper.decide.ChangeRecord;
import dev.ouroboros.keeper.decide.ChangeReport;
import dev.ouroboros.keeper.decide.ChangeSeen;
import dev.ouroboros.keeper.decide.ChangeSeen.LeaseSeen;
import dev.ouroboros.keeper.decide.ChangeSeen.Target;
import dev.ouroboros.keeper.decide.ChangeStep;
import dev.ouroboros.keeper.decide.Proof;
import dev.ouroboros.model.checkpoint.Checkpoint;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.Understudy;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.front.Server;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What is known of a change of the API server. The lease is read only while a change is wanted or under way on any node, and servers are asked while one
 * is on this node; also while an understudy stands in, or while it is not known that the running revision is last-good.
 */
public final class ChangeSources {
    private static final Duration EXAM_EVERY = Duration.ofSeconds(1);
    /** Less than the time after which a principal that is ready gets its clients back. */
    private static final Duration EXAM_WITHOUT_CHANGE_EVERY = Duration.ofSeconds(3);

    private static final Duration LEASE_EVERY = Duration.ofSeconds(2);
    private static final String NOT_NEEDED = "no change is under way";
    /** With these reasons the kubelet says that a container will run soon. */
    private static final Set<String> ON_THE_WAY = Set.of("ContainerCreating", "PodInitializing");

    private final ChangeFile file;
    private final ChangeLease lease;
    private final TemplateSource template;
    private final RuntimeSource runtime;
    private final StaticManifests manifests;
    private final Cell<ChangeRecord> record;
    private final Cell<LeaseSeen> leaseSeen;
    private final Cell<Proof> principal;
    private final Cell<Proof> understudy;
    private final LocalServers servers;
    private final Supplier<Set<String>> unready;
    private final Signal changed;
    private volatile boolean needed;
    private volatile boolean neededHere;
    private volatile boolean unproven;

    ChangeSources(
            Observer.World world,
            ApiSources api,
            String nodeName,
            RuntimeSource runtime,
            CheckpointMaker checkpoints,
            InstantSource clock,
            Signal changed) {
        Api client = world.client();
        this.file = world.changeFile();
        this.lease = world.changeLease();
        this.runtime = runtime;
        this.manifests = world.manifests();
        this.template = new TemplateSource(client, world.guard(), api, nodeName, checkpoints, clock, changed);
        this.record = new Cell<>("change-record", changed);
        this.leaseSeen = new Cell<>("change-lease", changed);
        this.principal = new Cell<>("principal-exam", changed);
        this.understudy = new Cell<>("understudy-exam", changed);
        this.servers = world.servers();
        this.unready = world.otherServers().unready();
        this.changed = changed;
    }

    void start(Lookouts lookouts) {
        refreshRecord();
        template.start(lookouts);
        lookouts.repeatAndWhenRestEnds("change-lease", () -> {
            refreshLease();
            return needed ? LEASE_EVERY : changed.sparing(LEASE_EVERY);
        });
        lookouts.repeatCostly("principal-exam", () -> ask(Server.PRINCIPAL, principal));
        lookouts.repeatCostly("understudy-exam", () -> ask(Server.UNDERSTUDY, understudy));
    }

    public void refreshRecord() {
        try {
            record.set(Evidence.known(file.read()));
        } catch (ProblemException e) {
            record.set(Evidence.unknown(e.describe()));
        }
    }

    public void refreshLease() {
        if (!needed) {
            leaseSeen.set(Evidence.unknown(NOT_NEEDED));
            return;
        }
        try {
            leaseSeen.set(Evidence.known(lease.look().withoutServers(unready.get())));
        } catch (ApiException e) {
            leaseSeen.set(Evidence.unknown(String.valueOf(e.getMessage())));
        }
    }

    /** Returns when to ask again. */
    private Duration ask(Server server, Cell<Proof> result) {
        if (!neededHere && !unproven) {
            result.set(Evidence.unknown(NOT_NEEDED));
            return changed.sparing(EXAM_EVERY);
        }
        Optional<Proof> before =
                result.get() instanceof Evidence.Known<Proof>(Proof proof) ? Optional.of(proof) : Optional.empty();
        try {
            result.set(Evidence.known(servers.examine(server, before)));
        } catch (ApiException e) {
            result.set(Evidence.unknown(String.valueOf(e.getMessage())));
        }
        return neededHere ? EXAM_EVERY : EXAM_WITHOUT_CHANGE_EVERY;
    }

    /** The kubelet's UID of the understudy's pod, while it runs. */
    public Optional<String> understudyUid(ComponentName component) {
        return started(component).flatMap(since -> runtime.understudyUid(component, Role.API_SERVER, since));
    }

    private Optional<Instant> started(ComponentName component) {
        return manifests.look().startOf(component, Role.API_SERVER);
    }

    /** What is known of the servers of other nodes beside which a candidate may serve. */
    Evidence<?> otherServers() {
        return template.otherServers();
    }

    /** Pods that a change compares: all that they refer to must be read. */
    List<Json> podsToRead() {
        return template.podsToRead();
    }

    Optional<Checkpoint> checkpoint(ComponentName component, Revision revision) {
        return template.checkpoint(revision)
                .filter(checkpoint -> checkpoint.component().equals(component));
    }

    /** The API server's DaemonSet, as far as it is known. */
    Optional<Json.Fields> daemonSet() {
        return template.daemonSet().orElse(Optional.empty());
    }

    /**
     * @param running what the living pod of a component is made of
     * @param mustBeAsked whether the API server that runs has not proven itself by serving
     */
    ChangeSeen observe(
            List<PodSummary> pods,
            Evidence<KubernetesVersion> kubelet,
            Function<ComponentName, Optional<Revised>> running,
            boolean mustBeAsked) {
        boolean wasUnproven = unproven;
        unproven = mustBeAsked;
        List<PodSummary> living =
                pods.stream().filter(pod -> pod.pod().isAlive()).toList();
        Evidence<Optional<Target>> target = template.target(living, kubelet, running);
        boolean wasNeeded = needed;
        boolean wasNeededHere = neededHere;
        needed = target.is(asked -> asked.filter(this::isNeeded).isPresent());
        neededHere = target.is(asked -> asked.filter(this::isNeededHere).isPresent());
        if (needed != wasNeeded || neededHere != wasNeededHere || unproven != wasUnproven) {
            // The servers and the lease are asked at once, or no more.
            changed.raise();
        }
        Optional<ComponentName> component = target.orElse(Optional.empty()).map(Target::component);
        Optional<Instant> started = needed ? component.flatMap(this::started) : Optional.empty();
        return new ChangeSeen(
                target,
                record.get(),
                wasNeeded ? leaseSeen.get() : Evidence.unknown(NOT_NEEDED),
                principal.get(),
                understudy.get(),
                started.map(since -> trouble(component.orElseThrow(), since, pods))
                        .orElse(""),
                started.map(since -> runtime.understudyEnds(component.orElseThrow(), Role.API_SERVER, since))
                        .orElse(0));
    }

    private boolean isNeeded(Target target) {
        return isNeededHere(target) || says(target, step -> step.isUnderWay() || step == ChangeStep.WAITING);
    }

    private boolean isNeededHere(Target target) {
        boolean older = target.madeFrom().keySet().stream().anyMatch(uid -> !target.isCurrent(uid));
        boolean underWay = !target.others().reported() && says(target, ChangeStep::isUnderWay);
        return older || underWay || record.get().is(known -> known.proven().isPresent());
    }

    private static boolean says(Target target, Predicate<ChangeStep> which) {
        return target.reported()
                .filter(report -> Stream.of(ChangeStep.values()).filter(which).anyMatch(report::says))
                .isPresent();
    }

    /** What the kubelet says of the mirror pod of the understudy that was started then. */
    private static String trouble(ComponentName component, Instant started, List<PodSummary> pods) {
        String name = Understudy.podName(component, Role.API_SERVER);
        return pods.stream()
                .filter(pod -> pod.identity().isStatic()
                        && pod.namespace().equals(component.namespace())
                        && pod.pod().name().startsWith(name + "-")
                        && pod.started().equals(started.toString()))
                .map(PodSummary::waiting)
                .filter(waiting -> !waiting.isEmpty() && ON_THE_WAY.stream().noneMatch(waiting::startsWith))
                .findFirst()
                .orElse("");
    }

    /** Whether a DaemonSet is what was looked at last, and its template makes this revision. */
    public boolean templateMakes(Json set, Revision revision) {
        return daemonSet()
                .filter(known -> TemplateSource.uid(known).equals(TemplateSource.uid(set))
                        && known.at("spec").equals(set.at("spec")))
                .flatMap(_ -> template.checkpoint(revision))
                .isPresent();
    }

    /** As annotated on the DaemonSet. */
    public Optional<ChangeReport> reported() {
        return daemonSet().flatMap(TemplateSource::reported);
    }

    /** When the step began that the annotations name. */
    public Optional<String> reportedSince() {
        return daemonSet()
                .map(set -> TemplateSource.annotation(set, ChangeReport.SINCE_ANNOTATION))
                .filter(since -> !since.isEmpty());
    }
}
