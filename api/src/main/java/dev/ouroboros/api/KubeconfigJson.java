package dev.ouroboros.api;

import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.endpoint.KubeconfigReader;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The keeper's own kubeconfig: one that is written as JSON, which is YAML too, with everything in it and the key as PKCS#8. What
 * {@code endpoint.KubeconfigFile} reads beyond that costs 10 MB of libraries.
 */
public final class KubeconfigJson {
    private static final String NEXT =
            "replace the kubeconfig in the Secret that the keeper mounts, as 'ouro render' writes it";
    private static final Pattern PKCS8 =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

    private static final KubeconfigReader.Material MATERIAL = new KubeconfigReader.Material() {
        @Override
        public byte[] file(Path file) throws IOException {
            throw new IOException("files are not followed here: the material itself is to be in it");
        }

        @Override
        public PrivateKey key(byte[] pem, PublicKey of) throws IOException {
            return pkcs8(pem, of);
        }

        @Override
        public boolean trustsPublicAuthorities() {
            return false;
        }
    };

    private KubeconfigJson() {}

    /**
     * The endpoint of the current context.
     *
     * @param file where the text comes from, for messages
     * @param server replaces that of the kubeconfig
     * @throws ProblemException with everything that is wrong in it
     */
    public static Endpoint read(Path file, String text, Optional<URI> server) {
        try {
            return requireIdentity(file, KubeconfigReader.read(parse(file, text), file, server, MATERIAL));
        } catch (ProblemException e) {
            throw new ProblemException(e.problems().stream()
                    .map(problem ->
                            new Problem(problem.code(), problem.where(), problem.what(), problem.expected(), NEXT))
                    .toList());
        }
    }

    private static Endpoint requireIdentity(Path file, Endpoint endpoint) {
        if (!endpoint.authenticated()) {
            throw ProblemException.of(
                    ErrorCode.INVALID_KEY_MATERIAL,
                    file + ": users",
                    "the one of the current context has neither a client certificate nor a token",
                    "a PEM certificate and its key",
                    NEXT);
        }
        return endpoint;
    }

    private static Json parse(Path file, String text) {
        try {
            return JsonText.read(text);
        } catch (MalformedJson e) {
            throw ProblemException.of(
                    ErrorCode.INVALID_CONFIG,
                    file.toString(),
                    "is not JSON: " + e.getMessage(),
                    "a kubeconfig written as JSON",
                    NEXT);
        }
    }

    private static PrivateKey pkcs8(byte[] pem, PublicKey of) throws IOException {
        Matcher matcher = PKCS8.matcher(new String(pem, StandardCharsets.US_ASCII));
        if (!matcher.find()) {
            throw new IOException("the key is not in PKCS#8 (BEGIN PRIVATE KEY)");
        }
        try {
            byte[] encoded = Base64.getMimeDecoder().decode(matcher.group(1));
            return KeyFactory.getInstance(of.getAlgorithm()).generatePrivate(new PKCS8EncodedKeySpec(encoded));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            // Not its message, which could hold a part of the key.
            throw new IOException("the key cannot be read as one of its certificate");
        }
    }
}
