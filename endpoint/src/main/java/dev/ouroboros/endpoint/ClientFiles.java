package dev.ouroboros.endpoint;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * PEM files that say whom to trust and who we are.
 *
 * @param authorities whom to trust; empty for those of the JDK
 * @param certificate ours; with a key or not at all
 */
public record ClientFiles(Optional<Path> authorities, Optional<Path> certificate, Optional<Path> key) {
    /** No client certificate, and the authorities of the JDK. */
    public static ClientFiles none() {
        return new ClientFiles(Optional.empty(), Optional.empty(), Optional.empty());
    }

    /**
     * The endpoint of a client that has these files.
     *
     * @param server an https URL
     * @throws ProblemException with everything that is wrong with the files
     */
    public Endpoint endpoint(URI server) {
        List<Problem> problems = new ArrayList<>();
        List<X509Certificate> trusted = authorities
                .map(file -> read(file, PemCertificates::read, List.<X509Certificate>of(), problems))
                .orElse(List.of());
        Optional<ClientIdentity> identity = identity(problems);
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
        return Endpoint.of(server, trusted, identity, Optional.empty());
    }

    private Optional<ClientIdentity> identity(List<Problem> problems) {
        if (certificate.isEmpty() && key.isEmpty()) {
            return Optional.empty();
        }
        if (certificate.isEmpty() || key.isEmpty()) {
            problems.add(new Problem(
                    ErrorCode.BAD_USAGE,
                    certificate.or(() -> key).map(Path::toString).orElse(""),
                    "is a client's " + (key.isEmpty() ? "certificate without its key" : "key without its certificate"),
                    "both or none",
                    "give the certificate and its key, each with its flag, or neither"));
            return Optional.empty();
        }
        List<X509Certificate> chain = read(certificate.get(), PemCertificates::read, List.of(), problems);
        Optional<PrivateKey> secret =
                read(key.get(), pem -> Optional.of(PemPrivateKey.read(pem)), Optional.empty(), problems);
        if (chain.isEmpty() || secret.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new ClientIdentity(secret.get(), chain));
        } catch (IllegalArgumentException e) {
            problems.add(unusable(key.get(), "does not belong to " + certificate.get() + ": " + e.getMessage()));
            return Optional.empty();
        }
    }

    private interface Parser<T> {
        T parse(byte[] pem) throws IOException;
    }

    private static <T> T read(Path file, Parser<T> parser, T otherwise, List<Problem> problems) {
        try {
            return parser.parse(Files.readAllBytes(file));
        } catch (NoSuchFileException e) {
            problems.add(new Problem(
                    ErrorCode.NOT_FOUND,
                    file.toString(),
                    "does not exist",
                    "a PEM file",
                    "give the path of the file that is there"));
        } catch (IOException e) {
            String why = e.getMessage() == null ? e.toString() : e.getMessage();
            problems.add(unusable(file, "cannot be used: " + why));
        }
        return otherwise;
    }

    private static Problem unusable(Path file, String what) {
        return new Problem(
                ErrorCode.INVALID_KEY_MATERIAL,
                file.toString(),
                what,
                "PEM, a certificate or its unencrypted key",
                "see what is in it: openssl x509 -in FILE -text, or openssl pkey -in FILE -text");
    }
}
