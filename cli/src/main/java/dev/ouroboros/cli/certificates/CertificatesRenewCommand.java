package dev.ouroboros.cli.certificates;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.ouroboros.change.CertificateRenewal;
import dev.ouroboros.cli.cluster.StatusTarget;
import dev.ouroboros.cli.console.DurationConverter;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.node.clock.MonotonicClock;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ouro certificates renew}. */
@Command(
        name = "renew",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Has workloads of the control plane get certificates that are issued again, by the authorities of before: those of which a third of the life is left. Each workload gets a new Secret, one after the other;"
                    + " API servers are exchanged by their keepers, and no request fails.",
            "A steward does that by itself (docs/certificates.md). May be killed at any moment: run again, it sees from the cluster what is left to do."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:none is due any more",
            "1:a workload does not run with others, or time is up",
            "2:bad usage, or one is due whose authority's key is not at hand, or ends itself; or a Secret of a workload is gone"
        },
        footerHeading = "%nExamples:%n",
        footer = {"  ouro certificates renew --name ouroboros", "  ouro certificates renew --all --asset-dir ./assets"})
final class CertificatesRenewCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private StatusTarget target = new StatusTarget();

    @Option(names = "--all", description = "All of them, whether or not they are due.")
    private boolean all;

    @Option(
            names = "--asset-dir",
            paramLabel = "DIR",
            description =
                    "The cluster's asset directory: it has keys of authorities that are not in the cluster, and gets what is issued.")
    private Optional<Path> assetDirectory = Optional.empty();

    @Mixin
    private final LifetimeOption lifetime = new LifetimeOption();

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "10m",
            converter = DurationConverter.class,
            description = "How long one thing is waited for (default: ${DEFAULT-VALUE}).")
    private Duration timeout = Duration.ofMinutes(10);

    @Mixin
    private final OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        SpokenLines lines = new SpokenLines(spec);
        try (ClusterClient client = ClusterClient.connect(target.requiredEndpoint())) {
            boolean any = CertificateRenewal.of(
                            client,
                            assetDirectory,
                            ThisMachine.disk(),
                            lifetime.policy(client),
                            lines,
                            new SecureRandom(),
                            timeout,
                            new MonotonicClock(InstantSource.system().instant()),
                            InstantSource.system())
                    .renew(all ? CertificateRenewal.Scope.ALL : CertificateRenewal.Scope.DUE);
            if (any && assetDirectory.isPresent()) {
                lines.say(
                        "run 'ouro render' again with the cluster's configuration, so that the manifests beside the keys are of these, too");
            }
            output.print(
                    spec,
                    JsonNodeFactory.instance.objectNode().put("renewed", any),
                    () -> any
                            ? "workloads have certificates that were issued again\n"
                            : "nothing to do: none is due ('ouro certificates' lists them)\n");
        }
        return ExitCode.DONE;
    }
}
