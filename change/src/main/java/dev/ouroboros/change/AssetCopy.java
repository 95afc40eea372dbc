package dev.ouroboros.change;

import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.manifest.SecretFiles;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.render.pki.ClusterPki;
import dev.ouroboros.render.pki.Pem;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The copy of keys in an asset directory. It is written before the cluster uses what is new in it, so that there is no moment at which
 * a key exists in the cluster alone; what would be lost from a file stays beside it, because snapshots of before need it.
 */
final class AssetCopy {
    private static final String PUBLIC = "rw-r--r--";
    private static final String CERTIFICATE = ".crt";

    private final Disk disk;
    private final Path directory;

    AssetCopy(Disk disk, Path directory) {
        this.disk = disk;
        this.directory = directory;
    }

    /** Ends when the directory is none, or is another cluster's. */
    void require(SecretFiles apiServer) {
        Path certificate = directory.resolve(AssetLayout.CA_CERTIFICATE);
        Optional<String> ours = disk.readText(certificate);
        Optional<String> theirs = apiServer.file(AssetLayout.baseName(AssetLayout.CA_CERTIFICATE));
        if (ours.isEmpty()
                || (theirs.isPresent()
                        && !theirs.get().strip().equals(ours.get().strip()))) {
            throw ProblemException.of(
                    ErrorCode.INVALID_ASSET_DIRECTORY,
                    "--asset-dir " + certificate,
                    ours.isEmpty() ? "there is no such file" : "is of another cluster",
                    "the asset directory that this cluster was started from",
                    "give that directory with --asset-dir, or remove --asset-dir to use what the cluster itself has");
        }
    }

    /**
     * Writes files, each at once.
     *
     * @param texts by asset path
     * @param goal the new key, for the name of what stays
     */
    void write(Map<String, String> texts, String goal) {
        texts.forEach((path, given) -> {
            Path file = directory.resolve(path);
            String text = ordered(path, given, texts);
            Optional<String> before = disk.readText(file);
            if (before.isPresent()
                    && !new HashSet<>(text.lines().toList())
                            .containsAll(before.get().lines().toList())) {
                write(directory.resolve(former(path, goal)), before.get());
            }
            if (!before.equals(Optional.of(text))) {
                write(file, text);
            }
        });
    }

    /** Gives a file back what stayed beside it when it was written on the way to a key. */
    void restore(String path, String goal) {
        disk.readText(directory.resolve(former(path, goal)))
                .ifPresent(before -> write(directory.resolve(path), before));
    }

    /** Of several authorities in one file the first is the one whose key is beside it: {@code render} issues with that one. */
    private String ordered(String path, String text, Map<String, String> texts) {
        List<X509Certificate> certificates = Pem.certificates(text).toList();
        if (certificates.size() < 2) {
            return text;
        }
        String key = keyOf(path);
        Optional<X509Certificate> first = Optional.ofNullable(texts.get(key))
                .or(() -> disk.readText(directory.resolve(key)))
                .flatMap(Pem::privateKey)
                .flatMap(secret -> certificates.stream()
                        .filter(one -> Credential.fits(secret, one.getPublicKey()))
                        .findFirst());
        return Stream.concat(first.stream(), certificates.stream())
                .distinct()
                .map(Pem::of)
                .collect(Collectors.joining());
    }

    private static String keyOf(String certificate) {
        return certificate.substring(0, certificate.length() - CERTIFICATE.length()) + ".key";
    }

    /** Certification authorities whose keys are there. */
    List<Credential> authorities() {
        return Stream.of(
                        List.of(AssetLayout.CA_CERTIFICATE, AssetLayout.CA_KEY),
                        List.of(AssetLayout.FRONT_PROXY_CA_CERTIFICATE, AssetLayout.FRONT_PROXY_CA_KEY),
                        List.of(AssetLayout.ETCD_CA_CERTIFICATE, AssetLayout.ETCD_CA_KEY))
                .flatMap(pair -> credential(pair.getFirst(), pair.getLast()).stream())
                .toList();
    }

    private Optional<Credential> credential(String certificate, String key) {
        return disk.readText(directory.resolve(certificate))
                .flatMap(text -> disk.readText(directory.resolve(key)).flatMap(secret -> Pem.credential(text, secret)));
    }

    /** Every certificate that it may have, and the file with its key. */
    static Map<String, String> pairs() {
        return ClusterPki.paths().stream()
                .filter(path -> path.endsWith(CERTIFICATE))
                .collect(Collectors.toMap(path -> path, AssetCopy::keyOf));
    }

    /** Takes over leaves that were issued again, where it has one of the same subject and authority. */
    void renew(Collection<Credential> leaves) {
        pairs().forEach((certificate, key) -> {
            Optional<String> text = disk.readText(directory.resolve(certificate));
            text.flatMap(Pem::certificate)
                    .flatMap(known -> leaves.stream()
                            .filter(leaf -> isSame(known, leaf.certificate()))
                            .findFirst())
                    .ifPresent(leaf -> {
                        write(directory.resolve(key), Pem.of(leaf.privateKey()));
                        write(directory.resolve(certificate), Pem.withFirst(text.orElse(""), leaf.certificate()));
                    });
        });
    }

    private static boolean isSame(X509Certificate known, X509Certificate leaf) {
        return known.getSubjectX500Principal().equals(leaf.getSubjectX500Principal())
                && known.getIssuerX500Principal().equals(leaf.getIssuerX500Principal());
    }

    private void write(Path file, String text) {
        String permissions = file.toString().endsWith(".pub") ? PUBLIC : Disk.OWNER_ONLY_FILE;
        disk.write(file, text.getBytes(StandardCharsets.UTF_8), permissions);
    }

    /** As in {@code tls/encryption-config.before-key2.yaml}. */
    static String former(String path, String goal) {
        int dot = path.lastIndexOf('.');
        return path.substring(0, dot) + ".before-" + goal + path.substring(dot);
    }
}
