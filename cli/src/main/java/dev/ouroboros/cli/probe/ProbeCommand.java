package dev.ouroboros.cli.probe;

import dev.ouroboros.cli.cluster.KubeconfigVariable;
import dev.ouroboros.cli.cluster.SandboxOptions;
import dev.ouroboros.cli.console.DurationConverter;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.endpoint.KubeconfigFile;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.probe.ClientKind;
import dev.ouroboros.probe.Probe;
import dev.ouroboros.probe.ProbeListener;
import dev.ouroboros.probe.ProbeOptions;
import dev.ouroboros.probe.report.ClientRow;
import dev.ouroboros.probe.report.JsonReport;
import dev.ouroboros.probe.report.OutageEvent;
import dev.ouroboros.probe.report.ProbeReport;
import dev.ouroboros.probe.report.TextReport;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ouro probe}: availability of an API endpoint as its clients see it. */
@Command(
        name = "probe",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measures how available an API endpoint is to new, pooled and watching clients.",
            "",
            "Each client sends a request at the interval, however slow the one before is. The report lists requests,"
                    + " failures, latencies, every outage and the longest wait. The clients:",
            "  new       a new TLS connection for each request, GET /readyz, no retry",
            "  pooled    one HTTP/2 connection that honours GOAWAY and Retry-After as client-go does",
            "  no-retry  HTTP/1.1 kept alive, GET and POST (dry run), no retry: shown, not counted",
            "  watch     a ConfigMap that is written every tenth interval, watched, and removed at the end",
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:no request failed, no acknowledged write was missed",
            "1:the probe could not run",
            "2:bad usage",
            "3:a request failed, a client was never answered, or a write was missed"
        },
        footerHeading = "%nExample:%n",
        footer = {
            "  ouro probe --name ouroboros --duration 1m",
            "  ouro probe --kubeconfig ./kubeconfig --interval 20ms --clients new,pooled -o json"
        })
public final class ProbeCommand implements Callable<Integer> {
    enum Output {
        TEXT,
        JSON
    }

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "endpoint and identity; default: $KUBECONFIG, unless --server stands alone")
    private Optional<Path> kubeconfig = Optional.empty();

    @Mixin
    private SandboxOptions sandbox = new SandboxOptions();

    @Option(names = "--server", paramLabel = "URL", description = "probe this URL instead of the kubeconfig's")
    private Optional<URI> server = Optional.empty();

    @Option(
            names = "--certificate-authority",
            paramLabel = "FILE",
            description = "CA certificates to trust, with --server and no kubeconfig")
    private Optional<Path> certificateAuthority = Optional.empty();

    @Option(
            names = "--interval",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            defaultValue = "50ms",
            description = "between two requests of a client; default: ${DEFAULT-VALUE}")
    private Duration interval = ProbeOptions.DEFAULT_INTERVAL;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            defaultValue = "5s",
            description = "a request that takes longer has failed; default: ${DEFAULT-VALUE}")
    private Duration timeout = ProbeOptions.DEFAULT_TIMEOUT;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            defaultValue = "30s",
            description = "of the probe, unless Ctrl-C ends it earlier; default: ${DEFAULT-VALUE}")
    private Duration duration = Duration.ZERO;

    @Option(
            names = "--clients",
            paramLabel = "CLIENT",
            split = ",",
            converter = ClientConverter.class,
            description = "new, pooled, no-retry, watch; default: all, watch only with an identity")
    private List<ClientKind> clients = List.of();

    @Option(names = "--namespace", description = "of the watched ConfigMap; default: default")
    private Optional<String> namespace = Optional.empty();

    @Option(
            names = "--await-first-answer",
            description = "do not count what fails before a client's first answer: for an API that is yet to come up")
    private boolean awaitFirstAnswer;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "TEXT",
            description = "text or json; default: text")
    private Output output = Output.TEXT;

    /** Takes a client's name as the report shows it. */
    static final class ClientConverter implements picocli.CommandLine.ITypeConverter<ClientKind> {
        @Override
        public ClientKind convert(String value) {
            return Stream.of(ClientKind.values())
                    .filter(kind -> name(kind).equals(value))
                    .findFirst()
                    .orElseThrow(() -> new picocli.CommandLine.TypeConversionException("'" + value
                            + "' is none of "
                            + Stream.of(ClientKind.values())
                                    .map(ClientConverter::name)
                                    .collect(Collectors.joining(", "))));
        }

        private static String name(ClientKind kind) {
            return kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    @Override
    public Integer call() throws InterruptedException {
        ProbeOptions options = options();
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        CountDownLatch ended = new CountDownLatch(1);
        CountDownLatch reported = new CountDownLatch(1);
        AtomicInteger exitCode = new AtomicInteger(ExitCode.FAILED);
        Thread onInterrupt = new Thread(() -> endEarly(ended, reported, exitCode), "probe-interrupt");
        Runtime.getRuntime().addShutdownHook(onInterrupt);
        try (Probe probe = Probe.start(options, new Lines(err))) {
            if (!ended.await(duration.toNanos(), TimeUnit.NANOSECONDS)) {
                removeHook(onInterrupt);
            }
            ProbeReport report = probe.stop();
            out.print(
                    switch (output) {
                        case TEXT -> TextReport.render(report);
                        case JSON -> JsonReport.render(report);
                    });
            out.flush();
            exitCode.set(report.available() ? ExitCode.DONE : ExitCode.FINDINGS);
        } finally {
            reported.countDown();
        }
        return exitCode.get();
    }

    /** Ctrl-C: the report is due, and the exit code says what it found instead of "interrupted". */
    private static void endEarly(CountDownLatch ended, CountDownLatch reported, AtomicInteger exitCode) {
        ended.countDown();
        try {
            reported.await();
            Runtime.getRuntime().halt(exitCode.get());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void removeHook(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // Ctrl-C came at this very moment: the hook runs already and waits for the report, which is next.
        }
    }

    private ProbeOptions options() {
        ProbeOptions options = ProbeOptions.of(endpoint())
                .withInterval(interval)
                .withTimeout(timeout)
                .withAwaitFirstAnswer(awaitFirstAnswer);
        if (!clients.isEmpty()) {
            Set<ClientKind> chosen = EnumSet.copyOf(clients);
            options = options.withClients(chosen);
        }
        return namespace.isPresent() ? options.withConfigMap(namespace.get(), options.configMap()) : options;
    }

    private Optional<Path> ofSandbox() {
        return sandbox.givenName().isPresent()
                ? Optional.of(sandbox.existing().paths().kubeconfig())
                : Optional.empty();
    }

    private Endpoint endpoint() {
        Optional<Path> file = kubeconfig
                .or(this::ofSandbox)
                .or(() -> server.isPresent() ? Optional.empty() : KubeconfigVariable.read());
        if (file.isPresent()) {
            return KubeconfigFile.read(file.get(), server);
        }
        List<X509Certificate> authorities =
                certificateAuthority.map(KubeconfigFile::readAuthorities).orElse(List.of());
        URI url = server.orElseThrow(() -> ProblemException.of(
                ErrorCode.BAD_USAGE,
                "ouro probe",
                "has nothing to probe",
                "--kubeconfig FILE or --server URL",
                "add one of them; ouro kubeconfig prints where a sandbox has its own"));
        try {
            return Endpoint.of(url, authorities, Optional.empty(), Optional.empty());
        } catch (IllegalArgumentException e) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "--server",
                    String.valueOf(e.getMessage()),
                    "",
                    "give --server as in https://10.77.0.2:6443");
        }
    }

    /** Outages as they begin and end, for people. */
    private record Lines(PrintWriter err) implements ProbeListener {
        @Override
        public void event(ClientRow row, OutageEvent event) {
            say(row.label() + ": "
                    + switch (event) {
                        case OutageEvent.FirstAnswer(Duration at) -> "first answer after " + TextReport.duration(at);
                        case OutageEvent.Began(Duration from, String firstError) ->
                            "outage since " + TextReport.duration(from) + ": " + firstError;
                        case OutageEvent.Ended(var outage) ->
                            "answered again: " + TextReport.describe(outage, outage.from());
                    });
        }

        @Override
        public void warning(String message) {
            say("warning: " + message);
        }

        private void say(String line) {
            err.println(line);
            err.flush();
        }
    }
}
