package dev.ouroboros.cli.certificates;

import dev.ouroboros.change.CertificateRenewal;
import dev.ouroboros.cli.cluster.StatusTarget;
import dev.ouroboros.cli.console.DurationConverter;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.node.clock.MonotonicClock;
import dev.ouroboros.render.pki.RenewalPolicy;
import dev.ouroboros.status.seen.NodeSeen.NodeCertificates;
import dev.ouroboros.status.source.NodeCertificateFiles;
import dev.ouroboros.status.source.NodePlace;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ouro certificates}: which there are; its subcommands have them issued again. */
@Command(
        name = "certificates",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        synopsisSubcommandLabel = "[COMMAND]",
        description = {
            "Lists the certificates of a cluster: what workloads of the control plane show, and of the nodes that can be looked at from here those of etcd's member and of the kubelet; whose they are, who signed"
                    + " them, until when they are good, and when they are to be issued again; then the authorities whose certificates they mount, and where the keys of those are.",
            "Exit code 3 when one has ended; when one is due and the key of its authority is not at hand, or its authority ends with it; and when a Secret that a workload mounts is gone."
        },
        subcommands = {CertificatesRenewCommand.class, MemberRenewCommand.class, KubeconfigRenewCommand.class},
        footerHeading = "%nExamples:%n",
        footer = {
            "  ouro certificates --name ouroboros",
            "  ouro certificates renew --name ouroboros",
            "  ouro certificates renew-kubeconfig $(ouro kubeconfig)"
        })
public final class CertificatesCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private StatusTarget target = new StatusTarget();

    @Option(
            names = "--asset-dir",
            paramLabel = "DIR",
            description = "The cluster's asset directory, which has keys of authorities that are not in the cluster.")
    private Optional<Path> assetDirectory = Optional.empty();

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
        Instant now = Instant.now();
        CertificatesView view;
        try (ClusterClient client = ClusterClient.connect(target.requiredEndpoint())) {
            RenewalPolicy policy = LifetimeOption.wishedBy(client);
            CertificateRenewal renewal = CertificateRenewal.of(
                    client,
                    assetDirectory,
                    ThisMachine.disk(),
                    policy,
                    new SpokenLines(spec),
                    new SecureRandom(),
                    timeout,
                    new MonotonicClock(InstantSource.system().instant()),
                    InstantSource.system());
            view = new CertificatesView(renewal.books(), renewal.known(), ofNodes(), policy, now);
        }
        output.print(spec, view.data(), view::text);
        return view.isWorrying() ? ExitCode.FINDINGS : ExitCode.DONE;
    }

    private SortedMap<String, Evidence<NodeCertificates>> ofNodes() {
        SortedMap<String, Evidence<NodePlace>> places = new TreeMap<>(target.otherNodes());
        // A cluster that is asked from elsewhere has no node here.
        if (target.node() instanceof Evidence.Known<NodePlace>(NodePlace here)) {
            places.put(here.name(), Evidence.known(here));
        }
        SortedMap<String, Evidence<NodeCertificates>> found = new TreeMap<>();
        places.forEach((name, place) -> found.put(
                name,
                place.flatMap(
                        known -> Evidence.asking(() -> new NodeCertificateFiles(known, ThisMachine.disk()).look()))));
        return found;
    }
}
