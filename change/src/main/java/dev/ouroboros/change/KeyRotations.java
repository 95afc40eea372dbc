package dev.ouroboros.change;

import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.ClusterReader;
import dev.ouroboros.cluster.ClusterWriter;
import dev.ouroboros.core.asset.AssetLayout;
import dev.ouroboros.core.change.EncryptionRotation;
import dev.ouroboros.core.change.MountedFile;
import dev.ouroboros.core.change.Rotation;
import dev.ouroboros.core.change.SecretFiles;
import dev.ouroboros.core.change.SigningKey;
import dev.ouroboros.core.change.SigningRotation;
import dev.ouroboros.core.change.SigningRotation.Signer;
import dev.ouroboros.core.change.TokenSecrets;
import dev.ouroboros.core.json.Json;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Exchanges keys of a running cluster. What to do next is decided in {@code core.change} from what the cluster shows, so a command
 * that was killed goes on when it is run again; here it is done.
 */
public final class KeyRotations {
    private static final int ENCRYPTION_KEY_BYTES = 32;
    private static final String DAEMON_SET = "DaemonSet kube-system/kube-apiserver";

    private final ChangeApi api;
    private final ControlPlaneObjects plane;
    private final ChangeListener listener;
    private final Optional<AssetCopy> assets;
    private final SecureRandom random;
    private final Duration limit;
    private final InstantSource clock;

    /**
     * Prepares rotations; nothing is asked yet.
     *
     * @param assetDirectory the copy of the keys outside of the cluster, which is kept up to date
     * @param limit how long one thing is waited for
     */
    public KeyRotations(
            ClusterClient client,
            Optional<Path> assetDirectory,
            Disk disk,
            ChangeListener listener,
            SecureRandom random,
            Duration limit,
            InstantSource clock) {
        this(
                new ClusterChangeApi(new ClusterReader(client), new ClusterWriter(client)),
                assetDirectory.map(directory -> new AssetCopy(disk, directory)),
                listener,
                random,
                limit,
                clock);
    }

    KeyRotations(
            ChangeApi api,
            Optional<AssetCopy> assets,
            ChangeListener listener,
            SecureRandom random,
            Duration limit,
            InstantSource clock) {
        this.api = api;
        this.plane = new ControlPlaneObjects(api);
        this.assets = assets;
        this.listener = listener;
        this.random = random;
        this.limit = limit;
        this.clock = clock;
    }

    private Rounds rounds() {
        return new Rounds(plane, listener, limit, clock);
    }

    /** Exchanges the key that encrypts Secrets, and whatever else the EncryptionConfiguration names, in etcd. */
    public RotationOutcome encryptionKey() {
        Rounds rounds = rounds();
        EncryptionRotation.Seen first = rounds.seen(() -> encryption(false));
        assets.ifPresent(copy -> copy.require(first.secret()));
        String goal = EncryptionRotation.goal(first);
        listener.did("rotates to key " + goal + "; now " + first.file().describe());
        List<SecretFiles> prepared = rounds.seen(() -> plane.made(Rotation.ENCRYPTION_KEY));
        Advance advance = new Advance(DAEMON_SET);
        int rewritten = 0;
        boolean proven = false;
        while (true) {
            boolean known = proven;
            EncryptionRotation.Seen seen = rounds.seen(() -> encryption(known));
            rounds.require(seen.daemonSet());
            requireEncryption(advance, seen, goal);
            switch (EncryptionRotation.next(seen, goal, prepared, this::encryptionSecret)) {
                case EncryptionRotation.Step.Wait(String why) -> rounds.waits(why);
                case EncryptionRotation.Step.Stopped(String why) -> rounds.stopped(seen.daemonSet(), why);
                case EncryptionRotation.Step.Rewrite(List<String> resources) -> {
                    rewritten = new Rewriting(api, rounds).run(resources);
                    proven = true;
                    rounds.did(
                            rewritten + " objects of " + String.join(", ", resources) + " are stored with key " + goal);
                }
                case EncryptionRotation.Step.Change(SecretFiles secret, Json.Fields set, String what) -> {
                    copyEncryption(secret, seen.key(), goal);
                    if (change(rounds, secret, set, "kube-apiserver " + what)) {
                        advance.reached(new EncryptionRotation.Seen(set, secret, seen.key(), false).step(goal));
                    }
                }
                case EncryptionRotation.Step.Finished() -> {
                    return new RotationOutcome(
                            Rotation.ENCRYPTION_KEY.word(),
                            goal,
                            true,
                            List.of(),
                            rewritten,
                            List.of(keep(AssetLayout.ENCRYPTION_CONFIG, seen.secret(), seen.key())));
                }
            }
        }
    }

    /** The copy outside is what the cluster has, when a step is taken back. */
    private void requireEncryption(Advance advance, EncryptionRotation.Seen seen, String goal) {
        try {
            advance.require(
                    seen.step(goal),
                    "the template's servers have " + seen.file().describe());
        } catch (ProblemException e) {
            copyEncryption(seen.secret(), seen.key(), goal);
            throw e;
        }
    }

    private EncryptionRotation.Seen encryption(boolean rewritten) {
        Json set = plane.daemonSet();
        MountedFile file = EncryptionRotation.mounted(set);
        return new EncryptionRotation.Seen(set, plane.secret(file.secret()), file.key(), rewritten);
    }

    private String encryptionSecret() {
        byte[] key = new byte[ENCRYPTION_KEY_BYTES];
        random.nextBytes(key);
        return Base64.getEncoder().encodeToString(key);
    }

    private void copyEncryption(SecretFiles secret, String key, String goal) {
        assets.ifPresent(copy ->
                secret.file(key).ifPresent(text -> copy.write(Map.of(AssetLayout.ENCRYPTION_CONFIG, text), goal)));
    }

    /**
     * Exchanges the key that signs ServiceAccount tokens.
     *
     * @param finish whether the old key goes although somebody may need it
     */
    public RotationOutcome serviceAccountKey(boolean finish) {
        Rounds rounds = rounds();
        SigningRotation.Seen first = rounds.seen(() -> signing(Optional.empty()));
        assets.ifPresent(copy -> copy.require(first.apiServer().secret()));
        Optional<String> begun = SigningRotation.goal(first);
        Optional<SigningKey> fresh =
                begun.isPresent() ? Optional.empty() : Optional.of(SigningRotation.newKey(first, random));
        String goal = begun.orElseGet(() -> fresh.orElseThrow().id());
        listener.did("rotates to key " + goal);
        Advance advance = new Advance(DAEMON_SET);
        while (true) {
            SigningRotation.Seen seen = rounds.seen(() -> signing(Optional.of(goal)));
            rounds.require(seen.apiServer().object());
            requireSigning(advance, seen, goal);
            switch (SigningRotation.next(seen, goal, fresh, finish)) {
                case SigningRotation.Step.Wait(String why) -> rounds.waits(why);
                case SigningRotation.Step.Stopped(String why) ->
                    rounds.stopped(seen.apiServer().object(), why);
                case SigningRotation.Step.Change(SecretFiles secret, Json.Fields workload, String what) -> {
                    copySigning(seen, secret, workload, goal);
                    String name = workload.at("metadata", "name").text().orElse("");
                    if (change(rounds, secret, workload, name + " " + what)) {
                        advance.reached(seen.with(new Signer(workload, secret)).step(goal));
                    }
                }
                case SigningRotation.Step.Renew(TokenSecrets tokens) -> renew(rounds, tokens);
                case SigningRotation.Step.Delete(List<TokenSecrets.Token> tokens) -> delete(rounds, tokens);
                case SigningRotation.Step.Remains(List<String> reasons) -> {
                    return outcome(seen, goal, false, reasons);
                }
                case SigningRotation.Step.Finished() -> {
                    return outcome(seen, goal, true, List.of());
                }
            }
        }
    }

    private void requireSigning(Advance advance, SigningRotation.Seen seen, String goal) {
        try {
            advance.require(seen.step(goal), "the template " + seen.describe(goal));
        } catch (ProblemException e) {
            SecretFiles secret = seen.apiServer().secret();
            assets.ifPresent(copy -> copy.write(signingFiles(seen, secret), goal));
            throw e;
        }
    }

    private static Map<String, String> signingFiles(SigningRotation.Seen seen, SecretFiles secret) {
        Map<String, String> texts = new LinkedHashMap<>();
        secret.file(seen.signingFile()).ifPresent(text -> texts.put(AssetLayout.SERVICE_ACCOUNT_KEY, text));
        secret.file(seen.verifyingFile()).ifPresent(text -> texts.put(AssetLayout.SERVICE_ACCOUNT_PUBLIC_KEY, text));
        return texts;
    }

    private SigningRotation.Seen signing(Optional<String> goal) {
        Json set = plane.daemonSet();
        Json deployment = plane.deployment();
        SigningRotation.Seen seen = new SigningRotation.Seen(
                new Signer(set, plane.secret(SigningRotation.secretOfApiServer(set))),
                new Signer(deployment, plane.secret(SigningRotation.secretOfManager(deployment))),
                Optional.empty());
        return goal.filter(seen::isSigning)
                .map(key -> new SigningRotation.Seen(seen.apiServer(), seen.manager(), Optional.of(tokens(set, key))))
                .orElse(seen);
    }

    private TokenSecrets tokens(Json daemonSet, String key) {
        Instant signsSince = plane.apiServerPods(daemonSet).stream()
                .flatMap(pod -> pod.at("metadata", "creationTimestamp").text().stream())
                .map(Instant::parse)
                .max(Instant::compareTo)
                .orElseGet(clock::instant);
        return TokenSecrets.of(
                api.list("/api/v1/secrets", "fieldSelector=type%3Dkubernetes.io%2Fservice-account-token"),
                api.list("/api/v1/serviceaccounts", ""),
                api.list("/api/v1/pods", ""),
                key,
                signsSince,
                clock.instant());
    }

    private void renew(Rounds rounds, TokenSecrets tokens) {
        for (Json successor : tokens.successors()) {
            String namespace = successor.at("metadata", "namespace").text().orElse("");
            rounds.seen(() -> api.create("/api/v1/namespaces/" + namespace + "/secrets", successor));
        }
        for (Json account : tokens.reordered()) {
            String path = "/api/v1/namespaces/"
                    + account.at("metadata", "namespace").text().orElse("") + "/serviceaccounts/"
                    + account.at("metadata", "name").text().orElse("");
            rounds.seen(() -> api.replace(path, account));
        }
        rounds.did(
                tokens.successors().isEmpty()
                        ? tokens.reordered().size() + " ServiceAccounts give new pods a token of the new key"
                        : tokens.successors().size() + " tokens get a successor");
    }

    private void delete(Rounds rounds, List<TokenSecrets.Token> tokens) {
        for (TokenSecrets.Token token : tokens) {
            String path = "/api/v1/namespaces/" + token.namespace() + "/secrets/" + token.name();
            rounds.seen(() -> api.delete(path, token.uid()));
        }
        rounds.did("deleted " + tokens.size() + " Secrets with old tokens that no pod has");
    }

    /** From when on servers sign with it, the key has to be outside too. */
    private void copySigning(SigningRotation.Seen seen, SecretFiles secret, Json.Fields workload, String goal) {
        if (assets.isEmpty() || !workload.at("kind").equals(Json.text("DaemonSet"))) {
            return;
        }
        if (!secret.file(seen.signingFile()).equals(seen.apiServer().secret().file(seen.signingFile()))
                || seen.isSigning(goal)) {
            assets.get().write(signingFiles(seen, secret), goal);
        }
    }

    private RotationOutcome outcome(SigningRotation.Seen seen, String goal, boolean finished, List<String> remains) {
        SecretFiles secret = seen.apiServer().secret();
        return new RotationOutcome(
                Rotation.SERVICE_ACCOUNT_KEY.word(),
                goal,
                finished,
                remains,
                0,
                List.of(
                        keep(AssetLayout.SERVICE_ACCOUNT_KEY, secret, seen.signingFile()),
                        keep(AssetLayout.SERVICE_ACCOUNT_PUBLIC_KEY, secret, seen.verifyingFile())));
    }

    private RotationOutcome.KeepOutside keep(String file, SecretFiles secret, String key) {
        return new RotationOutcome.KeepOutside(file, "kube-system/" + secret.name(), key, assets.isPresent());
    }

    /** Whether it was written. */
    private boolean change(Rounds rounds, SecretFiles secret, Json.Fields workload, String what) {
        boolean isWritten =
                rounds.seen(() -> plane.change(secret, workload, clock.instant().toString()));
        if (isWritten) {
            rounds.did(what);
        }
        return isWritten;
    }
}
