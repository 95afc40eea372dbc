package dev.ouroboros.change.decide;

import dev.ouroboros.keeper.template.PublicKeys;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.MountedFile;
import dev.ouroboros.model.manifest.Rotation;
import dev.ouroboros.model.manifest.SecretFiles;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The next step on the way to another key of ServiceAccount tokens, from what the cluster shows; nothing else is remembered. No API
 * server and no controller manager ever signs a token that another API server does not accept:
 *
 * <ol>
 *   <li>every API server accepts what the new key signs; its private half waits in the Secret, where nobody reads it yet;
 *   <li>the API servers sign with it, then the controller manager does;
 *   <li>every token in a Secret gets a successor that is signed with the new key ({@link TokenSecrets}); the old token still works;
 *   <li>when nobody needs an old token any more, or somebody says so, the old public key is removed.
 * </ol>
 *
 * <p>No step begins before the one before it has reached every pod.
 */
public final class SigningRotation {
    private static final String SIGNING = "service-account-signing-key-file";
    private static final String VERIFYING = "service-account-key-file";
    private static final String MANAGER_SIGNING = "service-account-private-key-file";

    /** Holds the new private key until servers sign with it. */
    private static final String WAITING_KEY = "service-account-next.key";

    private SigningRotation() {}

    /** What is to be done now. */
    public sealed interface Step {
        record Wait(String why) implements Step {}

        record Stopped(String why) implements Step {}

        /**
         * A template is to mount this Secret instead.
         *
         * @param workload whose template it is
         * @param what it changes, for people
         */
        record Change(SecretFiles secret, Json.Fields workload, String what) implements Step {}

        /** Tokens are to be signed anew. */
        record Renew(TokenSecrets tokens) implements Step {}

        /** Secrets with old tokens that nobody uses are to be deleted. */
        record Delete(List<TokenSecrets.Token> tokens) implements Step {}

        /** Both keys are accepted, and somebody may still need the old one. */
        record Remains(List<String> reasons) implements Step {}

        record Finished() implements Step {}
    }

    /**
     * The files of a component, and where they are.
     *
     * @param object the DaemonSet or Deployment
     * @param secret that its template mounts
     */
    public record Signer(Json object, SecretFiles secret) {
        private String text(MountedFile file) {
            return secret.file(file.key())
                    .orElseThrow(() -> ProblemException.of(
                            ErrorCode.NOT_FOUND,
                            "Secret " + secret.name(),
                            "has no " + file.key(),
                            "",
                            "put the file back into the Secret, as the asset directory has it in tls/"));
        }
    }

    /** The Secret that an API server's template takes all of its keys from. */
    public static String secretOfApiServer(Json daemonSet) {
        Set<String> secrets = new HashSet<>();
        List<MountedFile> verifying = MountedFile.all(daemonSet, Component.API_SERVER, VERIFYING);
        MountedFile signing = MountedFile.one(daemonSet, Component.API_SERVER, SIGNING);
        secrets.add(signing.secret());
        verifying.forEach(file -> secrets.add(file.secret()));
        if (secrets.size() > 1
                || verifying.isEmpty()
                || verifying.stream().anyMatch(file -> file.key().equals(signing.key()))) {
            throw MountedFile.refused(
                    daemonSet,
                    VERIFYING,
                    "and --" + SIGNING + " do not name two files of one Secret",
                    "two such files");
        }
        return signing.secret();
    }

    /** The Secret that the controller manager's template takes its key from. */
    public static String secretOfManager(Json deployment) {
        return MountedFile.one(deployment, Component.CONTROLLER_MANAGER, MANAGER_SIGNING)
                .secret();
    }

    /**
     * What the cluster shows.
     *
     * @param tokens empty, and not needed, until API server and controller manager sign with the goal's key
     * @param waitedFor what {@link EarlierServers} says
     */
    public record Seen(Signer apiServer, Signer manager, Optional<TokenSecrets> tokens, Optional<String> waitedFor) {

        private List<MountedFile> verifying() {
            return MountedFile.all(apiServer.object(), Component.API_SERVER, VERIFYING);
        }

        private MountedFile signing() {
            return MountedFile.one(apiServer.object(), Component.API_SERVER, SIGNING);
        }

        private MountedFile managerSigning() {
            return MountedFile.one(manager.object(), Component.CONTROLLER_MANAGER, MANAGER_SIGNING);
        }

        /** Public keys that are accepted, in their order. */
        List<PublicKey> accepted() {
            List<PublicKey> all = new ArrayList<>();
            for (MountedFile file : verifying()) {
                all.addAll(PublicKeys.readable(apiServer.text(file))
                        .orElseThrow(() -> unreadable(apiServer.secret(), file)));
            }
            return all;
        }

        String apiServerSignsWith() {
            return signsWith(apiServer, signing());
        }

        String managerSignsWith() {
            return signsWith(manager, managerSigning());
        }

        private static String signsWith(Signer signer, MountedFile file) {
            return PublicKeys.publicKeys(signer.text(file)).stream()
                    .flatMap(Set::stream)
                    .findFirst()
                    .orElseThrow(() -> unreadable(signer.secret(), file));
        }

        private Optional<PublicKey> acceptedAs(String id) {
            return accepted().stream()
                    .filter(key -> SigningKey.id(key).equals(id))
                    .findFirst();
        }

        private boolean acceptsNothingBut(String id) {
            return accepted().stream().allMatch(key -> SigningKey.id(key).equals(id));
        }

        private Optional<String> unsettled() {
            Map<String, Rollout> rollouts = new HashMap<>();
            rollouts.put(
                    Component.API_SERVER.id(),
                    Rollout.ofDaemonSet(apiServer.object()).unless(waitedFor));
            rollouts.put(Component.CONTROLLER_MANAGER.id(), Rollout.ofDeployment(manager.object()));
            return rollouts.entrySet().stream()
                    .sorted(Map.Entry.comparingByKey())
                    .flatMap(entry -> entry.getValue() instanceof Rollout.Moving(String why)
                            ? Optional.of(entry.getKey() + ": " + why).stream()
                            : Optional.<String>empty().stream())
                    .findFirst();
        }

        private Optional<String> stopped() {
            return List.of(Rollout.ofDaemonSet(apiServer.object()), Rollout.ofDeployment(manager.object())).stream()
                    .flatMap(rollout -> rollout instanceof Rollout.Stopped(String why)
                            ? Optional.of(why).stream()
                            : Optional.<String>empty().stream())
                    .findFirst();
        }

        /** Key in the API server's Secret that holds the signing key. */
        public String signingFile() {
            return signing().key();
        }

        /** Key in the API server's Secret that holds the first file of accepted keys. */
        public String verifyingFile() {
            return verifying().getFirst().key();
        }

        /** How far the templates are on the way to the goal's key: more is further. */
        public int step(String goal) {
            return steps(goal).indexOf(false);
        }

        /** Which steps are done, in their order; the last one never is. */
        private List<Boolean> steps(String goal) {
            Optional<String> name = acceptedAs(goal).map(PublicKeys::nameOf);
            boolean isAccepted = name.isPresent();
            boolean isServerSigning = isAccepted && name.get().equals(apiServerSignsWith());
            boolean isManagerSigning = isServerSigning && name.get().equals(managerSignsWith());
            return List.of(
                    isAccepted, isServerSigning, isManagerSigning, isManagerSigning && acceptsNothingBut(goal), false);
        }

        /** What the API servers' template does with the key, as in {@code accepts tokens of key K}. */
        public String describe(String goal) {
            return switch (step(goal)) {
                case 0 -> "does not know key " + goal;
                case 1 -> "accepts tokens of key " + goal + " and signs with the one before";
                default -> "signs tokens with key " + goal;
            };
        }

        /** The same with one of the two signers replaced. */
        public Seen with(Signer changed) {
            return changed.object().at("kind").equals(Json.text("DaemonSet"))
                    ? new Seen(changed, manager, tokens, waitedFor)
                    : new Seen(apiServer, changed, tokens, waitedFor);
        }

        /** Whether API server and controller manager sign with this key everywhere. */
        public boolean isSigning(String id) {
            return stopped().isEmpty()
                    && unsettled().isEmpty()
                    && acceptedAs(id)
                            .map(PublicKeys::nameOf)
                            .filter(name -> name.equals(apiServerSignsWith()) && name.equals(managerSignsWith()))
                            .isPresent();
        }
    }

    private static ProblemException unreadable(SecretFiles secret, MountedFile file) {
        return ProblemException.of(
                ErrorCode.INVALID_KEY_MATERIAL,
                "Secret " + secret.name() + " " + file.key(),
                "holds a key that is not understood",
                "keys in PEM (PKCS #8, PKCS #1)",
                "put the right key there, as the asset directory has it in tls/");
    }

    /**
     * The key of a rotation that is not finished; empty when a new one is to be begun.
     */
    public static Optional<String> goal(Seen seen) {
        return seen.apiServer()
                .secret()
                .goal(Rotation.SERVICE_ACCOUNT_KEY)
                .filter(id -> seen.acceptedAs(id).isPresent())
                .filter(id -> !seen.acceptsNothingBut(id)
                        || seen.unsettled().isPresent()
                        || seen.stopped().isPresent());
    }

    /** A new key of the same kind as the one that signs now. */
    public static SigningKey newKey(Seen seen, SecureRandom random) {
        String now = seen.apiServerSignsWith();
        PublicKey example = seen.accepted().stream()
                .filter(key -> PublicKeys.nameOf(key).equals(now))
                .findFirst()
                .orElseThrow(() -> MountedFile.refused(
                        seen.apiServer().object(),
                        VERIFYING,
                        "does not accept what the server signs",
                        "its public key"));
        return SigningKey.like(example, random);
    }

    /**
     * The next step.
     *
     * @param goal id of the key that this leads to
     * @param fresh the pair of that id, when it was made just now
     * @param finish whether the old key goes although somebody may need it
     */
    public static Step next(Seen seen, String goal, Optional<SigningKey> fresh, boolean finish) {
        if (seen.stopped().isPresent()) {
            return new Step.Stopped(seen.stopped().get());
        }
        if (seen.unsettled().isPresent()) {
            return new Step.Wait(seen.unsettled().get());
        }
        Optional<PublicKey> accepted = seen.acceptedAs(goal);
        if (accepted.isEmpty()) {
            return fresh.filter(key -> key.id().equals(goal))
                    .map(key -> accept(seen, key))
                    .orElseGet(() -> new Step.Stopped("the template was given back to one without the new key"));
        }
        String name = PublicKeys.nameOf(accepted.get());
        if (!seen.apiServerSignsWith().equals(name)) {
            return signWithApiServer(seen, goal, name);
        }
        if (!seen.managerSignsWith().equals(name)) {
            return signWithManager(seen, goal);
        }
        if (seen.acceptsNothingBut(goal)) {
            return new Step.Finished();
        }
        return withTokens(seen, goal, finish, accepted.get());
    }

    private static Step withTokens(Seen seen, String goal, boolean finish, PublicKey key) {
        TokenSecrets tokens = seen.tokens()
                .orElseThrow(() -> new IllegalArgumentException("tokens are needed when both sign with the new key"));
        if (!tokens.wrong().isEmpty()) {
            return new Step.Delete(tokens.wrong());
        }
        if (!tokens.pending().isEmpty()) {
            return new Step.Wait(
                    "the controller manager to sign " + tokens.pending().getFirst());
        }
        if (!tokens.successors().isEmpty() || !tokens.reordered().isEmpty()) {
            return new Step.Renew(tokens);
        }
        if (!tokens.remains().isEmpty() && !finish) {
            return new Step.Remains(tokens.remains());
        }
        // Not before: until each account has its successor, pods that begin get old tokens, and some pod always ends.
        if (!tokens.ending().isEmpty() && !finish) {
            return new Step.Wait(tokens.ending().getFirst());
        }
        return tokens.unused().isEmpty() ? onlyAccept(seen, goal, key) : new Step.Delete(tokens.unused());
    }

    private static Step accept(Seen seen, SigningKey key) {
        MountedFile file = seen.verifying().getFirst();
        String before = seen.apiServer().text(file);
        SecretFiles secret = seen.apiServer()
                .secret()
                .with(
                        Rotation.SERVICE_ACCOUNT_KEY,
                        key.id(),
                        Map.of(
                                file.key(),
                                // The new key comes first, so that a reader of one key only, such as render, gets the
                                // new one.
                                key.publicKey() + before,
                                WAITING_KEY,
                                key.privateKey()));
        return change(seen.apiServer(), secret, "also accepts tokens of key " + key.id());
    }

    private static Step signWithApiServer(Seen seen, String goal, String name) {
        Optional<String> waiting = seen.apiServer()
                .secret()
                .file(WAITING_KEY)
                .filter(pem -> PublicKeys.publicKeys(pem)
                        .filter(names -> names.contains(name))
                        .isPresent());
        if (waiting.isEmpty()) {
            return new Step.Stopped("Secret " + seen.apiServer().secret().name() + " has no " + WAITING_KEY + " of key "
                    + goal + " any more");
        }
        SecretFiles secret = seen.apiServer()
                .secret()
                .with(
                        Rotation.SERVICE_ACCOUNT_KEY,
                        goal,
                        Map.of(seen.signing().key(), waiting.get()),
                        Set.of(WAITING_KEY));
        return change(seen.apiServer(), secret, "signs tokens with key " + goal);
    }

    private static Step signWithManager(Seen seen, String goal) {
        SecretFiles secret = seen.manager()
                .secret()
                .with(
                        Rotation.SERVICE_ACCOUNT_KEY,
                        goal,
                        Map.of(seen.managerSigning().key(), seen.apiServer().text(seen.signing())));
        return change(seen.manager(), secret, "signs tokens with key " + goal);
    }

    private static Step onlyAccept(Seen seen, String goal, PublicKey key) {
        Map<String, String> files = new HashMap<>();
        seen.verifying().forEach(file -> files.put(file.key(), SigningKey.pem(key)));
        return change(
                seen.apiServer(),
                seen.apiServer().secret().with(Rotation.SERVICE_ACCOUNT_KEY, goal, files),
                "accepts tokens of no other key than " + goal);
    }

    private static Step change(Signer signer, SecretFiles secret, String what) {
        return new Step.Change(
                secret, MountedFile.withSecret(signer.object(), signer.secret().name(), secret.name()), what);
    }
}
