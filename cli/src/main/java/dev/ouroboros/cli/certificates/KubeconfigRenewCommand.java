package dev.ouroboros.cli.certificates;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.change.CertificateRenewal;
import dev.ouroboros.change.KubeconfigRenewal;
import dev.ouroboros.change.KubeconfigRenewal.Renewed;
import dev.ouroboros.cli.console.DurationConverter;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.endpoint.KubeconfigFile;
import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.node.clock.MonotonicClock;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ouro certificates renew-kubeconfig}. */
@Command(
        name = "renew-kubeconfig",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Issues the certificate in a kubeconfig again and writes both into the same file: while it is good, with the authority's key that the cluster has, and also when it has ended with --asset-dir. The former"
                    + " certificate stays good until it ends."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ouro certificates renew-kubeconfig $(ouro kubeconfig)",
            "  ouro certificates renew-kubeconfig ./assets/auth/kubeconfig --asset-dir ./assets"
        })
final class KubeconfigRenewCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "The kubeconfig, with a certificate and a key in it.")
    private Path file = Path.of("");

    @Option(
            names = "--asset-dir",
            paramLabel = "DIR",
            description = "The cluster's asset directory, whose authority's key is used; no API is asked then.")
    private Optional<Path> assetDirectory = Optional.empty();

    @Mixin
    private final LifetimeOption lifetime = new LifetimeOption();

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "30s",
            converter = DurationConverter.class,
            description = "How long the API is asked (default: ${DEFAULT-VALUE}).")
    private Duration timeout = Duration.ofSeconds(30);

    @Mixin
    private final OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        List<Renewed> renewed = new KubeconfigRenewal(
                        ThisMachine.disk(),
                        authorities(),
                        lifetime.policy(),
                        new SecureRandom(),
                        InstantSource.system())
                .renew(file);
        output.print(
                spec,
                data(renewed),
                () -> renewed.stream()
                        .map(one -> file + ": " + one.subject() + " is good until " + one.notAfter() + "\n")
                        .collect(Collectors.joining()));
        return ExitCode.DONE;
    }

    private List<Credential> authorities() {
        if (assetDirectory.isPresent()) {
            return CertificateRenewal.authoritiesOf(assetDirectory.get(), ThisMachine.disk());
        }
        try (ClusterClient client = ClusterClient.connect(KubeconfigFile.read(file, Optional.empty()))) {
            return CertificateRenewal.of(
                            client,
                            Optional.empty(),
                            ThisMachine.disk(),
                            lifetime.policy(),
                            new SpokenLines(spec),
                            new SecureRandom(),
                            timeout,
                            new MonotonicClock(InstantSource.system().instant()),
                            InstantSource.system())
                    .authorities();
        }
    }

    private static ObjectNode data(List<Renewed> renewed) {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        ArrayNode all = data.putArray("renewed");
        renewed.forEach(one -> all.addObject()
                .put("subject", one.subject())
                .put("notAfter", one.notAfter().toString()));
        return data;
    }
}
