package dev.ouroboros.render.config;

import dev.ouroboros.model.net.Cidr;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.render.cluster.AlternativeName;
import dev.ouroboros.render.cluster.ClusterSpec;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Checks of URLs and the names behind them: API server and etcd. */
final class EndpointChecks {
    private static final int DEFAULT_HTTPS_PORT = 443;

    private final Settings settings;
    private final List<Problem> problems;

    EndpointChecks(Settings settings, List<Problem> problems) {
        this.settings = settings;
        this.problems = problems;
    }

    private record Endpoint(Located field, URI uri, AlternativeName name) {
        int port() {
            return uri.getPort() < 0 ? DEFAULT_HTTPS_PORT : uri.getPort();
        }
    }

    Optional<ClusterSpec.ApiServer> apiServer() {
        List<Located> fields = settings.list(Field.API_SERVER_ENDPOINTS);
        if (fields.isEmpty()) {
            problems.add(new Problem(
                    ErrorCode.INVALID_CONFIG,
                    Field.API_SERVER_ENDPOINTS.path(),
                    "is missing",
                    "the URL of the API server, as in https://10.77.0.2:6443",
                    "add " + Field.API_SERVER_ENDPOINTS.path() + ", or give --api-servers"));
        }
        List<Endpoint> endpoints = endpoints(fields, List.of("https"), "https://10.77.0.2:6443");
        List<AlternativeName> names = alternativeNames(endpoints);
        for (Endpoint endpoint : endpoints) {
            checkApiEndpoint(endpoint, endpoints.getFirst(), names);
        }
        if (endpoints.isEmpty()) {
            return Optional.empty();
        }
        List<String> urls =
                endpoints.stream().map(endpoint -> endpoint.uri().toString()).toList();
        return Optional.of(new ClusterSpec.ApiServer(urls, endpoints.getFirst().port(), names));
    }

    private void checkApiEndpoint(Endpoint endpoint, Endpoint first, List<AlternativeName> names) {
        if (!covered(endpoint.name(), names)) {
            problem(
                    endpoint.field(),
                    endpoint.name().value() + " is not among the names of the API server's certificate",
                    "an entry in " + Field.API_SERVER_ALT_NAMES.path());
        }
        if (isLoopback(endpoint.name())) {
            problem(
                    endpoint.field(),
                    endpoint.name().value() + " is a loopback address",
                    "an address of the node: on loopback every connection would break when the temporary API server"
                            + " hands over");
        }
        if (endpoint.port() != first.port()) {
            problem(
                    endpoint.field(),
                    "port " + endpoint.port() + " differs from the first endpoint's " + first.port(),
                    "one port: it is the one that the API server listens on");
        }
    }

    /** The names that the document gives, or the hosts of the endpoints. */
    private List<AlternativeName> alternativeNames(List<Endpoint> endpoints) {
        if (!settings.isSet(Field.API_SERVER_ALT_NAMES)
                || settings.list(Field.API_SERVER_ALT_NAMES).isEmpty()) {
            return endpoints.stream().map(Endpoint::name).distinct().toList();
        }
        List<AlternativeName> names = new ArrayList<>();
        for (Located field : settings.list(Field.API_SERVER_ALT_NAMES)) {
            Optional<AlternativeName> name = AlternativeName.parse(field.value());
            if (name.isEmpty()) {
                problem(field, "found " + field.value(), "IP=address or DNS=name, as in IP=10.77.0.2");
            }
            name.ifPresent(names::add);
        }
        return names.stream().distinct().toList();
    }

    private static boolean covered(AlternativeName name, List<AlternativeName> names) {
        return names.contains(name)
                || names.stream()
                        .filter(candidate -> candidate.value().startsWith("*."))
                        .map(wildcard -> wildcard.value().substring(1))
                        .anyMatch(domain -> name.value().endsWith(domain)
                                && name.value().indexOf('.') == name.value().length() - domain.length());
    }

    private static boolean isLoopback(AlternativeName name) {
        return switch (name) {
            case AlternativeName.Ip ip -> ip.address().isLoopbackAddress();
            case AlternativeName.Dns dns -> dns.value().equals("localhost");
        };
    }

    Optional<ClusterSpec.Etcd> etcd() {
        List<Located> fields = settings.list(Field.ETCD_SERVERS);
        if (fields.isEmpty()) {
            problems.add(new Problem(
                    ErrorCode.INVALID_CONFIG,
                    Field.ETCD_SERVERS.path(),
                    "is missing",
                    "the URLs of etcd, as in https://10.77.0.2:2379",
                    "add " + Field.ETCD_SERVERS.path() + ", or give --etcd-servers"));
        }
        List<Endpoint> servers = endpoints(fields, List.of("https", "http"), "https://10.77.0.2:2379");
        boolean secure =
                servers.stream().anyMatch(server -> server.uri().getScheme().equals("https"));
        if (secure) {
            servers.stream()
                    .filter(server -> server.uri().getScheme().equals("http"))
                    .findFirst()
                    .ifPresent(server -> problem(server.field(), "http beside https", "https for all servers"));
        }
        ClusterSpec.EtcdSecurity security = etcdSecurity(secure);
        if (servers.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new ClusterSpec.Etcd(
                servers.stream().map(server -> server.uri().toString()).toList(),
                servers.stream().map(server -> server.name().value()).toList(),
                security));
    }

    private ClusterSpec.EtcdSecurity etcdSecurity(boolean secure) {
        List<Field> all = List.of(Field.ETCD_CA_FILE, Field.ETCD_CERTIFICATE_FILE, Field.ETCD_PRIVATE_KEY_FILE);
        List<Located> given =
                all.stream().map(settings::text).flatMap(Optional::stream).toList();
        if (given.isEmpty()) {
            return secure ? new ClusterSpec.EtcdSecurity.Ours() : new ClusterSpec.EtcdSecurity.None();
        }
        if (given.size() < all.size()) {
            problem(
                    given.getFirst(),
                    given.size() + " of three files",
                    "all of " + all.stream().map(Field::path).toList() + ", or none to have them made");
            return new ClusterSpec.EtcdSecurity.Ours();
        }
        if (!secure) {
            problem(given.getFirst(), "certificates for servers that speak http", "https URLs in spec.etcd.servers");
        }
        return new ClusterSpec.EtcdSecurity.Files(
                given.get(0).value(), given.get(1).value(), given.get(2).value());
    }

    private List<Endpoint> endpoints(List<Located> fields, List<String> schemes, String example) {
        List<Endpoint> endpoints = new ArrayList<>();
        for (Located field : fields) {
            endpoint(field, schemes)
                    .ifPresentOrElse(
                            endpoints::add, () -> problem(field, "found " + field.value(), "a URL as in " + example));
        }
        return endpoints;
    }

    private static Optional<Endpoint> endpoint(Located field, List<String> schemes) {
        try {
            URI uri = new URI(field.value());
            boolean bare = uri.getRawQuery() == null
                    && uri.getRawFragment() == null
                    && uri.getRawUserInfo() == null
                    && (uri.getRawPath().isEmpty() || uri.getRawPath().equals("/"));
            if (uri.getHost() == null || uri.getScheme() == null || !schemes.contains(uri.getScheme()) || !bare) {
                return Optional.empty();
            }
            return AlternativeName.ofHost(uri.getHost())
                    .filter(name -> uri.getPort() != 0 && uri.getPort() <= 65535)
                    .map(name -> new Endpoint(field, uri, name));
        } catch (URISyntaxException e) {
            return Optional.empty();
        }
    }

    /**
     * Checks that neither the API server nor etcd has an address of a pod or a Service: packets for it would stay on the node that sends them.
     *
     * @param network in which no mistake was found
     */
    void outside(ClusterSpec.Network network) {
        for (Field field : List.of(Field.API_SERVER_ENDPOINTS, Field.ETCD_SERVERS)) {
            for (Located url : settings.list(field)) {
                endpoint(url, List.of("https", "http")).ifPresent(endpoint -> {
                    outside(endpoint, network.pods(), Field.POD_CIDR);
                    outside(endpoint, network.services(), Field.SERVICE_CIDR);
                });
            }
        }
    }

    private void outside(Endpoint endpoint, Cidr block, Field field) {
        if (endpoint.name() instanceof AlternativeName.Ip ip && block.contains(ip.address())) {
            problem(
                    endpoint.field(),
                    ip.value() + " is an address of " + field.path() + " " + block,
                    "an address that is no pod's and no Service's");
        }
    }

    private void problem(Located field, String what, String expected) {
        problems.add(new Problem(ErrorCode.INVALID_CONFIG, field.where(), what, expected, ClusterDocument.EXAMPLE));
    }
}
