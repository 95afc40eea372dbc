package dev.ouroboros.steward;

import dev.ouroboros.api.ApiClient;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.api.EndpointSource;
import dev.ouroboros.api.EventRecorder;
import dev.ouroboros.api.NodeLease;
import dev.ouroboros.api.ProcessClusterMemory;
import dev.ouroboros.api.ServiceAccountSource;
import dev.ouroboros.etcd.EtcdCluster;
import dev.ouroboros.etcd.SnapshotDriller;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.node.clock.MonotonicClock;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.http.PageServer;
import dev.ouroboros.node.http.PageServer.Page;
import dev.ouroboros.node.log.LineFormatter;
import dev.ouroboros.node.process.DaemonProcess;
import dev.ouroboros.runtime.cri.CriRuntime;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The steward as a process. */
public final class StewardMain {
    /** A turn that takes longer hangs: a snapshot of eight gigabytes, the most that etcd recommends, is saved and read in less. */
    private static final Duration HANGS = Duration.ofHours(1);

    private static final Duration RUNTIME_LIMIT = Duration.ofSeconds(10);

    private StewardMain() {}

    public static void main(String[] arguments) {
        // The only print of this module: before there is a log, for people.
        System.exit(run(
                List.of(arguments),
                System.getenv(),
                new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8)));
    }

    /**
     * Works until the process is told to end.
     *
     * @param err for what is wrong with the flags, or with where it is to work
     * @return the exit code
     */
    public static int run(List<String> arguments, Map<String, String> environment, PrintStream err) {
        return DaemonProcess.run(arguments, StewardFlags.USAGE, err, () -> {
            StewardOptions options = StewardFlags.parse(arguments, environment);
            LineFormatter.install(options.node(), options.logLevel());
            work(options);
        });
    }

    private static void work(StewardOptions options) throws InterruptedException {
        CountDownLatch told = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(told::countDown, "stop"));
        InstantSource wallClock = InstantSource.system();
        InstantSource clock = new MonotonicClock(wallClock.instant());
        LocalDisk disk = new LocalDisk();
        StewardMetrics metrics = new StewardMetrics();
        EndpointSource self = new ServiceAccountSource(disk, options.credentials(), options.server());
        try (ApiClient api = new ApiClient(self, Component.STEWARD.id());
                PageServer _ =
                        PageServer.inSuccession(Component.STEWARD.id(), options.healthPort(), pages(metrics, clock))) {
            ClusterGuard guard = new ClusterGuard(api, new ProcessClusterMemory(), clock);
            EventRecorder events = new EventRecorder(api, guard, Component.STEWARD, options.node(), wallClock);
            Thread writer = Thread.ofVirtual().name("events").start(events::run);
            WishSource source = new WishSource(api, guard, options.nodeRole());
            EtcdBackups backups =
                    new EtcdBackups(options.etcd(), options.state().resolve(StateLayout.BACKUPS), disk, wallClock);
            Supplier<EtcdCluster> members = new RecentMembers(() -> backups.members(source.etcdServers()), clock);
            World world = new World(self, api, guard, members, disk, clock, wallClock);
            EtcdWork work = etcdWork(options, world);
            Leadership leadership = new Leadership(
                    new NodeLease(api, guard, Leadership.LEASE, options.node(), clock, wallClock), clock);
            Steward steward = new Steward(
                    options.node(),
                    api,
                    source,
                    backups,
                    members,
                    leadership,
                    options.managesEtcd()
                            ? new MemberScaling(options.node(), api, work, leadership, members, clock, wallClock)
                            : new OwnersEtcd(leadership),
                    tools(options, disk, clock),
                    new Steward.Certifying(work::client, work::hasMember, work::quietFiles, work::certificates),
                    events,
                    metrics,
                    clock,
                    wallClock);
            do {
                steward.turn();
            } while (!told.await(options.interval().toMillis(), TimeUnit.MILLISECONDS));
            writer.interrupt();
        }
    }

    /** What the parts share. */
    private record World(
            EndpointSource self,
            ApiClient api,
            ClusterGuard guard,
            Supplier<EtcdCluster> members,
            LocalDisk disk,
            InstantSource clock,
            InstantSource wallClock) {}

    private static EtcdWork etcdWork(StewardOptions options, World world) {
        return new EtcdWork(
                new EtcdWork.Places(
                        options.manifest(), options.state(), options.kubeletKubeconfig(), options.authorityKey()),
                world.self(),
                options.etcd(),
                world.members(),
                world.disk(),
                new CriRuntime(options.runtimeSocket(), RUNTIME_LIMIT),
                world.clock(),
                world.wallClock());
    }

    private static Steward.Tools tools(StewardOptions options, LocalDisk disk, InstantSource clock) {
        return new Steward.Tools(
                new SnapshotDriller(
                        disk, new CriRuntime(options.runtimeSocket(), RUNTIME_LIMIT), clock, new LoggedSteps()),
                new SnapshotDriller.Place(options.manifest(), options.state()),
                disk);
    }

    private static Map<String, Supplier<Page>> pages(StewardMetrics metrics, InstantSource clock) {
        return Map.of(
                "/healthz",
                        () -> Page.check(metrics.turnSince()
                                .filter(since -> since.plus(HANGS).isBefore(clock.instant()))
                                .map(since -> "is at one turn since " + since)),
                "/readyz",
                        () -> Page.check(
                                metrics.isNew() ? Optional.of("it has not looked at anything yet") : Optional.empty()),
                "/metrics", () -> Page.metrics(metrics.text()));
    }
}
