package dev.ouroboros.change;

import dev.ouroboros.change.decide.EncryptionRotation;
import dev.ouroboros.change.decide.SigningKey;
import dev.ouroboros.change.decide.SigningRotation;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.ClusterReader;
import dev.ouroboros.cluster.ClusterWriter;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.Rotation;
import dev.ouroboros.model.manifest.SecretFiles;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.Journal;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureDriver;
import dev.ouroboros.node.procedure.ProcedureListener;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * Exchanges keys of a running cluster. What to do next is decided from what the cluster shows, so a command that was killed goes on when it is
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
                0,
                last.keepOutside());
    }

    /** A step ends when every API server has it: with a node that is off the rotation would stop halfway. */
    private void requireReadyNodes(Json daemonSet) {
        patience.asking(() -> plane.requireReadyNodes(
                daemonSet,
                "its API server would not get the key",
                ", and never boot it again with its disk, which has the old key"));
    }
}
