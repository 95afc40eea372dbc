package dev.ouroboros.change.decide;

import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.manifest.SecretFiles;
import dev.ouroboros.render.pki.Pem;
import java.nio.charset.StandardCharsets;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The certificates in the files of a Secret, each with its key: in PEM, with the key in whichever file has it, and in kubeconfigs. */
public record CertificateFiles(SecretFiles secret) {
    private static final String CERTIFICATE = "-----BEGIN CERTIFICATE-----";

    /** In YAML and in JSON. */
    private static final Pattern EMBEDDED_CERTIFICATE = embedded("client-certificate-data");

    private static final Pattern EMBEDDED_KEY = embedded("client-key-data");

    /**
     * A certificate that its holder shows, and signs nothing with.
     *
     * @param file that has it
     * @param keyFile that has its key: the same one where both are in a kubeconfig
     */
    public record Leaf(String file, String keyFile, Credential credential) {
        public X509Certificate certificate() {
            return credential.certificate();
        }

        private boolean isInKubeconfig() {
            return file.equals(keyFile);
        }
    }

    private record KeyFile(String name, PrivateKey key) {}

    private static Pattern embedded(String field) {
        return Pattern.compile("\"?" + field + "\"?:\\s*\"?([A-Za-z0-9+/=]+)");
    }

    /** Those that are not authorities'. One without its key is not ours to issue again, and what was shown before is shown no more. */
    public List<Leaf> leaves() {
        List<KeyFile> keys = keys();
        List<Leaf> leaves = new ArrayList<>();
        for (String file : secret.files().stream()
                .filter(name -> !name.startsWith(FrontProxyFiles.FORMER))
                .sorted()
                .toList()) {
            String text = secret.file(file).orElse("");
            inPem(file, text, keys)
                    .filter(leaf -> !isAuthority(leaf.certificate()))
                    .ifPresent(leaves::add);
            inKubeconfig(file, text).forEach(leaves::add);
        }
        return List.copyOf(leaves);
    }

    /** Authorities whose keys are here, too. */
    public List<Credential> authorities() {
        List<KeyFile> keys = keys();
        return secret.files().stream()
                .sorted()
                .flatMap(file -> inPem(file, secret.file(file).orElse(""), keys).stream())
                .map(Leaf::credential)
                .filter(found -> isAuthority(found.certificate()))
                .toList();
    }

    /** Authorities of which there is a certificate here, whether or not their keys are. */
    public List<X509Certificate> trusted() {
        return secret.files().stream()
                .sorted()
                .flatMap(file -> secret.file(file).stream())
                .filter(text -> text.contains(CERTIFICATE))
                .flatMap(Pem::certificates)
                .filter(CertificateFiles::isAuthority)
                .distinct()
                .toList();
    }

    private static boolean isAuthority(X509Certificate certificate) {
        return certificate.getBasicConstraints() >= 0;
    }

    private List<KeyFile> keys() {
        return secret.files().stream()
                .sorted()
                .flatMap(file -> secret
                        .file(file)
                        .filter(text -> text.contains("PRIVATE KEY-----"))
                        .flatMap(Pem::privateKey)
                        .map(key -> new KeyFile(file, key))
                        .stream())
                .toList();
    }

    /** What follows the first certificate is what its holder shows beside it. One with its key in the same file is nobody's of ours. */
    private static Optional<Leaf> inPem(String file, String text, List<KeyFile> keys) {
        return Optional.of(text)
                .filter(content -> content.contains(CERTIFICATE))
                .flatMap(Pem::certificate)
                .flatMap(certificate -> keys.stream()
                        .filter(key -> !key.name().equals(file) && fits(certificate, key.key()))
                        .map(key -> new Leaf(file, key.name(), new Credential(certificate, key.key())))
                        .findFirst());
    }

    private static boolean fits(X509Certificate certificate, PrivateKey key) {
        return certificate.getPublicKey().getAlgorithm().equals(key.getAlgorithm())
                && new Credential(certificate, key).fits();
    }

    /** Those in the text of a kubeconfig, with their keys; those in files that it names are not. */
    public static List<Leaf> inKubeconfig(String file, String text) {
        List<PrivateKey> keys = decoded(EMBEDDED_KEY, text)
                .flatMap(key -> Pem.privateKey(key).stream())
                .toList();
        return decoded(EMBEDDED_CERTIFICATE, text)
                .flatMap(pem -> Pem.certificate(pem).stream())
                .flatMap(certificate -> keys.stream()
                        .filter(key -> fits(certificate, key))
                        .limit(1)
                        .map(key -> new Leaf(file, file, new Credential(certificate, key))))
                .toList();
    }

    private static Stream<String> decoded(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(found -> decoded(found.group(1)));
    }

    /** What is not base64 is no certificate of anybody's. */
    private static String decoded(String base64) {
        try {
            return new String(Base64.getDecoder().decode(base64), StandardCharsets.ISO_8859_1);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    /** The Secret with other certificates, of the same subjects, in the place of these. */
    public SecretFiles with(Map<Leaf, Credential> renewed) {
        Map<String, String> texts = new LinkedHashMap<>();
        renewed.forEach((leaf, credential) -> {
            String text =
                    texts.getOrDefault(leaf.file(), secret.file(leaf.file()).orElse(""));
            if (leaf.isInKubeconfig()) {
                texts.put(leaf.file(), inKubeconfig(text, leaf.credential(), credential));
            } else {
                texts.put(leaf.file(), Pem.withFirst(text, credential.certificate()));
                texts.put(leaf.keyFile(), Pem.of(credential.privateKey()));
            }
        });
        return secret.renewed(texts);
    }

    /** The text of a kubeconfig with another certificate and key; all else stays as it is. */
    public static String inKubeconfig(String text, Credential former, Credential renewed) {
        String certified = replaced(
                text,
                EMBEDDED_CERTIFICATE,
                pem -> Pem.certificate(pem).filter(former.certificate()::equals).isPresent(),
                Pem.of(renewed.certificate()));
        return replaced(
                certified,
                EMBEDDED_KEY,
                pem -> Pem.privateKey(pem).filter(former.privateKey()::equals).isPresent(),
                Pem.of(renewed.privateKey()));
    }

    private static String replaced(String text, Pattern pattern, Predicate<String> isMeant, String pem) {
        String encoded = Base64.getEncoder().encodeToString(pem.getBytes(StandardCharsets.ISO_8859_1));
        return pattern.matcher(text).replaceAll(found -> {
            String before = decoded(found.group(1));
            // Base64 has no character that a replacement means something by.
            return isMeant.test(before) ? found.group().replace(found.group(1), encoded) : found.group();
        });
    }
}
