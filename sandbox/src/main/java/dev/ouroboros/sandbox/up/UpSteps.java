package dev.ouroboros.sandbox.up;

import dev.ouroboros.images.ImagesModule;
import dev.ouroboros.images.binary.Binaries;
import dev.ouroboros.images.binary.BinaryRequest;
import dev.ouroboros.images.containerd.ContainerdVersion;
import dev.ouroboros.images.oci.BuiltImage;
import dev.ouroboros.images.oci.ContainerImage;
import dev.ouroboros.images.oci.ImageLoader;
import dev.ouroboros.model.procedure.Sequence;
import dev.ouroboros.model.registry.RegistryAccess;
import dev.ouroboros.model.registry.RegistryMirror;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.packages.DebianPackages;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Waiting;
import dev.ouroboros.recovery.RecoveredCluster;
import dev.ouroboros.render.RenderRequest;
import dev.ouroboros.render.Renderer;
import dev.ouroboros.render.cluster.ClusterSpec;
import dev.ouroboros.render.manifest.EtcdStaticPod;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.SandboxNode;
import dev.ouroboros.sandbox.SandboxRecord;
import dev.ouroboros.sandbox.node.NodeFiles;
import dev.ouroboros.sandbox.node.NodeLayout;
import dev.ouroboros.sandbox.node.RunningNode;
import dev.ouroboros.sandbox.node.Services;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * The steps in which a sandbox and its cluster are made, from whatever is there already.
 *
 * <ol>
 *   <li>Read the snapshot, if there is one, to its end.
 *   <li>Check what the machine must have, and install missing packages.
 *   <li>Get binaries and build images of them; both are cached.
 *   <li>Make and start the node, and containerd in it.
 *   <li>Render the cluster's assets.
 *   <li>Start the kubelet. It takes seconds until it looks for pods: meanwhile the images are loaded, etcd's first.
 *   <li>Give the kubelet etcd as a static pod; start the nodes that run its other members, and wait until it is healthy.
 *   <li>Run {@code ouro start} in the node: the pivot.
 *   <li>Start the further nodes, and wait until they have joined.
 *   <li>Label those that are to be ones of the control plane, and wait until they serve.
 * </ol>
 */
final class UpSteps {
    private static final String OWNER_AND_OTHERS_READ = "rw-r--r--";
    /** What etcd needs to start. */
    private static final Set<BuiltImage> FIRST = EnumSet.of(BuiltImage.PAUSE, BuiltImage.ETCD);

    private final Sandbox sandbox;
    private final Requirements requirements;
    private final DebianPackages packages;
    private final ImagesModule images;
    private final Renderer renderer;
    private final NodeDaemons daemons;
    private final NodeJoin join;
    private final ControlPlaneJoin controlPlane;
    private final EtcdHealth etcdHealth;
    private final SandboxEtcdRestore etcdRestore;
    private final Processes processes;
    private final Disk disk;
    private final InstantSource time;
    private final Consumer<UpEvent> events;

    UpSteps(
            Sandbox sandbox,
            DebianPackages packages,
            ImagesModule images,
            Renderer renderer,
            Services services,
            SandboxEtcdRestore etcdRestore,
            Processes processes,
            Disk disk,
            InstantSource time,
            Consumer<UpEvent> events) {
        this.sandbox = sandbox;
        this.requirements = new Requirements(processes, disk);
        this.packages = packages;
        this.images = images;
        this.renderer = renderer;
        this.daemons = new NodeDaemons(services, disk);
        this.join = new NodeJoin(sandbox, daemons, processes, disk, time);
        this.controlPlane = new ControlPlaneJoin(sandbox, time);
        this.etcdHealth = new EtcdHealth(processes, disk, time);
        this.etcdRestore = etcdRestore;
        this.processes = processes;
        this.disk = disk;
        this.time = time;
        this.events = events;
    }

    Sequence<UpState> of(UpOptions options) {
        List<UnaryOperator<UpState>> steps = new ArrayList<>();
        options.snapshot().ifPresent(file -> steps.add(step("reading the snapshot", state -> state.with(check(file)))));
        steps.add(step("checking this machine", state -> checkMachine(state, options)));
        steps.add(step("getting binaries", state -> getBinaries(state, options)));
        steps.add(step("building images", this::build));
        steps.add(step("starting the node", state -> startNode(state, options)));
        options.snapshot().ifPresent(_ -> steps.add(step("writing the recovered cluster", this::writeRecovered)));
        // Says nothing where it was rendered before.
        steps.add(state -> render(state, options));
        steps.add(step("starting the kubelet", this::startKubelet));
        steps.add(step("loading images and starting etcd", this::startEtcd));
        if (options.start()) {
            steps.add(step("starting the cluster", state -> startCluster(state, options)));
            if (sandbox.nodes().size() + options.missingNodes(sandbox) > 1) {
                steps.addAll(joining(options, () -> further(options)));
            }
        }
        return new Sequence<>(steps);
    }

    /** The steps that bring these nodes, of which some may be there, into a cluster that is up. */
    Sequence<UpState> ofNodes(UpOptions options) {
        return ofNodes(joining(options, () -> further(options)));
    }

    /** The steps that bring one node into a cluster that is up. */
    Sequence<UpState> ofNode(SandboxNode node, Optional<Duration> controlPlaneLimit) {
        List<UnaryOperator<UpState>> steps = new ArrayList<>(joining(() -> List.of(node)));
        controlPlaneLimit.ifPresent(
                limit -> steps.add(labelling("making it a control-plane node", () -> List.of(node), limit)));
        return ofNodes(steps);
    }

    private Sequence<UpState> ofNodes(List<UnaryOperator<UpState>> joining) {
        List<UnaryOperator<UpState>> steps = new ArrayList<>();
        steps.add(state -> state.with(sandbox.requireNode("run 'ouro up --name " + sandbox.name() + "'"))
                .with(knownCluster()));
        steps.addAll(joining);
        return new Sequence<>(steps);
    }

    /** What the asset directory of a living cluster says: nothing of it is written. */
    private ClusterFacts knownCluster() {
        RunningNode first = sandbox.requireNode("run 'ouro up --name " + sandbox.name() + "'");
        return ClusterFacts.of(new RecoveredAssets(disk, sandbox.name(), first).directory())
                .orElseGet(() -> ClusterFacts.of(renderer.make(
                                RenderRequest.ofFile(sandbox.paths().clusterDocument(), first.file(NodeLayout.ASSETS)))
                        .cluster()));
    }

    private List<UnaryOperator<UpState>> joining(UpOptions options, Supplier<List<SandboxNode>> nodes) {
        List<UnaryOperator<UpState>> steps = new ArrayList<>(joining(nodes));
        if (options.controlPlanes() > 1) {
            steps.add(labelling("making control-plane nodes", () -> controlPlaneNodes(options), options.timeout()));
        }
        return steps;
    }

    private UnaryOperator<UpState> labelling(String title, Supplier<List<SandboxNode>> nodes, Duration limit) {
        return step(title, state -> {
            controlPlane.label(nodes.get(), state.cluster(), limit);
            return state;
        });
    }

    private List<SandboxNode> controlPlaneNodes(UpOptions options) {
        return sandbox.nodes().stream().limit(options.controlPlanes()).toList();
    }

    /** Nodes that join are many at once, each in a while of its own: they are started one after the other, then waited for. */
    private List<UnaryOperator<UpState>> joining(Supplier<List<SandboxNode>> nodes) {
        return List.of(
                step("starting further nodes", state -> {
                    List<SandboxNode> joining = nodes.get();
                    requirements.check(sandbox.paths().directory(), notRunning(joining));
                    for (SandboxNode node : joining) {
                        say("node " + node.name());
                        join.start(node, state.node(), state.cluster(), this::say);
                    }
                    return state;
                }),
                step("waiting for further nodes", state -> {
                    nodes.get().forEach(join::await);
                    return state;
                }));
    }

    private static int notRunning(List<SandboxNode> nodes) {
        return (int) nodes.stream().filter(node -> node.running().isEmpty()).count();
    }

    /** Boots every node that is off. */
    void boot() {
        said("booting what is off", () -> {
            sandbox.nodes().forEach(sandbox::boot);
            return true;
        });
    }

    /** @return whether the keepers brought the API back in this time */
    boolean awaitKeepers(BooleanSupplier answers, Duration limit) {
        return said("waiting for the control plane to come back", () -> new Waiting(time).until(answers, limit));
    }

    boolean isReady(SandboxNode node) {
        return join.isReady(node);
    }

    /** Whether the {@code kubernetes} Service leads to the node. */
    boolean serves(SandboxNode node) {
        return controlPlane.serve(List.of(node));
    }

    /** All but the first, made as far as they were asked for and are missing. */
    List<SandboxNode> further(UpOptions options) {
        while (options.missingNodes(sandbox) > 0) {
            sandbox.add(sandbox.nextName());
        }
        return sandbox.nodes().stream().skip(1).toList();
    }

    /** Whether a node is missing, or does not run, or has not joined. */
    boolean lacksNodes(UpOptions options) {
        return options.missingNodes(sandbox) > 0
                || !sandbox.nodes().stream().skip(1).allMatch(join::isReady)
                || (options.controlPlanes() > 1 && !controlPlane.serve(controlPlaneNodes(options)));
    }

    private UnaryOperator<UpState> step(String title, UnaryOperator<UpState> work) {
        return state -> said(title, () -> work.apply(state));
    }

    private <T> T said(String title, Supplier<T> work) {
        events.accept(new UpEvent.StepStarted(title));
        Instant begun = time.instant();
        T result = work.get();
        events.accept(new UpEvent.StepDone(title, Duration.between(begun, time.instant())));
        return result;
    }

    private CheckedSnapshot check(SnapshotFile snapshot) {
        CheckedSnapshot checked = snapshot.check(sandbox.name(), time);
        checked.cluster().notes().forEach(note -> events.accept(new UpEvent.Warned(note)));
        return checked;
    }

    private UpState checkMachine(UpState state, UpOptions options) {
        packages.ensure(Requirements.PACKAGES, options.installAllowed(), this::say);
        if (sandbox.node().isEmpty()) {
            requirements.check(sandbox.paths().directory(), 1);
        }
        state.snapshot().ifPresent(checked -> sandbox.requireNetwork(checked.subnet()));
        return state;
    }

    private UpState getBinaries(UpState state, UpOptions options) {
        Binaries found = binaries(options, state.recovered().flatMap(RecoveredCluster::version));
        KubernetesVersion.parse(found.kubernetesVersion()).ifPresent(new ContainerdVersion(processes)::requireFitting);
        return state.with(found);
    }

    private Binaries binaries(UpOptions options, Optional<String> recovered) {
        Optional<String> version = options.kubernetesVersion()
                .or(() -> recovered)
                .or(() -> sandbox.record().flatMap(SandboxRecord::kubernetesVersion));
        Binaries binaries = images.binaries()
                .resolve(new BinaryRequest(options.source(), version, options.installAllowed(), this::say));
        binaries.warnings().forEach(warning -> events.accept(new UpEvent.Warned(warning)));
        say("Kubernetes " + binaries.kubernetesVersion() + ", etcd " + binaries.etcdVersion() + " (" + binaries.origin()
                + ")");
        return binaries;
    }

    private UpState build(UpState state) {
        List<ContainerImage> built = images.builder().build(state.binaries(), this::say);
        state.snapshot()
                .ifPresent(checked -> checked.requireImages(
                        built.stream().map(ContainerImage::reference).toList()));
        return state.with(built);
    }

    private UpState startNode(UpState state, UpOptions options) {
        RunningNode node = sandbox.bootFirst(state.snapshot().map(CheckedSnapshot::subnet));
        reserve(options);
        options.cpuLimit().ifPresent(this::limit);
        UpState started = state.with(node);
        daemons.startContainerd(started, registryAccess(options));
        sandbox.remember(record -> record.withKubernetesVersion(state.binaries().kubernetesVersion()));
        return started;
    }

    /** Where the control plane begins is in its certificates and in etcd's first list of members: decided before there is a document. */
    private void reserve(UpOptions options) {
        if (options.snapshot().isPresent()
                || disk.status(sandbox.paths().clusterDocument()).isPresent()) {
            return;
        }
        while (sandbox.nodes().stream().filter(SandboxNode::beganWithEtcd).count() < options.etcdMembers()) {
            sandbox.addEtcdMember();
        }
        while (sandbox.nodes().size() < options.controlPlanes()) {
            sandbox.add(sandbox.nextName());
        }
    }

    void limit(CpuLimit limit) {
        sandbox.limitCpu(limit.milliCpus());
        say("the sandbox has " + limit.describe() + " from now on");
    }

    /** The cluster's own addresses are never asked through the proxy, nor is the host's side of the sandbox's network. */
    RegistryAccess registryAccess(UpOptions options) {
        RegistryAccess asked = options.registryAccess();
        asked.mirrors().stream()
                .filter(RegistryMirror::isOnLoopback)
                .forEach(mirror -> events.accept(new UpEvent.Warned("mirror " + mirror.server()
                        + " is on loopback, which is the node's own in the node: this machine is "
                        + record().subnet().hostAddress() + " there")));
        List<String> own = new ArrayList<>(List.of(
                SandboxCluster.POD_CIDR,
                SandboxCluster.SERVICE_CIDR,
                record().subnet().network().toString(),
                ".svc",
                "." + ClusterSpec.CLUSTER_DOMAIN));
        sandbox.nodes().forEach(node -> own.add(node.name()));
        return new RegistryAccess(
                asked.mirrors(),
                asked.authority(),
                asked.proxy().isEmpty() ? asked.proxy() : asked.proxy().asksDirectly(own));
    }

    private RecoveredAssets assets(UpState state) {
        return new RecoveredAssets(disk, sandbox.name(), state.node());
    }

    private UpState writeRecovered(UpState state) {
        assets(state).write(state.snapshot().orElseThrow(), etcdRestore);
        return state;
    }

    private UpState render(UpState state, UpOptions options) {
        RecoveredAssets assets = assets(state);
        ClusterFacts cluster = ClusterFacts.of(assets.directory())
                .orElseGet(() -> said("rendering the cluster", () -> rendered(state, options)));
        new NodeFiles(disk, state.node()).exportKubeconfig(sandbox.paths().kubeconfig());
        if (options.snapshot().isEmpty()) {
            assets.requireRestored(etcdRestore);
        }
        return state.with(cluster);
    }

    /** The document is written once: a person may change it, and run up again. The assets are the node's, on its own disk. */
    private ClusterFacts rendered(UpState state, UpOptions options) {
        Path document = sandbox.paths().clusterDocument();
        if (disk.readText(document).isEmpty()) {
            String text = new SandboxCluster(
                            sandbox.name(),
                            controlPlaneNodes(options).stream()
                                    .map(SandboxNode::requireAddress)
                                    .toList(),
                            List.copyOf(etcdMembers().values()),
                            state.binaries().kubernetesVersion(),
                            state.images(),
                            options.layers())
                    .document();
            disk.write(document, text.getBytes(StandardCharsets.UTF_8), OWNER_AND_OTHERS_READ);
        }
        return ClusterFacts.of(
                renderer.render(RenderRequest.ofFile(document, state.node().file(NodeLayout.ASSETS)))
                        .cluster());
    }

    private UpState startKubelet(UpState state) {
        daemons.startKubelet(sandbox.first(), state);
        return state;
    }

    private UpState startEtcd(UpState state) {
        RunningNode node = state.node();
        EtcdStaticPod etcd = EtcdStaticPod.of(sandbox.name().node(), state.image(BuiltImage.ETCD), etcdMembers());
        state.snapshot().ifPresent(checked -> etcdRestore.ensure(node, checked, etcd));
        ImageLoader loader = SandboxImages.loader(processes, node);
        loader.load(
                state.images().stream()
                        .filter(image -> FIRST.contains(image.component()))
                        .toList(),
                this::say);
        boolean hasLeft = disk.status(node.file(NodeLayout.ETCD_LEFT)).isPresent();
        if (hasLeft) {
            say("the first node's member of etcd has left: it gets none");
        }
        new NodeFiles(disk, node).installEtcd(etcd, node);
        loader.load(
                state.images().stream()
                        .filter(image -> !FIRST.contains(image.component()))
                        .toList(),
                this::say);
        sandbox.nodes().stream().skip(1).filter(SandboxNode::beganWithEtcd).forEach(member -> {
            say("node " + member.name() + " with a member of etcd");
            EtcdStaticPod its = EtcdStaticPod.of(member.name(), state.image(BuiltImage.ETCD), etcdMembers());
            join.startEtcd(member, node, state.cluster(), its, this::say);
        });
        if (!hasLeft) {
            etcdHealth.await(node);
        }
        return state;
    }

    /** The addresses of the nodes that run a member of etcd, by name. */
    private SortedMap<String, String> etcdMembers() {
        return sandbox.nodes().stream()
                .filter(SandboxNode::beganWithEtcd)
                .collect(Collectors.toMap(
                        SandboxNode::name, SandboxNode::requireAddress, (one, _) -> one, TreeMap::new));
    }

    private UpState startCluster(UpState state, UpOptions options) {
        RunningNode node = state.node();
        List<String> asked = new ArrayList<>(List.of(
                "--timeout", options.timeout().toSeconds() + "s", "--report", NodeLayout.START_REPORT.toString()));
        etcdRestore.restored(node).ifPresent(moment -> asked.addAll(List.of("--restored-at", moment.toString())));
        new NodeStart(sandbox, processes, options.ouro())
                .run(
                        node,
                        asked,
                        options.startLimit(),
                        this::say,
                        "run 'ouro up' again, which goes on; logs are in "
                                + sandbox.first().paths().logs());
        sandbox.remember(SandboxRecord::completed);
        return state;
    }

    private SandboxRecord record() {
        return sandbox.record().orElseThrow(() -> new IllegalStateException("a node has a record"));
    }

    private void say(String line) {
        events.accept(new UpEvent.Said(line));
    }
}
