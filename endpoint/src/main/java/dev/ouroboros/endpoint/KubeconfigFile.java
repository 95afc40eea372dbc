package dev.ouroboros.endpoint;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.FileTrouble;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/** Reads kubeconfigs as people have them: YAML, with material in it or in files beside it. */
public final class KubeconfigFile {
    private static final String OTHER_ONE =
            "give another with --kubeconfig; a cluster's own is auth/kubeconfig of its asset directory";

    /** Reads files that the kubeconfig names, and every PEM format of keys. */
    private static final KubeconfigReader.Material MATERIAL = new KubeconfigReader.Material() {
        @Override
        public byte[] file(Path file) throws IOException {
            return Files.readAllBytes(file);
        }

        @Override
        public PrivateKey key(byte[] pem, PublicKey of) throws IOException {
            return PemPrivateKey.read(pem);
        }

        @Override
        public boolean trustsPublicAuthorities() {
            return true;
        }
    };

    private KubeconfigFile() {}

    /**
     * The endpoint of the current context.
     *
     * @param server replaces the server of the file when present
     * @throws ProblemException with everything that is wrong in the file
     */
    public static Endpoint read(Path file, Optional<URI> server) {
        return KubeconfigReader.read(parse(file), file, server, MATERIAL);
    }

    /**
     * The CA certificates in a file.
     *
     * @throws ProblemException when it holds none
     */
    public static List<X509Certificate> readAuthorities(Path file) {
        try {
            return PemCertificates.read(Files.readAllBytes(file));
        } catch (IOException e) {
            throw ProblemException.of(
                    ErrorCode.INVALID_KEY_MATERIAL,
                    file.toString(),
                    KubeconfigReader.explain(e),
                    "CA certificates in PEM format",
                    "give the CA file that signed the API server's certificate, as in tls/ca.crt of the asset directory");
        }
    }

    private static Json parse(Path file) {
        try {
            JsonNode root = new YAMLMapper().readTree(Files.readAllBytes(file));
            if (root == null || !root.isObject()) {
                throw ProblemException.of(
                        ErrorCode.INVALID_CONFIG, file.toString(), "is not a kubeconfig", "a YAML mapping", OTHER_ONE);
            }
            return JsonText.read(new ObjectMapper().writeValueAsBytes(root));
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
}
