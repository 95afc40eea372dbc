package dev.ouroboros.dns;

import dev.ouroboros.node.clock.MonotonicClock;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.log.LineFormatter;
import dev.ouroboros.node.process.DaemonProcess;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** The server as a process. */
public final class DnsMain {
    /** As CoreDNS has it. */
    private static final Duration LAME_DUCK = Duration.ofSeconds(5);

    private DnsMain() {}

    public static void main(String[] arguments) {
        // The one place of this module that prints: before there is a log, to people.
        System.exit(run(
                List.of(arguments),
                System.getenv(),
                new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8)));
    }

    /**
     * Serves until the process is told to end.
     *
     * @param err for what is wrong with the flags, or with where it is to work
     * @return the exit code
     */
    public static int run(List<String> arguments, Map<String, String> environment, PrintStream err) {
        return DaemonProcess.run(arguments, DnsFlags.USAGE, err, () -> {
            DnsOptions options = DnsFlags.parse(arguments, environment);
            LineFormatter.install(environment.getOrDefault("NODE_NAME", "-"), options.logLevel());
            serve(options);
        });
    }

    /** Goes on until every node's proxy has learnt that the pod ends: nobody tells when that is. */
    private static void fadeOut(CountDownLatch told) {
        try {
            Thread.sleep(LAME_DUCK);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        told.countDown();
    }

    private static void serve(DnsOptions options) throws InterruptedException {
        CountDownLatch told = new CountDownLatch(1);
        InetAddress everywhere = new InetSocketAddress(0).getAddress();
        try (DnsServer _ = new DnsServer(
                options,
                new LocalDisk(),
                new MonotonicClock(InstantSource.system().instant()),
                everywhere)) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> fadeOut(told), "stop"));
            told.await();
        }
    }
}
