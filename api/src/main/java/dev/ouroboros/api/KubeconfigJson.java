package dev.ouroboros.api;

import dev.ouroboros.core.json.Json;
import dev.ouroboros.core.json.JsonText;
import dev.ouroboros.core.json.JsonText.MalformedJson;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.Problem;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.endpoint.ClientIdentity;
import dev.ouroboros.endpoint.Endpoint;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The keeper's own kubeconfig: one that is written as JSON, which is YAML too, with everything in it and the key as PKCS#8. What
 * {@code endpoint.KubeconfigFile} reads beyond that costs 10 MB of libraries.
 */
public final class KubeconfigJson {
    private static final Pattern PKCS8 =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

    private final Path file;
    private final List<Problem> problems = new ArrayList<>();

    private KubeconfigJson(Path file) {
        this.file = file;
    }

    /**
     * The endpoint of the current context.
     *
     * @param file where the text comes from, for messages
     * @param server replaces that of the kubeconfig
     * @throws ProblemException with everything that is wrong in it
     */
    public static Endpoint read(Path file, String text, Optional<URI> server) {
        return new KubeconfigJson(file).endpoint(text, server);
    }

    private Endpoint endpoint(String text, Optional<URI> otherServer) {
        Json root = parse(text);
        String contextName = root.at("current-context").text().orElse("");
        Json context = named(root, "contexts", contextName).at("context");
        Json cluster =
                named(root, "clusters", context.at("cluster").text().orElse("")).at("cluster");
        Json user = named(root, "users", context.at("user").text().orElse("")).at("user");
        Optional<URI> server = otherServer.or(() -> server(cluster));
        List<X509Certificate> authorities = certificates(cluster, "clusters[].cluster.", "certificate-authority-data");
        List<X509Certificate> chain = certificates(user, "users[].user.", "client-certificate-data");
        Optional<PrivateKey> key = chain.isEmpty()
                ? Optional.empty()
                : key(user, chain.getFirst().getPublicKey().getAlgorithm());
        if (!problems.isEmpty() || server.isEmpty() || key.isEmpty()) {
            throw new ProblemException(problems);
        }
        try {
            return Endpoint.of(
                    server.get(), authorities, Optional.of(new ClientIdentity(key.get(), chain)), Optional.empty());
        } catch (IllegalArgumentException e) {
            throw new ProblemException(problem("users[].user.", String.valueOf(e.getMessage()), ""), e);
        }
    }

    private Json parse(String text) {
        try {
            return JsonText.read(text);
        } catch (MalformedJson e) {
            throw new ProblemException(
                    problem("", "is not JSON: " + e.getMessage(), "a kubeconfig written as JSON"), e);
        }
    }

    private Json named(Json root, String list, String name) {
        return root.at(list).items().stream()
                .filter(entry -> entry.at("name").text().equals(Optional.of(name)))
                .findFirst()
                .orElseGet(() -> {
                    problems.add(problem(list, "has no entry named \"" + name + "\"", "the one that is referred to"));
                    return Json.absent();
                });
    }

    private Optional<URI> server(Json cluster) {
        try {
            URI server = URI.create(cluster.at("server").text().orElse(""));
            if ("https".equalsIgnoreCase(server.getScheme()) && server.getHost() != null) {
                return Optional.of(server);
            }
        } catch (IllegalArgumentException e) {
            problems.add(problem("clusters[].cluster.server", String.valueOf(e.getMessage()), "an https URL"));
            return Optional.empty();
        }
        problems.add(problem("clusters[].cluster.server", "is not set or not https", "an https URL"));
        return Optional.empty();
    }

    private List<X509Certificate> certificates(Json object, String where, String field) {
        Optional<byte[]> pem = decoded(object, where, field);
        if (pem.isEmpty()) {
            return List.of();
        }
        List<X509Certificate> found = new ArrayList<>();
        try {
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            for (var certificate : factory.generateCertificates(new ByteArrayInputStream(pem.get()))) {
                found.add((X509Certificate) certificate);
            }
        } catch (CertificateException e) {
            problems.add(problem(where + field, String.valueOf(e.getMessage()), "PEM certificates in base64"));
            return List.of();
        }
        if (found.isEmpty()) {
            problems.add(problem(where + field, "holds no certificate", "PEM certificates in base64"));
        }
        return found;
    }

    private Optional<PrivateKey> key(Json user, String algorithm) {
        String field = "client-key-data";
        Optional<byte[]> pem = decoded(user, "users[].user.", field);
        if (pem.isEmpty()) {
            return Optional.empty();
        }
        Matcher matcher = PKCS8.matcher(new String(pem.get(), StandardCharsets.US_ASCII));
        String expected = "a key in PKCS#8 (BEGIN PRIVATE KEY) in base64";
        if (!matcher.find()) {
            problems.add(problem("users[].user." + field, "is not such a key", expected));
            return Optional.empty();
        }
        try {
            byte[] encoded = Base64.getMimeDecoder().decode(matcher.group(1));
            return Optional.of(KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded)));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            // Not its message, which could hold a part of the key.
            problems.add(problem("users[].user." + field, "cannot be read as a key of its certificate", expected));
            return Optional.empty();
        }
    }

    private Optional<byte[]> decoded(Json object, String where, String field) {
        Optional<String> value = object.at(field).text();
        if (value.isEmpty()) {
            problems.add(problem(where + field, "is not set", "the material itself; files are not followed"));
            return Optional.empty();
        }
        try {
            return Optional.of(Base64.getMimeDecoder().decode(value.get()));
        } catch (IllegalArgumentException e) {
            problems.add(problem(where + field, "is not base64", ""));
            return Optional.empty();
        }
    }

    private Problem problem(String field, String what, String expected) {
        String where = field.isEmpty() ? file.toString() : file + ": " + field;
        return new Problem(
                ErrorCode.INVALID_KEY_MATERIAL,
                where,
                what,
                expected,
                "replace the kubeconfig in the Secret that the keeper mounts, as 'ouro render' writes it");
    }
}
