package dev.ouroboros.change.decide;

import dev.ouroboros.keeper.template.EncryptionKeys;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.MountedFile;
import dev.ouroboros.model.manifest.Rotation;
import dev.ouroboros.model.manifest.SecretFiles;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The next step on the way to another encryption key, from what the cluster shows; nothing else is remembered. Two API servers that
 * run on one etcd, which they do during each step, never write what the other cannot read:
 *
 * <ol>
 *   <li>the key is {@link EncryptionFile.Place#ABSENT}: it is added behind the one that writes;
 *   <li>every server has it as a {@link EncryptionFile.Place#READER}: it is put in front;
 *   <li>every server has it as the {@link EncryptionFile.Place#WRITER}: every object is written anew, which is proven object by object;
 *   <li>then all other keys are removed, and it is {@link EncryptionFile.Place#ALONE}.
 * </ol>
 *
 * <p>No step begins before every API server that runs, or could be started from a checkpoint, is of the template of the step before
 * ({@link EarlierServers}).
 */
public final class EncryptionRotation {
    public static final String FLAG = "encryption-provider-config";

    private EncryptionRotation() {}

    /**
     * What the cluster shows.
     *
     * @param daemonSet of the API server
     * @param secret that its template mounts
     * @param key of the EncryptionConfiguration in the Secret's data
     * @param rewritten whether every object is known to be written with the goal's key
     * @param waitedFor what {@link EarlierServers} says
     */
    public record Seen(Json daemonSet, SecretFiles secret, String key, boolean rewritten, Optional<String> waitedFor) {
        public EncryptionFile file() {
            return EncryptionFile.parse(secret.file(key).orElse(""), "Secret " + secret.name() + " " + key);
        }

        /** How far the template is on the way to the goal's key: more is further. */
        public int step(String goal) {
            return switch (file().placeOf(goal)) {
                case ABSENT -> 0;
                case READER -> 1;
                case WRITER -> 2;
                case ALONE -> 3;
            };
        }

        Rollout rollout() {
            return Rollout.ofDaemonSet(daemonSet).unless(waitedFor);
        }
    }

    /** What is to be done now. */
    public sealed interface Step {
        record Wait(String why) implements Step {}

        record Stopped(String why) implements Step {}

        /**
         * The template is to mount this Secret instead.
         *
         * @param what it changes, for people
         */
        record Change(SecretFiles secret, Json.Fields daemonSet, String what) implements Step {}

        /** Every object of these resources is to be written anew. */
        record Rewrite(List<String> resources) implements Step {}

        record Finished() implements Step {}
    }

    /** The Secret's file that the DaemonSet's template gives to the flag. */
    public static MountedFile mounted(Json daemonSet) {
        return MountedFile.one(daemonSet, Component.API_SERVER, FLAG);
    }

    /**
     * The key that this run leads to: the one of a rotation that is not finished, or else a new one. A rotation whose last rollout
     * still runs is not finished, so that a command that was killed at its very end does not begin another.
     */
    public static String goal(Seen seen) {
        EncryptionFile file = seen.file();
        Optional<String> begun = seen.secret()
                .goal(Rotation.ENCRYPTION_KEY)
                .filter(goal -> file.placeOf(goal) != EncryptionFile.Place.ABSENT)
                .filter(goal -> file.placeOf(goal) != EncryptionFile.Place.ALONE
                        || !(seen.rollout() instanceof Rollout.Settled));
        return begun.orElseGet(file::freeName);
    }

    /**
     * The next step.
     *
     * @param goal name of the key
     * @param prepared Secrets that an earlier run made and no template mounts: one of them is taken instead of a new key
     * @param secrets random keys in base64
     */
    public static Step next(Seen seen, String goal, List<SecretFiles> prepared, Supplier<String> secrets) {
        return switch (seen.rollout()) {
            case Rollout.Moving(String why) -> new Step.Wait(why);
            case Rollout.Stopped(String why) -> new Step.Stopped(why);
            case Rollout.Settled() -> {
                EncryptionFile file = seen.file();
                yield switch (file.placeOf(goal)) {
                    case ABSENT -> added(seen, file, goal, prepared, secrets);
                    case READER -> change(seen, seen.secret(), file.withWriter(goal), goal, "writes with key " + goal);
                    case WRITER ->
                        seen.rewritten()
                                ? change(
                                        seen,
                                        seen.secret(),
                                        file.withOnly(goal),
                                        goal,
                                        "reads with no other key than " + goal)
                                : new Step.Rewrite(List.copyOf(file.resources()));
                    case ALONE -> new Step.Finished();
                };
            }
        };
    }

    private static Step added(
            Seen seen, EncryptionFile file, String goal, List<SecretFiles> prepared, Supplier<String> secrets) {
        String what = "also reads with key " + goal;
        return prepared.stream()
                .filter(secret -> secret.goal(Rotation.ENCRYPTION_KEY).equals(Optional.of(goal)))
                .filter(secret -> secret.file(seen.key())
                        .flatMap(text -> EncryptionKeys.parse(text).map(_ -> EncryptionFile.parse(text, secret.name())))
                        .filter(made -> made.isAdditionTo(file, goal))
                        .isPresent())
                .filter(secret -> seen.secret()
                        .with(
                                Rotation.ENCRYPTION_KEY,
                                goal,
                                Map.of(seen.key(), secret.file(seen.key()).orElse("")))
                        .name()
                        .equals(secret.name()))
                .findFirst()
                .<Step>map(secret -> new Step.Change(
                        secret,
                        MountedFile.withSecret(seen.daemonSet(), seen.secret().name(), secret.name()),
                        what))
                .orElseGet(() -> change(seen, seen.secret(), file.withReader(goal, secrets), goal, what));
    }

    private static Step change(Seen seen, SecretFiles from, EncryptionFile file, String goal, String what) {
        SecretFiles secret = from.with(Rotation.ENCRYPTION_KEY, goal, Map.of(seen.key(), file.text()));
        return new Step.Change(secret, MountedFile.withSecret(seen.daemonSet(), from.name(), secret.name()), what);
    }
}
