package dev.ouroboros.endpoint;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.FileTrouble;
import dev.ouroboros.core.problem.Problem;
import dev.ouroboros.core.problem.ProblemException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * Reads the endpoint of a kubeconfig's current context. Client certificates (data or files, every PEM key format) and tokens
 * are understood; what would need another program or would weaken the connection is refused by its field.
 */
public final class KubeconfigFile {
    private static final String OTHER_ONE =
            "give another with --kubeconfig; a cluster's own is auth/kubeconfig of its asset directory";
    private static final List<String> REFUSED_USER = List.of("exec", "auth-provider", "username", "password", "as");
    private static final List<String> REFUSED_CLUSTER =
            List.of("insecure-skip-tls-verify", "tls-server-name", "proxy-url");

    private final Path file;
    private final List<Problem> problems = new ArrayList<>();

    private KubeconfigFile(Path file) {
        this.file = file;
    }

    /**
     * The endpoint of the current context.
     *
     * @param server replaces the server of the file when present
     * @throws ProblemException with everything that is wrong in the file
     */
    public static Endpoint read(Path file, Optional<URI> server) {
        return new KubeconfigFile(file).endpoint(server);
    }

    /**
     * The CA certificates in a file.
     *
     * @throws ProblemException when it holds none
     */
    public static List<X509Certificate> readAuthorities(Path file) {
        try {
            return KubeconfigPem.certificates(Files.readAllBytes(file));
        } catch (IOException e) {
            throw ProblemException.of(
                    ErrorCode.INVALID_KEY_MATERIAL,
                    file.toString(),
                    explain(e),
                    "CA certificates in PEM format",
                    "give the CA file that signed the API server's certificate, as in tls/ca.crt of the asset directory");
        }
    }

    private Endpoint endpoint(Optional<URI> otherServer) {
        JsonNode root = parse();
        String contextName = root.path("current-context").asText("");
        JsonNode context =
                named(root, "contexts", contextName, "current-context").path("context");
        String clusterName = context.path("cluster").asText("");
        JsonNode cluster = named(root, "clusters", clusterName, "contexts[" + contextName + "].context.cluster")
                .path("cluster");
        String userName = context.path("user").asText("");
        // kubectl takes a context without a user as anonymous.
        JsonNode user = userName.isEmpty()
                ? root.path("anonymous-user")
                : named(root, "users", userName, "contexts[" + contextName + "].context.user")
                        .path("user");
        refuse(cluster, REFUSED_CLUSTER, "clusters[" + clusterName + "].cluster.");
        refuse(user, REFUSED_USER, "users[" + userName + "].user.");

        Optional<URI> server = otherServer.or(() -> server(cluster, clusterName));
        List<X509Certificate> authorities = authorities(cluster, "clusters[" + clusterName + "].cluster.");
        Optional<ClientIdentity> identity = identity(user, "users[" + userName + "].user.");
        Optional<String> token = token(user, "users[" + userName + "].user.");
        if (!problems.isEmpty() || server.isEmpty()) {
            throw new ProblemException(problems);
        }
        return Endpoint.of(server.get(), authorities, identity, token);
    }

    private JsonNode parse() {
        try {
            JsonNode root = new YAMLMapper().readTree(Files.readAllBytes(file));
            if (root == null || !root.isObject()) {
                throw ProblemException.of(
                        ErrorCode.INVALID_CONFIG, file.toString(), "is not a kubeconfig", "a YAML mapping", OTHER_ONE);
            }
            return root;
        } catch (NoSuchFileException e) {
            throw new ProblemException(
                    new Problem(
                            ErrorCode.NOT_FOUND,
                            file.toString(),
                            "no such file",
                            "a kubeconfig",
                            "give one with --kubeconfig, or set KUBECONFIG"),
                    e);
        } catch (JsonProcessingException e) {
            int line = e.getLocation() == null ? 1 : e.getLocation().getLineNr();
            throw new ProblemException(
                    new Problem(
                            ErrorCode.INVALID_CONFIG,
                            file + ":" + line,
                            "is not YAML: " + e.getOriginalMessage(),
                            "a kubeconfig",
                            OTHER_ONE),
                    e);
        } catch (IOException e) {
            throw FileTrouble.of(file, "cannot be read", e);
        }
    }

    private JsonNode named(JsonNode root, String list, String name, String referrer) {
        for (JsonNode entry : root.path(list)) {
            if (!name.isEmpty() && entry.path("name").asText("").equals(name)) {
                return entry;
            }
        }
        throw ProblemException.of(
                ErrorCode.INVALID_CONFIG,
                file + ": " + referrer,
                name.isEmpty() ? "is not set" : "\"" + name + "\" is not in " + list,
                "the name of an entry of " + list,
                "kubectl config view --kubeconfig " + file
                        + " shows its entries; kubectl config use-context sets the current one");
    }

    private void refuse(JsonNode node, List<String> fields, String path) {
        for (String field : fields) {
            JsonNode value = node.path(field);
            if (!value.isMissingNode() && !value.isNull() && !value.asText().equals("false")) {
                problems.add(
                        new Problem(
                                ErrorCode.INVALID_CONFIG,
                                file + ": " + path + field,
                                "is not supported here",
                                "a client certificate or a token, and a certificate authority",
                                "make a kubeconfig of a user with a certificate: auth/kubeconfig of the asset directory is one"));
            }
        }
    }

    private Optional<URI> server(JsonNode cluster, String clusterName) {
        String value = cluster.path("server").asText("");
        try {
            URI uri = URI.create(value);
            if ("https".equalsIgnoreCase(uri.getScheme()) && uri.getHost() != null) {
                return Optional.of(uri);
            }
            problems.add(invalidServer(clusterName, value));
        } catch (IllegalArgumentException e) {
            problems.add(invalidServer(clusterName, value));
        }
        return Optional.empty();
    }

    private Problem invalidServer(String clusterName, String value) {
        return new Problem(
                ErrorCode.INVALID_CONFIG,
                file + ": clusters[" + clusterName + "].cluster.server",
                value.isEmpty() ? "is not set" : "\"" + value + "\" cannot be probed",
                "an https URL",
                "set it: kubectl config set-cluster " + clusterName + " --server=https://ADDRESS:6443 --kubeconfig "
                        + file);
    }

    private List<X509Certificate> authorities(JsonNode cluster, String path) {
        Optional<byte[]> pem = material(cluster, path, "certificate-authority");
        if (pem.isEmpty()) {
            return List.of();
        }
        try {
            return KubeconfigPem.certificates(pem.get());
        } catch (IOException e) {
            problems.add(invalid(path + "certificate-authority", explain(e), "CA certificates in PEM format"));
            return List.of();
        }
    }

    private Optional<ClientIdentity> identity(JsonNode user, String path) {
        Optional<byte[]> certificate = material(user, path, "client-certificate");
        Optional<byte[]> key = material(user, path, "client-key");
        if (certificate.isEmpty() && key.isEmpty()) {
            return Optional.empty();
        }
        if (certificate.isEmpty() || key.isEmpty()) {
            problems.add(invalid(
                    path + (key.isEmpty() ? "client-key" : "client-certificate"),
                    "is not set or not readable",
                    "certificate and key together"));
            return Optional.empty();
        }
        try {
            return Optional.of(new ClientIdentity(
                    KubeconfigPem.privateKey(key.get()), KubeconfigPem.certificates(certificate.get())));
        } catch (IOException | IllegalArgumentException e) {
            problems.add(
                    invalid(path + "client-certificate and client-key", explain(e), "a PEM certificate and its key"));
            return Optional.empty();
        }
    }

    private Optional<String> token(JsonNode user, String path) {
        String token = user.path("token").asText("");
        String tokenFile = user.path("tokenFile").asText("");
        // As in client-go the file wins over the inline token.
        if (tokenFile.isEmpty()) {
            return token.isEmpty() ? Optional.empty() : Optional.of(token);
        }
        try {
            return Optional.of(Files.readString(beside(tokenFile)).strip());
        } catch (IOException e) {
            problems.add(invalid(path + "tokenFile", explain(e), "a file with a token"));
            return Optional.empty();
        }
    }

    /** The decoded {@code FIELD-data}, or else the content of the file that {@code FIELD} names. */
    private Optional<byte[]> material(JsonNode node, String path, String field) {
        String data = node.path(field + "-data").asText("");
        String name = node.path(field).asText("");
        try {
            if (!data.isEmpty()) {
                return Optional.of(Base64.getMimeDecoder().decode(data));
            }
            return name.isEmpty() ? Optional.empty() : Optional.of(Files.readAllBytes(beside(name)));
        } catch (IllegalArgumentException e) {
            problems.add(invalid(path + field + "-data", explain(e), "base64"));
        } catch (IOException e) {
            problems.add(invalid(path + field, explain(e), "a readable file"));
        }
        return Optional.empty();
    }

    private Path beside(String name) {
        return file.toAbsolutePath().resolveSibling(name);
    }

    private Problem invalid(String field, String what, String expected) {
        return new Problem(
                ErrorCode.INVALID_KEY_MATERIAL,
                file + ": " + field,
                what,
                expected,
                "put the right material there, or use auth/kubeconfig of the asset directory");
    }

    private static String explain(Exception e) {
        String message = e.getMessage() == null ? "" : e.getMessage();
        return e instanceof NoSuchFileException
                ? "no such file: " + message
                : message.isEmpty() ? e.toString() : message;
    }
}
