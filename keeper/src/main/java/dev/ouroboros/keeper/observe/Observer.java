package dev.ouroboros.keeper.observe;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.api.EventRecorder;
import dev.ouroboros.api.KubernetesServiceEndpoints;
import dev.ouroboros.api.LeaderLeases;
import dev.ouroboros.keeper.api.ChangeLease;
import dev.ouroboros.keeper.api.EventReason;
import dev.ouroboros.keeper.checkpoint.ChangeFile;
import dev.ouroboros.keeper.checkpoint.CheckpointStore;
import dev.ouroboros.keeper.checkpoint.StaticManifests;
import dev.ouroboros.keeper.checkpoint.StoredCheckpoints;
import dev.ouroboros.keeper.decide.ChangeSeen;
import dev.ouroboros.keeper.decide.ComponentSeen;
import dev.ouroboros.keeper.decide.Observation;
import dev.ouroboros.keeper.decide.Observation.SelfSeen;
import dev.ouroboros.keeper.decide.PrincipalPod;
import dev.ouroboros.keeper.decide.Successor;
import dev.ouroboros.model.checkpoint.ApiObject;
import dev.ouroboros.model.checkpoint.Checkpoint;
import dev.ouroboros.model.checkpoint.PodIdentity;
import dev.ouroboros.model.checkpoint.References;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.StaticPodRules;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.endpoints.ServiceEndpoints;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.front.Server;
import dev.ouroboros.model.front.ServerAddress;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.front.Front;
import dev.ouroboros.node.kubelet.NodeName;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.runtime.ContainerRuntime;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * All sources of a keeper, and what they say together. Sources look on threads of their own; putting an observation together
 * waits for none of them.
 */
public final class Observer implements AutoCloseable {
    /** The keeper's own DaemonSet. */
    public static final ComponentName SELF = PodIdentity.KEEPER;

    private final Identity identity;
    private final NodeMemory memory;
    private final ApiSources api;
    private final NodeApiView cluster;
    private final ControllerSource controllers;
    private final NewestServer newest;
    private final NodeEvents events;
    private final ServiceSource service;
    private final ReferenceSource references;
    private final AtomicReference<Wanted> wanted = new AtomicReference<>(new Wanted(List.of(), List.of(), Set.of()));
    private final Materials materials;
    private final RuntimeSource runtime;
    private final Probes probes;
    private final TableMonitor monitor;
    private final FrontSource front;
    private final DiskSource disk;
    private final VersionSource versions;
    private final Roster roster;
    private final ChangeSources change;
    private final LeaderSource leaders;
    private final Lookouts lookouts;
    private final Supplier<Evidence<Successor>> successor;
    private final OtherServers otherServers;
    private final PodsElsewhere elsewhere;
    private final NodeComponents nodeComponents;
    private final Derived<Map<ComponentName, Role>> components = new Derived<>();

    /**
     * Who and where this keeper is.
     *
     * @param address of the node, as its API server is reached
     * @param staticCopy whether this process is the static copy
     */
    public record Identity(String nodeName, String address, boolean staticCopy) {}

    /**
     * What the sources look at.
     *
     * @param startAtWork whether start holds its lock
     * @param successor who works when this process ends
     * @param wallClock what containers and Leases go by
     */
    public record World(
            Api client,
            ClusterGuard guard,
            NodeMemory memory,
            ContainerRuntime runtime,
            LocalServers servers,
            Front front,
            List<String> frontInside,
            Processes processes,
            Disk disk,
            CheckpointStore store,
            StaticManifests manifests,
            ChangeFile changeFile,
            ChangeLease changeLease,
            LeaderLeases leaderLeases,
            BooleanSupplier startAtWork,
            OtherServers otherServers,
            Supplier<Evidence<Successor>> successor,
            Path startDirectory,
            EventRecorder events,
            InstantSource wallClock) {
        public World {
            frontInside = List.copyOf(frontInside);
        }
    }

    /** @param lookouts give the sources their turns; closed with it */
    public Observer(Identity identity, World world, Lookouts lookouts, InstantSource clock, Signal changed) {
        this.lookouts = lookouts;
        this.identity = identity;
        this.successor = world.successor();
        this.otherServers = world.otherServers();
        this.memory = world.memory();
        this.events = new NodeEvents(world.events(), identity.nodeName(), this::nodeUid);
        this.api = new ApiSources(world.client(), world.guard(), identity.nodeName(), changed);
        this.cluster = new NodeApiView(api, identity.nodeName());
        this.controllers = new ControllerSource(world.client(), world.guard(), clock, changed, events::mayNotRead);
        this.service = new ServiceSource(
                new KubernetesServiceEndpoints(
                        world.client(),
                        identity.address(),
                        world.front().spec().principalPort(),
                        new ControlPlaneNodes(
                                world.client(), world.guard(), cluster::wantedLabels, identity.address(), otherServers),
                        new FirstServing(
                                world.servers(), this::health, why -> events.say(EventReason.SERVER_NOT_NAMED, why))),
                world.guard(),
                api,
                () -> new ServiceSource.Membership(
                        serves(),
                        api.labels(),
                        otherServers.unready().get(),
                        otherServers.away().get()),
                clock,
                changed);
        this.references = new ReferenceSource(
                world.client(),
                world.guard(),
                this::wanted,
                () -> api.pods().orElse(new TreeMap<>()).values().stream()
                        .map(summary -> summary.pod().uid())
                        .collect(Collectors.toSet()),
                clock,
                changed,
                events::mayNotRead);
        CheckpointMaker checkpoints = new CheckpointMaker(StaticPodRules.load(), references::of);
        this.materials = new Materials(checkpoints);
        this.runtime = new RuntimeSource(world.runtime(), identity.nodeName(), changed);
        this.probes = new Probes(world.servers(), changed);
        this.newest = new NewestServer(
                world.client(), world.guard(), memory, () -> probes.principal(Role.API_SERVER), clock, events::say);
        this.monitor = new TableMonitor(world.processes(), world.frontInside());
        this.front = new FrontSource(world.front(), monitor, clock, changed);
        this.disk = new DiskSource(
                world.disk(), world.store(), world.manifests(), world.startAtWork(), world.startDirectory(), changed);
        this.versions = new VersionSource(memory, disk, runtime, probes);
        this.roster = new Roster(api, disk);
        this.leaders = new LeaderSource(
                runtime,
                world.runtime(),
                world.guard(),
                world.leaderLeases(),
                identity.nodeName(),
                hostNames(world.disk()),
                new LeaderSource.Clocks(clock, world.wallClock()),
                changed);
        this.elsewhere = new PodsElsewhere(
                world.client(), world.guard(), api::deployments, world.runtime(), this::images, clock, changed);
        this.nodeComponents =
                new NodeComponents(api, cluster, runtime, probes, disk, versions, materials, elsewhere, leaders);
        this.change = new ChangeSources(world, api, identity.nodeName(), runtime, checkpoints, clock, changed);
    }

    private Set<String> hostNames(Disk machine) {
        return Stream.concat(Stream.of(identity.nodeName()), NodeName.ofThisMachine(machine).stream())
                .collect(Collectors.toSet());
    }

    /** Begins to look. */
    public void start() {
        disk.start(lookouts);
        front.start(lookouts);
        monitor.start(lookouts);
        runtime.start(lookouts);
        probes.start(lookouts);
        api.start(lookouts);
        references.start(lookouts);
        service.start(lookouts);
        controllers.start(lookouts);
        newest.start(lookouts);
        change.start(lookouts);
        leaders.start(lookouts);
        elsewhere.start(lookouts);
    }

    /** What the kernel says of tables of ours. */
    public TableMonitor tables() {
        return monitor;
    }

    /** How one of the two API servers of this node answers on loopback. */
    public Evidence<Health> health(Server server) {
        return switch (server) {
            case PRINCIPAL -> probes.principal(Role.API_SERVER);
            case UNDERSTUDY -> probes.understudy(Role.API_SERVER);
        };
    }

    /** Where the front leads, as far as that is known. */
    public Server lead() {
        return front.lead();
    }

    private boolean serves() {
        return Health.isReady(health(Server.PRINCIPAL)) || Health.isReady(health(Server.UNDERSTUDY));
    }

    /** The API servers that the {@code kubernetes} Service leads to. */
    public Evidence<SortedSet<ServerAddress>> namedServers() {
        return api.endpoints().map(subsets -> ServiceEndpoints.serversIn(subsets.orElse(Json.absent())));
    }

    /** Tells people, as an Event about the Node. */
    public void sayOfNode(EventReason reason, String message) {
        events.say(reason, message);
    }

    private record Wanted(List<PodSummary> pods, List<Json> asked, Set<ApiObject> objects) {}

    /** The objects that must be read. As they are needed each second, they are kept until pods change, or what a change compares. */
    private Set<ApiObject> wanted() {
        List<PodSummary> pods = Stream.concat(
                        api.pods().orElse(new TreeMap<>()).values().stream(), elsewhere.known().stream())
                .toList();
        List<Json> asked = change.podsToRead();
        Wanted last = wanted.get();
        if (last.pods().equals(pods) && last.asked().equals(asked)) {
            return last.objects();
        }
        // Sorted: the order of other sets differs from process to process, and a simulation could not be repeated.
        SortedSet<ApiObject> objects = new TreeSet<>(Materials.references(pods));
        asked.forEach(pod -> objects.addAll(References.of(pod).toRead()));
        wanted.set(new Wanted(pods, asked, Collections.unmodifiableSortedSet(objects)));
        return objects;
    }

    /** What is known now. */
    public Observation observe() {
        rememberKubelet();
        Map<ComponentName, Role> kept = components.of(
                () -> List.of(
                        disk.ours(), disk.checkpoints(), disk.facts(), api.pods(), api.daemonSets(), api.deployments()),
                roster::components);
        disk.retainOnly(kept.keySet());
        materials.retainOnly(kept.keySet());
        nodeComponents.retainOnly(kept.keySet());
        Belonging belonging = belonging();
        controllers.want(kept.keySet().stream()
                .filter(name -> belonging.mustAsk(name, nodeComponents.podsOf(name)))
                .collect(Collectors.toSet()));
        elsewhere.want(kept.entrySet().stream()
                .filter(component -> nodeComponents.isOnlyKept(component.getKey(), component.getValue(), belonging))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet()));
        Evidence<KubernetesVersion> kubelet = memory.kubelet();
        SortedMap<ComponentName, ComponentSeen> seen = new TreeMap<>();
        kept.forEach((name, role) -> seen.put(name, nodeComponents.see(name, role, belonging, kubelet)));
        if (api.pods() instanceof Evidence.Known) {
            leaders.watch(seen.values().stream().anyMatch(ComponentSeen::mayBeElsewhere));
        }
        return new Observation(
                seen,
                new SelfSeen(identity.staticCopy(), successor.get()),
                disk.startSeen(),
                front.value(),
                service.value(),
                cluster.node(),
                cluster.rejected(),
                cluster.keeperWanted(),
                podCheckpointer(),
                otherServers.ready().get(),
                disk.summary(),
                leaders.abandoned(),
                leaders.countsAreKept(),
                seeChange(kubelet, seen.values().stream().anyMatch(ComponentSeen::isUnproven)));
    }

    private ChangeSeen seeChange(Evidence<KubernetesVersion> kubelet, boolean unproven) {
        return change.observe(
                api.pods().orElse(new TreeMap<>()).values().stream().toList(), kubelet, materials::running, unproven);
    }

    private Evidence<Boolean> podCheckpointer() {
        Evidence<Boolean> livesHere = cluster.podCheckpointer();
        if (livesHere instanceof Evidence.Known<Boolean>(Boolean known)) {
            memory.podCheckpointer(known);
        }
        return livesHere;
    }

    private void rememberKubelet() {
        if (api.node() instanceof Evidence.Known<Optional<NodeWatch.NodeObject>>(var node) && node.isPresent()) {
            memory.kubelet(node.get().kubelet());
        }
    }

    private Belonging belonging() {
        Evidence<Optional<Map<String, String>>> labels = api.node().map(node -> node.map(NodeWatch.NodeObject::labels));
        return new Belonging(api.daemonSets(), api.deployments(), controllers::of, labels);
    }

    /** The checkpoint of a revision, if that is still what could be saved. */
    public Optional<Checkpoint> checkpoint(ComponentName component, Revision revision) {
        return materials.checkpoint(component, revision).or(() -> change.checkpoint(component, revision));
    }

    /** What is seen of a change. */
    public ChangeSources change() {
        return change;
    }

    /** The youngest living pod of a component. */
    public Optional<PrincipalPod> youngestPod(ComponentName component) {
        return nodeComponents.youngestPod(component);
    }

    /** What a component is, by all that is known. */
    public Role role(ComponentName component) {
        return roster.role(component);
    }

    /** The images of a component's best checkpoint. */
    private Set<String> images(ComponentName component) {
        return disk.facts(component).map(DiskSource.Known::images).orElse(Set.of());
    }

    /** The {@code resourceVersion} of this node's Node; empty while it is not known. */
    public Optional<String> nodeVersion() {
        return api.nodeVersion();
    }

    private Optional<String> nodeUid() {
        return api.node().orElse(Optional.empty()).map(NodeWatch.NodeObject::uid);
    }

    /** Every understudy's manifest of ours with its revision. */
    public Evidence<SortedMap<ComponentName, Revision>> ours() {
        return disk.ours();
    }

    public void writeServiceEndpoints() throws ApiException {
        service.write();
    }

    /** Looks again at what an action changed, before it counts as done. */
    public void refreshFront() {
        front.refresh();
    }

    public void refreshCheckpoints() {
        disk.refreshCheckpoints();
    }

    public void refreshFiles() {
        disk.refreshFiles();
    }

    public void refreshLeaders() {
        leaders.refresh();
    }

    public void refreshService() {
        service.refresh();
    }

    /** What could not be understood on the disk and was left alone. */
    public List<Json> problems() {
        return disk.checkpoints().orElse(new StoredCheckpoints(new TreeMap<>(), List.of())).problems().stream()
                .map(problem -> Json.text(problem.describe()))
                .toList();
    }

    /** The sources that every keeper has, each with what it says; those that look through the API begin with {@code api-}. */
    public SortedMap<String, Evidence<?>> sources() {
        SortedMap<String, Evidence<?>> all = new TreeMap<>();
        all.put("api-pods", api.pods());
        all.put("api-daemonsets", api.daemonSets());
        all.put("api-deployments", api.deployments());
        all.put("api-node", api.node());
        all.put("api-endpoints", api.endpoints());
        all.put("api-endpointslice", service.slice());
        all.put("probe-principal", probes.principal(Role.API_SERVER));
        all.put("probe-understudy", probes.understudy(Role.API_SERVER));
        all.put("runtime", runtime.value());
        all.put("front", front.value());
        all.put("start", disk.startSeen());
        all.put("api-leader-leases", leaders.abandoned());
        all.put("checkpoints", disk.allSlots());
        all.put("manifests", disk.allManifests());
        all.put("kubelet-version", memory.kubelet());
        return all;
    }

    /** Everything that is not known now, with its reason: of those sources, and of what is asked for by name. */
    public SortedMap<String, String> unknown() {
        SortedMap<String, Evidence<?>> all = sources();
        all.putAll(controllers.all());
        all.putAll(references.all());
        all.putAll(elsewhere.all());
        all.put("other API servers", change.otherServers());
        SortedMap<String, String> unknown = new TreeMap<>();
        all.forEach((source, evidence) -> {
            if (evidence instanceof Evidence.Unknown<?>(String reason)) {
                unknown.put(source, reason);
            }
        });
        return unknown;
    }

    /** The older API server that stood in and whose traces are not checked yet. */
    public Optional<String> unverified() {
        return newest.unverified();
    }

    /** Writes down that an understudy is started, when it is an API server older than one that served. */
    public void noteStart(ComponentName component) {
        versions.noteStart(component, nodeComponents.podsOf(component).orElse(List.of()));
    }

    /** The role labels that the API server's controller asks of its nodes; a kubelet may not give itself those. */
    public Set<String> wantedLabels() {
        return cluster.wantedLabels();
    }

    @Override
    public void close() {
        lookouts.close();
    }
}
