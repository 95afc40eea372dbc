package dev.ouroboros.render.config;

import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.facts.VersionRange;
import dev.ouroboros.model.net.Cidr;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.render.cluster.ClusterSpec;
import dev.ouroboros.render.cluster.ClusterSpec.EncryptionProvider;
import dev.ouroboros.render.cluster.ImageNames;
import dev.ouroboros.render.cluster.KeyAlgorithm;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Turns settings into a {@link ClusterSpec}: fills defaults in and checks each value and what belongs together. Goes on behind a
 * mistake with the default in its place, so that one run reports them all.
 */
public final class ClusterChecks {
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?");
    private static final Pattern IMAGE = Pattern.compile("[a-zA-Z0-9][a-zA-Z0-9._:/@-]*");
    private static final String WITHOUT_ETCD = "2-4";
    private static final String WITH_ETCD = "1-4";
    private static final String NONE = "none";
    private static final String DEFAULT_NAME = "ouroboros";

    /** A block of Services must have room for the API's and the DNS' address, and for some Services. */
    private static final int SMALLEST_SERVICE_HOST_BITS = 4;

    /** The API server refuses larger ones (pkg/controlplane, validateClusterIPFlags: at most 20 bits). */
    private static final int LARGEST_SERVICE_HOST_BITS = 20;

    private final Settings settings;
    private final List<Problem> problems = new ArrayList<>();

    private ClusterChecks(Settings settings) {
        this.settings = settings;
    }

    /** A cluster, when nothing is wrong; else what is. */
    public record Result(Optional<ClusterSpec> cluster, List<Problem> problems) {
        public Result {
            problems = List.copyOf(problems);
        }
    }

    public static Result check(Settings settings) {
        ClusterChecks checks = new ClusterChecks(settings);
        Optional<ClusterSpec> cluster = checks.cluster();
        return checks.problems.isEmpty()
                ? new Result(cluster, List.of())
                : new Result(Optional.empty(), checks.problems);
    }

    private Optional<ClusterSpec> cluster() {
        String name = name();
        Optional<KubernetesVersion> version = version();
        boolean managesEtcd = managesEtcd();
        Optional<ClusterSpec.ApiServer> apiServer = new EndpointChecks(settings, problems).apiServer();
        Optional<ClusterSpec.Network> network = network();
        Optional<ClusterSpec.Etcd> etcd = new EndpointChecks(settings, problems).etcd();
        network.ifPresent(new EndpointChecks(settings, problems)::outside);
        ClusterSpec.Encryption encryption = encryption();
        ClusterSpec.Pki pki = pki();
        boolean externalCloudProvider = externalCloudProvider();
        if (version.isEmpty()) {
            return Optional.empty();
        }
        VersionFacts facts = VersionFacts.of(version.get());
        ImageNames images = images(version.get());
        Optional<String> proxyMode = proxyMode(images, facts);
        Optional<ClusterSpec.Keeper> keeper = new KeeperChecks(settings, problems).keeper();
        Optional<ClusterSpec.Dns> dns = new DnsChecks(settings, facts, problems).dns(images);
        Optional<ClusterSpec.Steward> steward = steward(images, etcd, managesEtcd, keeper.isPresent());
        ArgumentChecks arguments = new ArgumentChecks(settings, facts, problems);
        var extraArguments = arguments.extraArguments();
        if (apiServer.isEmpty() || network.isEmpty() || etcd.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new ClusterSpec(
                name,
                version.get(),
                apiServer.get(),
                network.get(),
                etcd.get(),
                images,
                extraArguments,
                encryption,
                pki,
                proxyMode,
                keeper,
                dns,
                steward,
                externalCloudProvider,
                settings.text(Field.ADD_ONS).map(Located::value)));
    }

    private String name() {
        Optional<Located> name = settings.text(Field.NAME);
        name.filter(given -> !NAME.matcher(given.value()).matches())
                .ifPresent(given -> problem(
                        given, "found " + given.value(), "at most 40 small letters, digits and dashes, as in demo"));
        return name.map(Located::value).orElse(DEFAULT_NAME);
    }

    private Optional<KubernetesVersion> version() {
        VersionRange supported = VersionFacts.supported();
        String allowed = "a version " + supported.describe() + ", as in v1.20.2";
        Optional<Located> given = settings.text(Field.KUBERNETES_VERSION);
        if (given.isEmpty()) {
            problems.add(new Problem(
                    ErrorCode.INVALID_CONFIG,
                    Field.KUBERNETES_VERSION.path(),
                    "is missing",
                    allowed,
                    ClusterDocument.EXAMPLE));
            return Optional.empty();
        }
        Optional<KubernetesVersion> version =
                KubernetesVersion.parse(given.get().value());
        if (version.isEmpty()) {
            problem(given.get(), "found " + given.get().value(), allowed);
        } else if (!supported.contains(version.get())) {
            problems.add(new Problem(
                    ErrorCode.UNSUPPORTED_VERSION,
                    given.get().where(),
                    "no data for " + version.get(),
                    allowed,
                    "set " + Field.KUBERNETES_VERSION.path() + " to one of these, or use the ouro of a later release"));
        }
        return version.filter(supported::contains);
    }

    /** Whether etcd is managed from the cluster. */
    private boolean managesEtcd() {
        Located layers = located(Field.LAYERS, WITHOUT_ETCD);
        boolean isWithEtcd = layers.value().equals(WITH_ETCD);
        if (!isWithEtcd && !layers.value().equals(WITHOUT_ETCD)) {
            problem(
                    layers,
                    "found " + layers.value(),
                    WITHOUT_ETCD + ": etcd is yours, everything above is self-hosted; or " + WITH_ETCD
                            + ": etcd is managed from the cluster too");
        }
        return isWithEtcd;
    }

    /** The steward. Its changes of the API server are carried out by the keeper: in a cluster without a keeper there is a steward for etcd only. */
    private Optional<ClusterSpec.Steward> steward(
            ImageNames images, Optional<ClusterSpec.Etcd> etcd, boolean managesEtcd, boolean hasKeeper) {
        String image = image(Field.IMAGE_STEWARD, images.steward());
        boolean isPlain = etcd.filter(found -> found.security() instanceof ClusterSpec.EtcdSecurity.None)
                .isPresent();
        boolean isLeftOut = settings.isSet(Field.IMAGE_STEWARD)
                && (settings.text(Field.IMAGE_STEWARD).isEmpty() || image.equals(NONE));
        if (managesEtcd && isLeftOut) {
            problem(
                    located(Field.IMAGE_STEWARD, NONE),
                    "leaves out what manages etcd with " + Field.LAYERS.path() + " " + WITH_ETCD,
                    "an image, as in registry.example/steward:1, or " + Field.LAYERS.path() + " " + WITHOUT_ETCD);
        }
        if (managesEtcd && isPlain) {
            problem(
                    located(Field.LAYERS, WITH_ETCD),
                    "etcd is asked without TLS, and not managed then",
                    "https URLs in " + Field.ETCD_SERVERS.path());
        }
        String socket =
                settings.text(Field.KEEPER_RUNTIME_SOCKET).map(Located::value).orElse(KeeperChecks.DEFAULT_SOCKET);
        boolean isWanted = managesEtcd || (hasKeeper && !isLeftOut);
        return isWanted ? Optional.of(new ClusterSpec.Steward(image, socket, managesEtcd)) : Optional.empty();
    }

    private Optional<ClusterSpec.Network> network() {
        Optional<Cidr> pods = cidr(Field.POD_CIDR, "10.2.0.0/16");
        Optional<Cidr> services = cidr(Field.SERVICE_CIDR, "10.3.0.0/24");
        if (pods.isEmpty() || services.isEmpty()) {
            return Optional.empty();
        }
        Located serviceField = located(Field.SERVICE_CIDR, services.get().toString());
        Located podField = located(Field.POD_CIDR, pods.get().toString());
        if (pods.get().overlaps(services.get())) {
            problem(
                    serviceField,
                    services.get() + " overlaps the pods' " + pods.get() + " (" + podField.where() + ")",
                    "blocks without a common address");
        }
        if (pods.get().network().getAddress().length != services.get().network().getAddress().length) {
            problem(serviceField, services.get() + " and " + pods.get() + " are of two families", "one family");
        }
        checkSizes(pods.get(), podField, services.get(), serviceField);
        return Optional.of(new ClusterSpec.Network(pods.get(), services.get()));
    }

    private void checkSizes(Cidr pods, Located podField, Cidr services, Located serviceField) {
        if (services.hostBits() < SMALLEST_SERVICE_HOST_BITS) {
            problem(
                    serviceField,
                    services + " is too small",
                    "at least 16 addresses: the API's is the second, DNS' the eleventh");
        }
        if (services.hostBits() > LARGEST_SERVICE_HOST_BITS) {
            problem(serviceField, services + " is too large", "at most 2^20 addresses: the API server refuses more");
        }
        // --node-cidr-mask-size: each node gets a /24, or a /64 of IPv6.
        int nodeHostBits = pods.network().getAddress().length == 4 ? 8 : 64;
        boolean ownMask = settings.map(Field.EXTRA_ARGS_CONTROLLER_MANAGER).keySet().stream()
                .anyMatch(flag -> flag.startsWith("node-cidr-mask-size"));
        if (!ownMask && pods.hostBits() < nodeHostBits) {
            problem(
                    podField,
                    pods + " is too small",
                    "room for the block of each node: " + nodeHostBits + " bits, or"
                            + " spec.extraArgs.kubeControllerManager.node-cidr-mask-size");
        }
    }

    private Optional<Cidr> cidr(Field field, String otherwise) {
        Located given = located(field, otherwise);
        if (given.value().contains(",")) {
            problem(given, "found two blocks: " + given.value(), "one block; dual stack is not supported yet");
            return Optional.empty();
        }
        try {
            return Optional.of(Cidr.parse(given.value()));
        } catch (IllegalArgumentException e) {
            problem(given, "found " + given.value(), String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    private Located located(Field field, String otherwise) {
        return settings.text(field).orElse(new Located(otherwise, field.path() + " (default)"));
    }

    private ImageNames images(KubernetesVersion version) {
        ImageNames local = ImageNames.local(version);
        return new ImageNames(
                image(Field.IMAGE_API_SERVER, local.apiServer()),
                image(Field.IMAGE_CONTROLLER_MANAGER, local.controllerManager()),
                image(Field.IMAGE_SCHEDULER, local.scheduler()),
                image(Field.IMAGE_PROXY, local.proxy()),
                image(Field.IMAGE_KEEPER, local.keeper()),
                local.steward());
    }

    static boolean isImage(String reference) {
        return IMAGE.matcher(reference).matches();
    }

    private String image(Field field, String otherwise) {
        Optional<Located> given = settings.text(field);
        given.filter(image -> !isImage(image.value()))
                .ifPresent(image -> problem(
                        image, "found " + image.value(), "an image, as in registry.example/kube-apiserver:v1.20.2"));
        return given.map(Located::value).orElse(otherwise);
    }

    private Optional<String> proxyMode(ImageNames images, VersionFacts facts) {
        boolean without = settings.isSet(Field.IMAGE_PROXY)
                && (settings.text(Field.IMAGE_PROXY).isEmpty() || images.proxy().equals(NONE));
        Located mode = located(Field.PROXY_MODE, "iptables");
        if (!facts.proxyModes().contains(mode.value())) {
            problem(
                    mode,
                    "kube-proxy " + facts.version() + " has no mode " + mode.value(),
                    "one of " + String.join(", ", facts.proxyModes()));
        }
        return without ? Optional.empty() : Optional.of(mode.value());
    }

    private ClusterSpec.Encryption encryption() {
        boolean enabled = settings.text(Field.ENCRYPTION_ENABLED)
                .map(value -> Boolean.parseBoolean(value.value()))
                .orElse(true);
        Optional<Located> given = settings.text(Field.ENCRYPTION_PROVIDER);
        Optional<EncryptionProvider> provider = given.flatMap(name -> Arrays.stream(EncryptionProvider.values())
                .filter(candidate -> candidate.field().equals(name.value()))
                .findFirst());
        if (given.isPresent() && provider.isEmpty()) {
            problem(
                    given.get(),
                    "found " + given.get().value(),
                    Arrays.stream(EncryptionProvider.values())
                            .map(EncryptionProvider::field)
                            .collect(Collectors.joining(", ", "one of ", "")));
        }
        return new ClusterSpec.Encryption(enabled, provider.orElse(EncryptionProvider.SECRETBOX));
    }

    private ClusterSpec.Pki pki() {
        Optional<Located> given = settings.text(Field.PKI_ALGORITHM);
        Optional<KeyAlgorithm> algorithm = given.flatMap(label -> KeyAlgorithm.of(label.value()));
        if (given.isPresent() && algorithm.isEmpty()) {
            problem(
                    given.get(),
                    "found " + given.get().value(),
                    Arrays.stream(KeyAlgorithm.values())
                            .map(KeyAlgorithm::label)
                            .collect(Collectors.joining(" or ")));
        }
        Optional<Located> certificate = settings.text(Field.CA_CERTIFICATE_FILE);
        Optional<Located> key = settings.text(Field.CA_PRIVATE_KEY_FILE);
        if (certificate.isPresent() != key.isPresent()) {
            problem(
                    certificate.or(() -> key).orElseThrow(),
                    "one half of a certification authority",
                    Field.CA_CERTIFICATE_FILE.path() + " and " + Field.CA_PRIVATE_KEY_FILE.path());
        }
        return new ClusterSpec.Pki(
                algorithm.orElse(KeyAlgorithm.ECDSA_P256),
                certificate.flatMap(file -> key.map(other -> new ClusterSpec.CaFiles(file.value(), other.value()))));
    }

    private boolean externalCloudProvider() {
        Optional<Located> given = settings.text(Field.CLOUD_PROVIDER);
        given.filter(provider -> !provider.value().toLowerCase(Locale.ROOT).equals("external"))
                .ifPresent(provider -> problem(
                        provider,
                        "found " + provider.value(),
                        "nothing or external: providers inside of Kubernetes are gone; run the provider's own"
                                + " controller manager as an add-on"));
        return given.isPresent();
    }

    private void problem(Located field, String what, String expected) {
        problems.add(new Problem(ErrorCode.INVALID_CONFIG, field.where(), what, expected, ClusterDocument.EXAMPLE));
    }
}
