package dev.ouroboros.change.decide;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.ComponentContainer;
import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.digest.Sha256;
import dev.ouroboros.model.flags.CommandLine;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.MountedFile;
import dev.ouroboros.model.manifest.Rotation;
import dev.ouroboros.model.manifest.SecretFiles;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.render.pki.Authorities;
import dev.ouroboros.render.pki.Pem;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The API server's files of the front proxy, and Secrets with others.
 *
 * @param secret that the template mounts
 * @param trust key of the file with the authorities, in the Secret's data
 */
public record FrontProxyFiles(SecretFiles secret, String trust, String certificate, String key) {
    private static final String TRUST = "requestheader-client-ca-file";
    private static final String CERTIFICATE = "proxy-client-cert-file";
    private static final String KEY = "proxy-client-key-file";
    private static final String CLIENTS = "client-ca-file";
    /** What the name of a file begins with that was shown before. */
    static final String FORMER = "former-";

    private static final int NAME_LENGTH = 16;

    /** How far a template is on the way to an authority. */
    public enum Place {
        ABSENT,
        TRUSTED,
        SHOWN,
        ALONE
    }

    /**
     * Those of a template that has them in one Secret, each in a file of its own.
     *
     * @param secret reads a Secret
     * @throws ProblemException UNSUPPORTED_CLUSTER where it has not
     */
    public static FrontProxyFiles of(Json daemonSet, Function<String, SecretFiles> secret) {
        MountedFile trust = MountedFile.one(daemonSet, Component.API_SERVER, TRUST);
        MountedFile certificate = MountedFile.one(daemonSet, Component.API_SERVER, CERTIFICATE);
        MountedFile key = MountedFile.one(daemonSet, Component.API_SERVER, KEY);
        List<MountedFile> all = List.of(trust, certificate, key);
        boolean isOneSecret = all.stream().map(MountedFile::secret).distinct().count() == 1;
        boolean areDifferent = all.stream().map(MountedFile::key).distinct().count() == all.size();
        if (!isOneSecret || !areDifferent) {
            throw MountedFile.refused(
                    daemonSet,
                    TRUST,
                    "and --" + CERTIFICATE + ", --" + KEY + " do not name three files of one Secret",
                    "three such files");
        }
        if (isOfClientsToo(daemonSet)) {
            throw MountedFile.refused(
                    daemonSet,
                    TRUST,
                    "is the file of --" + CLIENTS + " too",
                    "a file of its own: whom aggregated servers believe is not whoever issues for clients");
        }
        return new FrontProxyFiles(secret.apply(trust.secret()), trust.key(), certificate.key(), key.key());
    }

    private static boolean isOfClientsToo(Json daemonSet) {
        return ComponentContainer.in(daemonSet.at("spec", "template", "spec"), Component.API_SERVER)
                .map(CommandLine::of)
                .filter(line -> line.values(TRUST).stream().anyMatch(line.values(CLIENTS)::contains))
                .isPresent();
    }

    /** What a rotation calls an authority: the beginning of the SHA-256 of its certificate. */
    public static String nameOf(X509Certificate authority) {
        try {
            return HexFormat.of()
                    .formatHex(Sha256.begin().digest(authority.getEncoded()))
                    .substring(0, NAME_LENGTH);
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException("a certificate that was read cannot be written", e);
        }
    }

    /** The same files of another Secret. */
    FrontProxyFiles in(SecretFiles other) {
        return new FrontProxyFiles(other, trust, certificate, key);
    }

    private String text(String file) {
        return secret.file(file)
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.NOT_FOUND,
                        "Secret " + secret.name(),
                        "has no " + file,
                        "",
                        "put the file back into the Secret, as the asset directory has it in tls/"));
    }

    /** The text of the file with the authorities. */
    public String trustText() {
        return text(trust);
    }

    /** The text of the certificate that is shown. */
    public String certificateText() {
        return text(certificate);
    }

    /** The text of its key. */
    public String keyText() {
        return text(key);
    }

    List<X509Certificate> trusted() {
        return Pem.certificates(trustText()).toList();
    }

    /** What API servers show, and its key. */
    public Credential shown() {
        return Pem.credential(certificateText(), keyText())
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.INVALID_KEY_MATERIAL,
                        "Secret " + secret.name() + " " + certificate + " and " + key,
                        "are not a certificate and its key",
                        "both in PEM, the key without a password",
                        "put the right ones there, as the asset directory has them in tls/"));
    }

    /** The authority that issued what is shown. */
    public X509Certificate issuer() {
        return issuerOf(shown().certificate())
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.INVALID_KEY_MATERIAL,
                        "Secret " + secret.name() + " " + certificate,
                        "was issued by none of the authorities in " + trust,
                        "one of them",
                        "put the right ones there, as the asset directory has them in tls/"));
    }

    private Optional<X509Certificate> issuerOf(X509Certificate leaf) {
        return trusted().stream()
                .filter(authority -> Authorities.hasIssued(authority, leaf))
                .findFirst();
    }

    /** How far they are on the way to the authority of this name. */
    public Place placeOf(String goal) {
        Optional<X509Certificate> authority =
                trusted().stream().filter(one -> nameOf(one).equals(goal)).findFirst();
        if (authority.isEmpty()) {
            return Place.ABSENT;
        }
        if (!Authorities.hasIssued(authority.get(), shown().certificate())) {
            return Place.TRUSTED;
        }
        return hasFormer() ? Place.SHOWN : Place.ALONE;
    }

    /** Whether what was shown before is there, too. */
    boolean hasFormer() {
        return secret.file(FORMER + certificate).isPresent();
    }

    /** What was shown before, and is shown again when the authority is taken back; empty where it is not there. */
    Optional<X509Certificate> former() {
        return secret.file(FORMER + certificate).flatMap(Pem::certificate);
    }

    /** A Secret whose servers trust one authority more. */
    SecretFiles trusting(String goal, X509Certificate authority) {
        String before = trustText();
        return changed(
                goal, Map.of(trust, (before.endsWith("\n") ? before : before + "\n") + Pem.of(authority)), Set.of());
    }

    /** A Secret whose servers show another certificate, and that keeps what they show now. */
    SecretFiles showing(String goal, Credential leaf) {
        return changed(
                goal,
                Map.of(
                        certificate,
                        Pem.of(leaf.certificate()),
                        key,
                        Pem.of(leaf.privateKey()),
                        FORMER + certificate,
                        certificateText(),
                        FORMER + key,
                        keyText()),
                Set.of());
    }

    /** A Secret without the authority that issued what was shown before, and without that. */
    SecretFiles withoutFormer(String goal) {
        Optional<X509Certificate> former =
                Pem.certificate(text(FORMER + certificate)).flatMap(this::issuerOf);
        return changed(goal, Map.of(trust, trustWithout(former)), Set.of(FORMER + certificate, FORMER + key));
    }

    /** A Secret without the authority of this name, whose servers show what they showed before. */
    SecretFiles takenBack(String goal) {
        Optional<X509Certificate> authority =
                trusted().stream().filter(one -> nameOf(one).equals(goal)).findFirst();
        String only = trustWithout(authority);
        return placeOf(goal) == Place.SHOWN
                ? changed(
                        goal,
                        Map.of(trust, only, certificate, text(FORMER + certificate), key, text(FORMER + key)),
                        Set.of(FORMER + certificate, FORMER + key))
                : changed(goal, Map.of(trust, only), Set.of());
    }

    private String trustWithout(Optional<X509Certificate> authority) {
        return trusted().stream()
                .filter(one -> authority.filter(one::equals).isEmpty())
                .map(Pem::of)
                .collect(Collectors.joining());
    }

    private SecretFiles changed(String goal, Map<String, String> files, Set<String> without) {
        return secret.with(Rotation.FRONT_PROXY_AUTHORITY, goal, files, without);
    }

    /**
     * Whether a Secret is one that an earlier run made of this one to show a certificate of an authority.
     *
     * @param isCurrent whether a certificate is good for long enough
     */
    public boolean isShownIn(SecretFiles made, String goal, Predicate<X509Certificate> isCurrent) {
        FrontProxyFiles other = in(made);
        boolean isOfThis = made.goal(Rotation.FRONT_PROXY_AUTHORITY).equals(Optional.of(goal))
                && secret.files().stream()
                        .filter(file -> !file.equals(certificate) && !file.equals(key))
                        .allMatch(file -> made.file(file).equals(secret.file(file)))
                && made.files().containsAll(secret.files())
                && made.file(FORMER + certificate).equals(secret.file(certificate))
                && made.file(FORMER + key).equals(secret.file(key));
        return isOfThis
                && Pem.credential(other.certificateText(), other.keyText())
                        .filter(leaf -> isCurrent.test(leaf.certificate()))
                        .isPresent()
                && other.placeOf(goal) == Place.SHOWN;
    }
}
