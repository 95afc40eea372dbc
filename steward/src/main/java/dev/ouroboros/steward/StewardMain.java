package dev.ouroboros.steward;

import dev.ouroboros.api.ApiClient;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.api.EventRecorder;
import dev.ouroboros.api.ProcessClusterMemory;
import dev.ouroboros.api.ServiceAccountSource;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.node.clock.MonotonicClock;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.http.PageServer;
import dev.ouroboros.node.http.PageServer.Page;
import dev.ouroboros.node.log.LineFormatter;
import dev.ouroboros.node.process.DaemonProcess;
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
    /** A snapshot of the eight gigabytes that etcd advises at most is saved and read in less. */
    private static final Duration HANGS = Duration.ofHours(1);

    private StewardMain() {}

    public static void main(String[] arguments) {
        // The one place of this module that prints: before there is a log, to people.
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
        try (ApiClient api = new ApiClient(
                        new ServiceAccountSource(disk, options.credentials(), options.server()),
                        Component.STEWARD.id());
                PageServer _ =
                        PageServer.inSuccession(Component.STEWARD.id(), options.healthPort(), pages(metrics, clock))) {
            ClusterGuard guard = new ClusterGuard(api, new ProcessClusterMemory(), clock);
            EventRecorder events = new EventRecorder(api, guard, Component.STEWARD, options.node(), wallClock);
            Thread writer = Thread.ofVirtual().name("events").start(events::run);
            Steward steward = new Steward(
                    options.node(),
                    api,
                    new ClusterSource(api, guard, options.nodeRole()),
                    new EtcdBackups(options.etcd(), options.backups(), disk, wallClock),
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
