package dev.ouroboros.etcd.membership;

import dev.ouroboros.etcd.decide.EtcdTlsFiles;
import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.FileStatus;
import dev.ouroboros.render.pki.Authorities;
import dev.ouroboros.render.pki.LeafRenewal;
import dev.ouroboros.render.pki.Pem;
import dev.ouroboros.render.pki.RenewalPolicy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The certificates of this node's member of etcd. etcd reads them at each handshake (etcd 3.2, release notes: "Reload TLS certificates on every client connection"), so that another file is all that it takes. Keys stay:
 * certificate and key are two files, and a handshake between the exchange of one and the other would fail.
 */
public final class MemberCertificates {
    /** Flags of etcd: a certificate, and its key. */
    private static final SortedMap<String, String> PAIRS =
            new TreeMap<>(Map.of("cert-file", "key-file", "peer-cert-file", "peer-key-file"));

    private final Disk disk;
    private final EtcdTlsFiles files;
    private final LeafRenewal renewal;

    /**
     * Nothing is read yet.
     *
     * @param authority of etcd; empty where its key is elsewhere
     * @param wallClock of which people read times
     */
    public MemberCertificates(
            Disk disk,
            EtcdTlsFiles files,
            Optional<Credential> authority,
            RenewalPolicy policy,
            InstantSource wallClock,
            SecureRandom random) {
        this.disk = disk;
        this.files = files;
        this.renewal = new LeafRenewal(new Authorities(authority.stream().toList()), policy, wallClock, random);
    }

    /** A certificate that the member shows. */
    public record Shown(Path file, X509Certificate certificate, LeafRenewal.Outlook outlook) {}

    /** etcd's authority, of the two files that have it; empty where one of them is not there or they do not fit. */
    public static Optional<Credential> authority(Disk disk, Path certificate, Path key) {
        return disk.readText(certificate)
                .flatMap(text -> disk.readText(key).flatMap(secret -> Pem.credential(text, secret)));
    }

    /**
     * Which there are, of those that can be looked at from here.
     *
     * @throws ProblemException INVALID_KEY_MATERIAL when a file is there and has none
     */
    public List<Shown> look() {
        return PAIRS.keySet().stream()
                .flatMap(flag -> file(flag).stream())
                .distinct()
                .map(file -> {
                    X509Certificate certificate = certificate(file);
                    return new Shown(file, certificate, renewal.outlook(certificate));
                })
                .toList();
    }

    /** Where the kubelet's pod has it from; empty where nothing is there. */
    private Optional<Path> file(String flag) {
        return files.fileOnNode(flag)
                .map(Path::of)
                .filter(path -> disk.status(path).isPresent());
    }

    private X509Certificate certificate(Path file) {
        return disk.readText(file).flatMap(Pem::certificate).orElseThrow(() -> unusable(file, "has no certificate"));
    }

    /**
     * What became of those that were to be issued again.
     *
     * @param changed the files that are others now
     * @param problems why others are not, although they were to be
     */
    public record Renewed(List<Path> changed, List<Problem> problems) {
        /** Nothing was to be done. */
        public static final Renewed NOTHING = new Renewed(List.of(), List.of());

        public Renewed {
            changed = List.copyOf(changed);
            problems = problems.stream().distinct().toList();
        }

        /**
         * Requires that all that were to be are others now.
         *
         * @throws ProblemException INVALID_KEY_MATERIAL when a certificate or its key cannot be read
         */
        public void requireAll() {
            if (!problems.isEmpty()) {
                throw new ProblemException(problems);
            }
        }
    }

    /** Has those issued again that are due, or all that can be. */
    public Renewed renew(boolean all) {
        List<Path> changed = new ArrayList<>();
        List<Problem> problems = new ArrayList<>();
        PAIRS.forEach((certificate, key) -> {
            try {
                file(certificate)
                        .filter(file -> !changed.contains(file))
                        .flatMap(file -> file(key)
                                .filter(keyFile -> renew(file, keyFile, all))
                                .map(_ -> file))
                        .ifPresent(changed::add);
            } catch (ProblemException e) {
                // The other one ends all the same.
                problems.addAll(e.problems());
            }
        });
        return new Renewed(changed, problems);
    }

    private boolean renew(Path file, Path keyFile, boolean all) {
        X509Certificate former = certificate(file);
        boolean isMeant = all ? renewal.outlook(former) instanceof LeafRenewal.Outlook.Renews : renewal.isDue(former);
        if (!isMeant) {
            return false;
        }
        Credential credential = new Credential(
                former,
                disk.readText(keyFile)
                        .flatMap(Pem::privateKey)
                        .orElseThrow(() -> unusable(keyFile, "has no private key that can be read")));
        if (!credential.fits()) {
            throw unusable(keyFile, "does not belong to " + file);
        }
        Optional<Credential> prolonged = renewal.prolonged(credential);
        FileStatus status = disk.status(file).orElseThrow(() -> unusable(file, "is gone"));
        // Whoever could read it reads it at the next handshake.
        prolonged.ifPresent(fresh -> disk.write(
                file,
                Pem.withFirst(disk.readText(file).orElse(""), fresh.certificate())
                        .getBytes(StandardCharsets.UTF_8),
                status.permissions(),
                status.group()));
        return prolonged.isPresent();
    }

    private static ProblemException unusable(Path file, String what) {
        return ProblemException.of(
                ErrorCode.INVALID_KEY_MATERIAL,
                file.toString(),
                what,
                "a certificate of etcd's member in PEM, and its key without a password",
                "see what its manifest names, and have both issued anew by etcd's authority");
    }
}
