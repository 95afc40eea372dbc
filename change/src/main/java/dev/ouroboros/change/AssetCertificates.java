package dev.ouroboros.change;

import dev.ouroboros.change.decide.CertificateFiles;
import dev.ouroboros.change.decide.CertificateFiles.Leaf;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.FileStatus;
import dev.ouroboros.render.pki.Authorities;
import dev.ouroboros.render.pki.LeafRenewal;
import dev.ouroboros.render.pki.Pem;
import dev.ouroboros.render.pki.RenewalPolicy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The certificates in an asset directory's {@code tls} and {@code auth}, without the document that it was rendered from. */
public final class AssetCertificates {
    private final Disk disk;
    private final Path directory;
    private final LeafRenewal renewal;

    /** @param wallClock of which people read times */
    public AssetCertificates(
            Disk disk, Path directory, RenewalPolicy policy, SecureRandom random, InstantSource wallClock) {
        this.disk = disk;
        this.directory = directory;
        this.renewal = new LeafRenewal(
                new Authorities(new AssetCopy(disk, directory).authorities()), policy, wallClock, random);
    }

    /**
     * Has those issued again that are due. Its manifests keep what they were rendered with until 'ouro render' writes them anew; a cluster that has its objects does not read those.
     *
     * @return the files that are others now
     */
    public List<String> renew() {
        List<String> changed = new ArrayList<>();
        AssetCopy.pairs().forEach((certificate, key) -> {
            if (renewPair(certificate, key)) {
                changed.add(certificate);
            }
        });
        for (String name : disk.list(directory.resolve(AssetLayout.AUTH))) {
            boolean isFile = disk.status(directory.resolve(AssetLayout.AUTH).resolve(name))
                    .filter(status -> status.kind() == FileStatus.Kind.FILE)
                    .isPresent();
            if (isFile && renewKubeconfig(AssetLayout.AUTH + "/" + name)) {
                changed.add(AssetLayout.AUTH + "/" + name);
            }
        }
        return changed.stream().sorted().toList();
    }

    private boolean renewPair(String certificate, String key) {
        Optional<String> text = disk.readText(directory.resolve(certificate));
        Optional<Credential> renewed = text.flatMap(
                        pem -> disk.readText(directory.resolve(key)).flatMap(secret -> Pem.credential(pem, secret)))
                .filter(known -> known.certificate().getBasicConstraints() < 0 && renewal.isDue(known.certificate()))
                // One file changes: whoever is killed here leaves a pair that fits.
                .flatMap(renewal::prolonged);
        renewed.ifPresent(fresh -> write(certificate, Pem.withFirst(text.orElse(""), fresh.certificate())));
        return renewed.isPresent();
    }

    private boolean renewKubeconfig(String file) {
        String text = disk.readText(directory.resolve(file)).orElse("");
        String changed = text;
        for (Leaf leaf : CertificateFiles.inKubeconfig(file, text)) {
            Optional<Credential> fresh =
                    renewal.isDue(leaf.certificate()) ? renewal.prolonged(leaf.credential()) : Optional.empty();
            if (fresh.isPresent()) {
                changed = CertificateFiles.inKubeconfig(changed, leaf.credential(), fresh.get());
            }
        }
        if (changed.equals(text)) {
            return false;
        }
        write(file, changed);
        return true;
    }

    private void write(String file, String text) {
        disk.write(directory.resolve(file), text.getBytes(StandardCharsets.UTF_8), Disk.OWNER_ONLY_FILE);
    }
}
