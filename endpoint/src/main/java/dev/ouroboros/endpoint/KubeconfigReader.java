package dev.ouroboros.endpoint;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * The endpoint of a kubeconfig's current context. Client certificates and tokens are understood; what would need another program or would
 * weaken the connection is refused by its field.
 */
public final class KubeconfigReader {
    private static final List<String> REFUSED_USER = List.of("exec", "auth-provider", "username", "password", "as");
    private static final List<String> REFUSED_CLUSTER =
            List.of("insecure-skip-tls-verify", "tls-server-name", "proxy-url");

    private final Path file;
    private final Material material;
    private final List<Problem> problems = new ArrayList<>();

    /** How the reader gets what is not in a kubeconfig's text. */
    public interface Material {
        /**
         * The content of a file that it names.
         *
         * @throws IOException also where files are not followed
         */
        byte[] file(Path file) throws IOException;

        /**
         * A private key.
         *
         * @param of of its certificate
         * @throws IOException when it cannot be read, or its format is not known; the message has no part of the key
         */
        PrivateKey key(byte[] pem, PublicKey of) throws IOException;

        /** Whether a kubeconfig without an authority trusts the JDK's, as kubectl trusts the system's. */
        boolean trustsPublicAuthorities();
    }

    private KubeconfigReader(Path file, Material material) {
        this.file = file;
        this.material = material;
    }

    /**
     * Reads one.
     *
     * @param root its content
     * @param file where that comes from, for messages; files that it names are beside it
     * @param server replaces the server of the file when present
     * @throws ProblemException with everything that is wrong in it
     */
    public static Endpoint read(Json root, Path file, Optional<URI> server, Material material) {
        return new KubeconfigReader(file, material).endpoint(root, server);
    }

    private Endpoint endpoint(Json root, Optional<URI> otherServer) {
        String contextName = text(root, "current-context");
        Json context = named(root, "contexts", contextName, "current-context").at("context");
        String clusterName = text(context, "cluster");
        Json cluster = named(root, "clusters", clusterName, "contexts[" + contextName + "].context.cluster")
                .at("cluster");
        String userName = text(context, "user");
        // kubectl takes a context without a user as anonymous.
        Json user = userName.isEmpty()
                ? Json.absent()
                : named(root, "users", userName, "contexts[" + contextName + "].context.user")
                        .at("user");
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

    private static String text(Json object, String field) {
        return object.at(field).text().orElse("");
    }

    private Json named(Json root, String list, String name, String referrer) {
        return root.at(list).items().stream()
                .filter(entry -> !name.isEmpty() && text(entry, "name").equals(name))
                .findFirst()
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.INVALID_CONFIG,
                        file + ": " + referrer,
                        name.isEmpty() ? "is not set" : "\"" + name + "\" is not in " + list,
                        "the name of an entry of " + list,
                        "kubectl config view --kubeconfig " + file
                                + " shows its entries; kubectl config use-context sets the current one"));
    }

    private void refuse(Json object, List<String> fields, String path) {
        for (String field : fields) {
            Json value = object.at(field);
            if (!value.isNull() && !value.equals(Json.bool(false))) {
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

    private Optional<URI> server(Json cluster, String clusterName) {
        String value = text(cluster, "server");
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

    private List<X509Certificate> authorities(Json cluster, String path) {
        Optional<byte[]> pem = material(cluster, path, "certificate-authority");
        if (pem.isEmpty()) {
            if (problems.isEmpty() && !material.trustsPublicAuthorities()) {
                problems.add(invalid(path + "certificate-authority", "is not set", "CA certificates in PEM format"));
            }
            return List.of();
        }
        try {
            return PemCertificates.read(pem.get());
        } catch (IOException e) {
            problems.add(invalid(path + "certificate-authority", explain(e), "CA certificates in PEM format"));
            return List.of();
        }
    }

    private Optional<ClientIdentity> identity(Json user, String path) {
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
            List<X509Certificate> chain = PemCertificates.read(certificate.get());
            return Optional.of(
                    new ClientIdentity(material.key(key.get(), chain.getFirst().getPublicKey()), chain));
        } catch (IOException | IllegalArgumentException e) {
            problems.add(
                    invalid(path + "client-certificate and client-key", explain(e), "a PEM certificate and its key"));
            return Optional.empty();
        }
    }

    private Optional<String> token(Json user, String path) {
        String token = text(user, "token");
        String tokenFile = text(user, "tokenFile");
        // As in client-go the file wins over the inline token.
        if (tokenFile.isEmpty()) {
            return token.isEmpty() ? Optional.empty() : Optional.of(token);
        }
        try {
            return Optional.of(new String(material.file(beside(tokenFile)), StandardCharsets.UTF_8).strip());
        } catch (IOException e) {
            problems.add(invalid(path + "tokenFile", explain(e), "a file with a token"));
            return Optional.empty();
        }
    }

    /** The decoded {@code FIELD-data}, or else the content of the file that {@code FIELD} names. */
    private Optional<byte[]> material(Json object, String path, String field) {
        String data = text(object, field + "-data");
        String name = text(object, field);
        try {
            if (!data.isEmpty()) {
                return Optional.of(Base64.getMimeDecoder().decode(data));
            }
            return name.isEmpty() ? Optional.empty() : Optional.of(material.file(beside(name)));
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

    static String explain(Exception e) {
        String message = e.getMessage() == null ? "" : e.getMessage();
        return e instanceof NoSuchFileException
                ? "no such file: " + message
                : message.isEmpty() ? e.toString() : message;
    }
}
