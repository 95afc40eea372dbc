package dev.ouroboros.cli.assets;

import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.render.RenderReport;
import dev.ouroboros.render.RenderRequest;
import dev.ouroboros.render.config.Field;
import dev.ouroboros.render.config.Settings;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ouro render}: flags into settings, the report onto standard error. */
@Command(
        name = "render",
        description = "Writes the asset directory of a cluster: keys, kubeconfigs, manifests.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footerHeading = "%nExample:%n",
        footer = {
            "  ouro render --config cluster.yaml --asset-dir demo",
            "  ouro render --kubernetes-version v1.20.2 --api-servers https://10.0.0.5:6443 \\",
            "      --etcd-servers https://10.0.0.5:2379 --asset-dir demo"
        })
public final class RenderCommand implements Callable<Integer> {
    @Option(names = "--asset-dir", required = true, paramLabel = "DIR", description = "Where to write.")
    @SuppressWarnings("NullAway.Init") // required
    private Path assetDirectory;

    @Option(names = "--config", paramLabel = "FILE", description = "A Cluster document. Flags win over it.")
    private @Nullable Path config;

    @Option(names = "--overwrite-edited", description = "Replace files that were edited since they were rendered.")
    private boolean overwriteEdited;

    @Option(names = "--cluster-name", paramLabel = "NAME", description = "Name of the cluster.")
    private @Nullable String clusterName;

    @Option(names = "--kubernetes-version", paramLabel = "VERSION", description = "As in v1.20.2.")
    private @Nullable String kubernetesVersion;

    @Option(names = "--api-servers", paramLabel = "URLS", description = "URLs of the API server, with commas between.")
    private @Nullable String apiServers;

    @Option(
            names = "--api-server-alt-names",
            paramLabel = "NAMES",
            description =
                    "Names of its certificate, as in IP=10.0.0.5,DNS=api.example. Default: those in --api-servers.")
    private @Nullable String altNames;

    @Option(names = "--etcd-servers", paramLabel = "URLS", description = "URLs of etcd, with commas between.")
    private @Nullable String etcdServers;

    @Option(names = "--etcd-ca-path", paramLabel = "FILE", description = "CA of an etcd of your own.")
    private @Nullable Path etcdCa;

    @Option(names = "--etcd-certificate-path", paramLabel = "FILE", description = "Client certificate for it.")
    private @Nullable Path etcdCertificate;

    @Option(names = "--etcd-private-key-path", paramLabel = "FILE", description = "Private key of the certificate.")
    private @Nullable Path etcdPrivateKey;

    @Option(names = "--ca-certificate-path", paramLabel = "FILE", description = "A CA of your own for the cluster.")
    private @Nullable Path caCertificate;

    @Option(names = "--ca-private-key-path", paramLabel = "FILE", description = "Its private key.")
    private @Nullable Path caPrivateKey;

    @Option(names = "--pod-cidr", paramLabel = "CIDR", description = "Addresses of pods. Default: 10.2.0.0/16.")
    private @Nullable String podCidr;

    @Option(names = "--service-cidr", paramLabel = "CIDR", description = "Addresses of Services. Default: 10.3.0.0/24.")
    private @Nullable String serviceCidr;

    @Option(names = "--cloud-provider", paramLabel = "NAME", description = "Empty or external.")
    private @Nullable String cloudProvider;

    @Option(names = "--network-provider", paramLabel = "NAME", description = "None is rendered: see spec.addOns.")
    private @Nullable String networkProvider;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Override
    public Integer call() {
        refuseNetworkProvider();
        RenderReport report = ThisMachine.renderer()
                .render(new RenderRequest(Optional.ofNullable(config), settings(), assetDirectory, overwriteEdited));
        print(report, spec.commandLine().getErr());
        return ExitCode.DONE;
    }

    private void refuseNetworkProvider() {
        if (networkProvider != null && !networkProvider.isEmpty() && !networkProvider.equals("none")) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "--network-provider",
                    "found " + networkProvider + "; ouro renders no pod network",
                    "empty or none",
                    "put the manifests of " + networkProvider + " into a directory and name it in spec.addOns");
        }
    }

    private Settings settings() {
        Settings.Builder settings = Settings.builder();
        text(settings, Field.NAME, clusterName, "--cluster-name");
        text(settings, Field.KUBERNETES_VERSION, kubernetesVersion, "--kubernetes-version");
        list(settings, Field.API_SERVER_ENDPOINTS, apiServers, "--api-servers");
        list(settings, Field.API_SERVER_ALT_NAMES, altNames, "--api-server-alt-names");
        list(settings, Field.ETCD_SERVERS, etcdServers, "--etcd-servers");
        file(settings, Field.ETCD_CA_FILE, etcdCa, "--etcd-ca-path");
        file(settings, Field.ETCD_CERTIFICATE_FILE, etcdCertificate, "--etcd-certificate-path");
        file(settings, Field.ETCD_PRIVATE_KEY_FILE, etcdPrivateKey, "--etcd-private-key-path");
        file(settings, Field.CA_CERTIFICATE_FILE, caCertificate, "--ca-certificate-path");
        file(settings, Field.CA_PRIVATE_KEY_FILE, caPrivateKey, "--ca-private-key-path");
        text(settings, Field.POD_CIDR, podCidr, "--pod-cidr");
        text(settings, Field.SERVICE_CIDR, serviceCidr, "--service-cidr");
        text(settings, Field.CLOUD_PROVIDER, cloudProvider, "--cloud-provider");
        return settings.build();
    }

    private static void text(Settings.Builder settings, Field field, @Nullable String value, String flag) {
        if (value != null) {
            settings.set(field, value, flag);
        }
    }

    private static void list(Settings.Builder settings, Field field, @Nullable String value, String flag) {
        if (value != null) {
            settings.setList(field, value, flag);
        }
    }

    /** Absolute: the paths in a document start at its directory, those in flags at the current one. */
    private static void file(Settings.Builder settings, Field field, @Nullable Path value, String flag) {
        if (value != null) {
            settings.set(field, value.toAbsolutePath().toString(), flag);
        }
    }

    private static void print(RenderReport report, PrintWriter err) {
        report.reissued().forEach((path, reason) -> err.println("issued again: " + path + " (" + reason + ")"));
        report.removed().forEach(path -> err.println("removed: " + path));
        err.printf(
                "%s: %d files written, %d unchanged (Kubernetes %s, cluster %s)%n",
                report.directory(),
                report.written().size(),
                report.unchanged().size(),
                report.cluster().version(),
                report.cluster().name());
        err.println("Keep outside of the cluster; without these files it cannot be recovered:");
        report.keepOutside()
                .forEach(path -> err.println("  " + report.directory().resolve(path)));
        err.printf(
                "The first certificate to end is %s, on %s; render again from 90 days before.%n",
                report.firstExpiry().path(),
                LocalDate.ofInstant(report.firstExpiry().at(), ZoneOffset.UTC));
        report.advice().forEach(err::println);
        err.flush();
    }
}
