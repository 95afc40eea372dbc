package dev.ouroboros.change;

import dev.ouroboros.change.decide.EncryptionRotation;
import dev.ouroboros.change.decide.FrontProxyFiles;
import dev.ouroboros.change.decide.FrontProxyRotation;
import dev.ouroboros.change.decide.SigningKey;
import dev.ouroboros.change.decide.SigningRotation;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.ClusterReader;
import dev.ouroboros.cluster.ClusterWriter;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.Rotation;
import dev.ouroboros.model.manifest.SecretFiles;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.Journal;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureDriver;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.render.pki.Authorities;
import dev.ouroboros.render.pki.Issuer;
import dev.ouroboros.render.pki.LeafRenewal;
import dev.ouroboros.render.pki.RenewalPolicy;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * Exchanges keys and authorities of a running cluster. What to do next is decided from what the cluster shows, so a command that was killed goes on when it is
 * run again; a journal is not needed.
 */
public final class KeyRotations {
    private static final int ENCRYPTION_KEY_BYTES = 32;

    private final ChangeApi api;
    private final ControlPlaneObjects plane;
    private final ProcedureListener listener;
    private final Optional<AssetCopy> assets;
    private final SecureRandom random;
    private final Patience patience;
    private final ProcedureDriver driver;
    private final RotationWork work;
    private final InstantSource clock;

    /**
     * Prepares rotations; nothing is asked yet.
     *
     * @param assetDirectory the copy of the keys outside of the cluster, which is kept up to date
     * @param limit how long one thing is waited for
     */
    public static KeyRotations of(
            ClusterClient client,
            Optional<Path> assetDirectory,
            Disk disk,
            ProcedureListener listener,
            SecureRandom random,
            Duration limit,
            InstantSource clock) {
        Patience patience = new Patience(listener, limit, clock);
        return new KeyRotations(
                new ClusterChangeApi(new ClusterReader(client), new ClusterWriter(client)),
                assetDirectory.map(directory -> new AssetCopy(disk, directory)),
                listener,
                random,
                patience,
                patience,
                clock);
    }

    /** @param driver of the procedures; asks for what is around them are the patience's */
    KeyRotations(
            ChangeApi api,
            Optional<AssetCopy> assets,
            ProcedureListener listener,
            SecureRandom random,
            Patience patience,
            ProcedureDriver driver,
            InstantSource clock) {
        this.api = api;
        this.plane = new ControlPlaneObjects(api);
        this.assets = assets;
        this.listener = listener;
        this.random = random;
        this.patience = patience;
        this.driver = driver;
        this.work = new RotationWork(api, assets, listener, patience, clock);
        this.clock = clock;
    }

    /**
     * Exchanges the key that encrypts Secrets, and whatever else the EncryptionConfiguration names, in etcd.
     *
     * @throws ProblemException CHANGE_REFUSED before anything was done while a control-plane node is not ready
     */
    public RotationOutcome encryptionKey() {
        EncryptionRotation.Seen first = patience.asking(() -> EncryptionKeyProcedure.look(plane, false));
        requireReadyNodes(first.daemonSet());
        assets.ifPresent(copy -> copy.require(first.secret()));
        String goal = EncryptionRotation.goal(first);
        listener.did("rotates to key " + goal + "; now " + first.file().describe());
        List<SecretFiles> prepared = patience.asking(() -> plane.made(Rotation.ENCRYPTION_KEY));
        RotationState last = driver.run(
                new EncryptionKeyProcedure(plane, work, prepared, encryptionSecret()),
                Journal.none(),
                RotationState.begin(goal, first.daemonSet()));
        return new RotationOutcome(
                Rotation.ENCRYPTION_KEY.word(),
                goal,
                true,
                List.of(),
                "",
                last.rewritten().orElse(0),
                last.keepOutside());
    }

    private String encryptionSecret() {
        byte[] key = new byte[ENCRYPTION_KEY_BYTES];
        random.nextBytes(key);
        return Base64.getEncoder().encodeToString(key);
    }

    /**
     * Exchanges the key that signs ServiceAccount tokens.
     *
     * @param finish whether the old key goes although somebody may need it
     * @throws ProblemException CHANGE_REFUSED before anything was done while a control-plane node is not ready
     */
    public RotationOutcome serviceAccountKey(boolean finish) {
        SigningRotation.Seen first = patience.asking(() -> ServiceAccountKeyProcedure.look(plane));
        requireReadyNodes(first.apiServer().object());
        assets.ifPresent(copy -> copy.require(first.apiServer().secret()));
        Optional<String> begun = SigningRotation.goal(first);
        Optional<SigningKey> fresh =
                begun.isPresent() ? Optional.empty() : Optional.of(SigningRotation.newKey(first, random));
        String goal = begun.orElseGet(() -> fresh.orElseThrow().id());
        listener.did("rotates to key " + goal);
        RotationState last = driver.run(
                new ServiceAccountKeyProcedure(api, work, fresh, finish, clock),
                Journal.none(),
                RotationState.begin(goal, first.apiServer().object()));
        return new RotationOutcome(
                Rotation.SERVICE_ACCOUNT_KEY.word(),
                goal,
                last.remains().isEmpty(),
                last.remains(),
                last.remains().isEmpty()
                        ? ""
                        : "run the same command again when that is done, or with --finish to remove the old key now",
                0,
                last.keepOutside());
    }

    /**
     * Exchanges the authority of the front proxy: of the certificate that API servers show to aggregated ones. What it issues is as good as {@link RenewalPolicy#STANDARD} says.
     *
     * @throws ProblemException CHANGE_REFUSED before anything was done while a control-plane node is not ready, or where there is nothing to finish or to take back
     */
    public RotationOutcome frontProxyAuthority(FrontProxyRotation.Aim aim) {
        FrontProxyRotation.Seen first = patience.asking(() -> FrontProxyAuthorityProcedure.look(plane));
        requireReadyNodes(first.daemonSet());
        assets.ifPresent(copy -> copy.require(first.files().secret()));
        Instant latest = clock.instant().plus(RenewalPolicy.STANDARD.lifetime());
        String goal = FrontProxyRotation.goal(
                        first,
                        aim,
                        made -> made.certificate().getNotAfter().toInstant().isAfter(latest))
                .orElseGet(() -> madeAuthority(first));
        if (aim == FrontProxyRotation.Aim.TAKE_BACK) {
            FrontProxyRotation.requireGoodFormer(first, clock.instant());
        }
        listener.did((aim == FrontProxyRotation.Aim.TAKE_BACK ? "goes back from authority " : "rotates to authority ")
                + goal);
        boolean isThereToGo = first.files().placeOf(goal) != FrontProxyFiles.Place.ALONE;
        if (aim == FrontProxyRotation.Aim.TAKE_BACK && isThereToGo) {
            // While both are trusted either is right, and who is killed later has it.
            assets.ifPresent(copy -> copy.restore(AssetLayout.FRONT_PROXY_CA_KEY, goal));
        }
        List<SecretFiles> prepared = patience.asking(() -> plane.made(Rotation.FRONT_PROXY_AUTHORITY));
        LeafRenewal renewal = new LeafRenewal(new Authorities(List.of()), RenewalPolicy.STANDARD, clock, random);
        RotationState last = driver.run(
                new FrontProxyAuthorityProcedure(plane, work, renewal, prepared, aim),
                Journal.none(),
                RotationState.begin(goal, first.daemonSet()));
        // A directory that an earlier run was not given has nothing of what that did.
        FrontProxyRotation.Seen end = patience.asking(() -> FrontProxyAuthorityProcedure.look(plane));
        assets.ifPresent(copy -> copy.write(FrontProxyAuthorityProcedure.outside(end, goal), goal));
        String next = last.remains().isEmpty()
                ? ""
                : "run it with --finish when the former authority may go, or with --take-back when the new one is to go";
        return new RotationOutcome(
                Rotation.FRONT_PROXY_AUTHORITY.word(),
                FrontProxyFiles.nameOf(end.files().issuer()),
                last.remains().isEmpty(),
                last.remains(),
                next,
                0,
                last.keepOutside());
    }

    /** It is in the cluster before anything goes by it: who runs the command again after this one was killed takes it. */
    private String madeAuthority(FrontProxyRotation.Seen seen) {
        Credential made = Issuer.successorOf(seen.files().issuer(), clock, random);
        SecretFiles secret = FrontProxyRotation.secretOf(
                made,
                AssetLayout.baseName(AssetLayout.FRONT_PROXY_CA_CERTIFICATE),
                AssetLayout.baseName(AssetLayout.FRONT_PROXY_CA_KEY));
        patience.asking(() -> {
            plane.create(secret);
            return secret;
        });
        return FrontProxyFiles.nameOf(made.certificate());
    }

    /** A step ends when every API server has it: with a node that is off the rotation would stop halfway. */
    private void requireReadyNodes(Json daemonSet) {
        patience.asking(() -> plane.requireReadyNodes(
                daemonSet,
                "its API server would not get the key",
                ", and never boot it again with its disk, which has the old key"));
    }
}
