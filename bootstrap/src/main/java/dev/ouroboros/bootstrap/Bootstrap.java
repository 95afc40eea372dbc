package dev.ouroboros.bootstrap;

import dev.ouroboros.api.KubernetesServiceEndpoints;
import dev.ouroboros.bootstrap.Actuator.FrontSide;
import dev.ouroboros.bootstrap.decide.Pivot;
import dev.ouroboros.cluster.Applier;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.FormerLife;
import dev.ouroboros.cluster.NodeRegistration;
import dev.ouroboros.cluster.TemporaryLeaders;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.front.FrontSpec;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.action.Wakeup;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.front.Front;
import dev.ouroboros.node.front.NftFront;
import dev.ouroboros.node.kubelet.PodLogs;
import dev.ouroboros.node.lock.ExclusiveLock;
import dev.ouroboros.node.port.Listeners;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.render.manifest.ManifestSet;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * {@code ouro start}: from an asset directory to a control plane that hosts itself. Wires the parts of one pivot together; the
 * decisions are {@link Pivot}'s.
 */
public final class Bootstrap {
    private static final Path POD_LOGS = Path.of("/var/log/pods");

    /** Not there on a kernel without IPv6. */
    private static final Path IPV6_ADDRESSES = Path.of("/proc/net/if_inet6");

    private final Disk disk;
    private final Processes processes;
    private final InstantSource clock;

    public Bootstrap(Disk disk, Processes processes, InstantSource clock) {
        this.disk = disk;
        this.processes = processes;
        this.clock = clock;
    }

    /**
     * What {@link #start} would do; changes nothing.
     *
     * @throws ProblemException what is wrong with the input
     */
    public StartPlan plan(StartOptions options) {
        return StartPlan.of(disk, options, disk.readText(IPV6_ADDRESSES).isPresent(), clock.instant());
    }

    /** Has the keys copied again that an earlier start of this node copied for its temporary control plane: those of the asset directory are others now. */
    public static void copyKeysAnew(Disk disk) {
        TemporaryControlPlane.forgetSecrets(disk);
    }

    /** What has to be done to etcd before a control plane is started on it. */
    public interface Restore {
        /**
         * Restores etcd, or goes on with a restore that was killed. The keeper of the node does nothing meanwhile.
         *
         * @return when the restore began: all that etcd holds is older; empty when nothing was done
         */
        Optional<Instant> run() throws InterruptedException;
    }

    /**
     * Runs a pivot to its end, or goes on with one that was killed.
     *
     * @param restore runs first, with start's lock held: otherwise the keeper would take a stopped etcd for a lost control plane
     * @param listener is told what happens, from several threads, one call at a time
     * @throws ProblemException what is wrong with the input or the node, or why the pivot failed
     */
    public void start(StartOptions options, Restore restore, Consumer<StartEvent> listener)
            throws InterruptedException {
        StartPlan plan = plan(options);
        ManifestSet keeper = plan.manifests().keeperWithAccess();
        disk.createDirectories(options.stateDirectory(), Disk.OWNER_ONLY_DIRECTORY);
        Consumer<StartEvent> oneAtATime = serialized(listener);
        if (options.adopt()) {
            oneAtATime.accept(new StartEvent.Adopting(plan.changes(), plan.remarks()));
        }
        Instant begun = clock.instant();
        try (ClusterClient client = ClusterClient.connect(plan.api())) {
            var keeperFiles = new KeeperFiles(
                    options.stateDirectory().resolve(StateLayout.CHECKPOINTS),
                    options.podManifestPath(),
                    plan.manifests().checkpointed());
            KeeperHandover handover;
            boolean kept = plan.manifests().keeper().size() > 0;
            try (ExclusiveLock _ =
                    ExclusiveLock.acquire(options.stateDirectory().resolve(StateLayout.LOCK), "ouro start")) {
                if (options.takesOver()) {
                    new TakeOver(disk, keeperFiles, clock).run();
                } else {
                    keeperFiles.requireNoUnderstudy();
                }
                StartOptions told = restore.run().map(options::restoredAt).orElse(options);
                FormerLifeFile formerPods = new FormerLifeFile(disk, told.stateDirectory());
                FormerLife former = formerPods.before(told.restored());
                handover = new KeeperHandover(
                        client,
                        applier(client, told, plan.assets()),
                        keeper,
                        plan.manifests().steward(),
                        options.nodeName(),
                        keeperFiles,
                        options.settings().progressDeadline(),
                        clock,
                        oneAtATime,
                        former);
                PodLogs logs = new PodLogs(disk, POD_LOGS);
                new PortPreflight(Listeners.ofThisMachine(), logs, plan.api()).check(plan.address());
                pivot(told, former, formerPods, plan, client, oneAtATime);
                if (kept) {
                    handover.begin();
                }
            }
            if (kept) {
                handover.await(begun);
            }
        }
    }

    private void pivot(
            StartOptions options,
            FormerLife former,
            FormerLifeFile formerPods,
            StartPlan plan,
            ClusterClient client,
            Consumer<StartEvent> listener)
            throws InterruptedException {
        StartAssets assets = plan.assets();
        ApiAddress address = plan.address();
        ManifestSet manifests = plan.manifests().withoutKeeper();
        Wakeup changed = new Wakeup();
        PodLogs logs = new PodLogs(disk, POD_LOGS);
        Optional<FrontSide> front = frontOf(plan);
        ApiServerSources servers =
                front.<ApiServerSources>map(FrontSide::sources).orElseGet(() -> onOnePort(plan, logs, options));
        var temporary = new TemporaryControlPlane(disk, options.podManifestPath(), assets, address);
        var journal = new PivotJournal(disk, options.stateDirectory(), assets.clusterId(), options.restored());
        try (var nodeSources = new NodeSources(
                        changed, temporary, servers, logs, options.nodeName(), options.kubeletRestart(), clock);
                var apiSources = new StartApiSources(
                        changed,
                        client,
                        applier(client, options, assets),
                        manifests,
                        assets.isRecovered() ? Optional.empty() : Optional.of(plan.manifests()),
                        plan.required(),
                        new NodeRegistration(
                                client, options.nodeName(), manifests.controlPlaneLabels(), assets.nodeCidrs(), former),
                        new KubernetesServiceEndpoints(
                                client.api(),
                                address.node().getHostAddress(),
                                address.port(),
                                // start refuses a cluster with several control-plane nodes: no other address belongs
                                // there.
                                () -> Evidence.known(Set.of()),
                                () -> true),
                        new TemporaryLeaders(client, options.nodeName(), manifests.onHostNetwork()),
                        former,
                        () -> options.restored().ifPresent(formerPods::note),
                        // Before the phase's own deadline: only the acceptance names what failed.
                        options.settings().progressDeadline().multipliedBy(4).dividedBy(5));
                var actuator =
                        new Actuator(nodeSources, apiSources, temporary, front, processes, changed, clock, listener)) {
            nodeSources.start();
            new Start(
                            new Pivot(
                                    options.settings().withKubeletThatStartsSlowly(assets.kubeletStartsSlowly()),
                                    address.handover()),
                            journal,
                            servers,
                            nodeSources,
                            apiSources,
                            actuator,
                            changed,
                            clock,
                            listener)
                    .run();
        }
    }

    /** In a restored etcd nobody has changed these objects since: where they differ, the recovery changed them. */
    private static Applier applier(ClusterClient client, StartOptions options, StartAssets assets) {
        return new Applier(client, options.restored().isPresent() ? assets.changedByRecovery() : Set.of());
    }

    private Optional<FrontSide> frontOf(StartPlan plan) {
        return switch (plan.address()) {
            case ApiAddress.OnLoopback _ -> Optional.empty();
            case ApiAddress.BehindFront(var _, FrontSpec spec) -> {
                Front front = new NftFront(processes, spec);
                yield Optional.of(new FrontSide(front, new FrontSources(plan.api(), front, clock)));
            }
        };
    }

    private SharedPortSources onOnePort(StartPlan plan, PodLogs logs, StartOptions options) {
        InetSocketAddress address =
                new InetSocketAddress(plan.address().node(), plan.address().port());
        return new SharedPortSources(plan.api(), address, Listeners.ofThisMachine(), logs, options.nodeName(), clock);
    }

    private static Consumer<StartEvent> serialized(Consumer<StartEvent> listener) {
        Object monitor = new Object();
        return event -> {
            synchronized (monitor) {
                listener.accept(event);
            }
        };
    }
}
