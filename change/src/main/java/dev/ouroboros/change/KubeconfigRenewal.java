package dev.ouroboros.change;

import dev.ouroboros.change.decide.CertificateFiles;
import dev.ouroboros.change.decide.CertificateFiles.Leaf;
import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.render.pki.Authorities;
import dev.ouroboros.render.pki.LeafRenewal;
import dev.ouroboros.render.pki.RenewalPolicy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Issues the certificate in a person's kubeconfig again. The former one stays good until it ends. */
public final class KubeconfigRenewal {
    private final Disk disk;
    private final LeafRenewal renewal;

    /**
     * Nothing is read yet.
     *
     * @param authorities whose keys are at hand
     * @param wallClock of which people read times
     */
    public KubeconfigRenewal(
            Disk disk,
            List<Credential> authorities,
            RenewalPolicy policy,
            SecureRandom random,
            InstantSource wallClock) {
        this.disk = disk;
        this.renewal = new LeafRenewal(new Authorities(authorities), policy, wallClock, random);
    }

    /** @param notAfter when it ends now */
    public record Renewed(String subject, Instant notAfter) {}

    /**
     * Writes it with other certificates and keys; all else in it stays.
     *
     * @throws ProblemException NOT_FOUND, INVALID_KEY_MATERIAL before anything was written
     */
    public List<Renewed> renew(Path kubeconfig) {
        String text = disk.readText(kubeconfig)
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.NOT_FOUND,
                        kubeconfig.toString(),
                        "does not exist",
                        "a kubeconfig",
                        "give the file that is to be renewed; ouro kubeconfig prints where a sandbox has its own"));
        List<Leaf> leaves = CertificateFiles.inKubeconfig(kubeconfig.toString(), text);
        if (leaves.isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.INVALID_KEY_MATERIAL,
                    kubeconfig.toString(),
                    "has no client-certificate-data with its client-key-data",
                    "a kubeconfig that has its certificate and key in it",
                    "renew what it names instead where its owner had it from");
        }
        List<Renewed> renewed = new ArrayList<>();
        String changed = text;
        for (Leaf leaf : leaves) {
            Optional<Credential> fresh = renewal.renewed(leaf.credential());
            if (fresh.isPresent()) {
                changed = CertificateFiles.inKubeconfig(changed, leaf.credential(), fresh.get());
                renewed.add(new Renewed(
                        leaf.certificate().getSubjectX500Principal().getName(),
                        fresh.get().certificate().getNotAfter().toInstant()));
            }
        }
        if (renewed.isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.INVALID_KEY_MATERIAL,
                    kubeconfig.toString(),
                    "its certificate is of another authority than those whose keys are at hand: "
                            + leaves.getFirst().certificate().getIssuerX500Principal(),
                    "one of this cluster",
                    "see that the kubeconfig is this cluster's; where its authority's key is kept outside, give the directory that has it in tls/ca.key with --asset-dir");
        }
        disk.write(kubeconfig, changed.getBytes(StandardCharsets.UTF_8), Disk.OWNER_ONLY_FILE);
        return List.copyOf(renewed);
    }
}
