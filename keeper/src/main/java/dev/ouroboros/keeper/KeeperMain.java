package dev.ouroboros.keeper;

import dev.ouroboros.keeper.Daemon.Surroundings;
import dev.ouroboros.keeper.act.RuntimeArchive;
import dev.ouroboros.keeper.agent.NodeAgent;
import dev.ouroboros.keeper.agent.NodeAgentFlags;
import dev.ouroboros.keeper.agent.NodeAgentOptions;
import dev.ouroboros.keeper.succession.LockedSuccession;
import dev.ouroboros.keeper.succession.Succession;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.node.clock.MonotonicClock;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.front.NftBalancer;
import dev.ouroboros.node.front.NftFront;
import dev.ouroboros.node.libc.KernelRoutes;
import dev.ouroboros.node.log.LineFormatter;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.DaemonProcess;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.runtime.cri.CriRuntime;
import dev.ouroboros.runtime.image.ImageArchive;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The daemon as a process. The container's command waits in {@code flock} for the keeper's lock before it becomes this process, so
 * that a keeper that waits costs no JVM ({@link LockedSuccession}).
 */
public final class KeeperMain {
    private static final Logger LOG = LoggerFactory.getLogger(KeeperMain.class);
    private static final Duration RUNTIME_LIMIT = Duration.ofSeconds(10);
    private static final Duration IMAGE_LIMIT = Duration.ofSeconds(30);
    private static final Duration SYNC_LIMIT = Duration.ofSeconds(30);
    private static final Duration GRACE = Duration.ofSeconds(5);

    private KeeperMain() {}

    public static void main(String[] arguments) {
        // The one place of this module that prints: before there is a log, to people.
        System.exit(run(
                List.of(arguments),
                new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8)));
    }

    /**
     * Runs a keeper until it ends.
     *
     * @param err for what is wrong with the flags, or with where it is to work
     * @return the exit code
     */
    public static int run(List<String> arguments, PrintStream err) {
        return arguments.contains(NodeAgentFlags.ROLE) ? runAgent(arguments, err) : runKeeper(arguments, err);
    }

    private static int runAgent(List<String> arguments, PrintStream err) {
        List<String> flags = arguments.stream()
                .filter(argument -> !argument.equals(NodeAgentFlags.ROLE))
                .toList();
        return DaemonProcess.run(flags, NodeAgentFlags.USAGE, err, () -> {
            NodeAgentOptions options = NodeAgentFlags.parse(flags);
            LineFormatter.install(options.nodeName(), options.logLevel());
            LocalDisk disk = new LocalDisk();
            LocalProcesses processes = new LocalProcesses();
            disk.createDirectories(options.directory(), Disk.OWNER_ONLY_DIRECTORY);
            try (Succession succession = new LockedSuccession(options.directory(), options.staticCopy());
                    NodeAgent agent = new NodeAgent(
                            options,
                            disk,
                            processes,
                            new NftBalancer(processes, List.of(), options.nodeName()),
                            new KernelRoutes(),
                            succession,
                            new MonotonicClock(InstantSource.system().instant()),
                            InstantSource.system())) {
                Runtime.getRuntime().addShutdownHook(new Thread(agent::end, "stop"));
                agent.run();
            }
        });
    }

    private static int runKeeper(List<String> arguments, PrintStream err) {
        return DaemonProcess.run(arguments, KeeperFlags.USAGE, err, () -> {
            KeeperOptions options = KeeperFlags.parse(arguments);
            LineFormatter.install(options.nodeName(), options.logLevel());
            work(options);
        });
    }

    private static void work(KeeperOptions options) throws InterruptedException {
        LocalDisk disk = new LocalDisk();
        LocalProcesses processes = new LocalProcesses();
        Path own = options.stateDirectory().resolve(StateLayout.KEEPER);
        disk.createDirectories(own, Disk.OWNER_ONLY_DIRECTORY);
        // Syncs all file systems, because the runtime's files are not in our directories.
        Runnable sync =
                () -> processes.run(Command.of("sync").withTimeout(SYNC_LIMIT)).orThrow();
        Surroundings world = new Surroundings(
                disk,
                processes,
                new NftFront(processes, options.front()),
                new NftBalancer(processes, List.of(), options.nodeName()),
                new KernelRoutes(),
                List.of(),
                new CriRuntime(options.runtimeSocket(), RUNTIME_LIMIT),
                new RuntimeArchive(
                        new ImageArchive(options.runtimeSocket(), IMAGE_LIMIT, disk, InstantSource.system(), sync),
                        disk,
                        own.resolve("images"),
                        sync));
        CountDownLatch closed = new CountDownLatch(1);
        try (Succession succession = new LockedSuccession(own, options.staticCopy());
                Daemon daemon = new Daemon(
                        options,
                        world,
                        succession,
                        new MonotonicClock(InstantSource.system().instant()),
                        InstantSource.system())) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(daemon, closed), "stop"));
            daemon.run();
        } finally {
            closed.countDown();
        }
    }

    /** On SIGTERM: actions under way may end, or be cut off; the next keeper goes on from what it sees. */
    private static void stop(Daemon daemon, CountDownLatch closed) {
        daemon.end();
        try {
            if (!closed.await(GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn("component=keeper event=cut-off reason=\"did not end within {} s\"", GRACE.toSeconds());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
