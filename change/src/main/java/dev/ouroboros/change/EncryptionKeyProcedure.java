package dev.ouroboros.change;

import dev.ouroboros.change.decide.EncryptionRotation;
import dev.ouroboros.change.decide.EncryptionRotation.Seen;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.MountedFile;
import dev.ouroboros.model.manifest.SecretFiles;
import dev.ouroboros.model.procedure.NextStep;
import dev.ouroboros.model.procedure.Procedure;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Exchanges the key that encrypts objects in etcd. What is next on the way is {@link EncryptionRotation}'s. */
final class EncryptionKeyProcedure implements Procedure<RotationState, Seen, RotationAction> {
    private final ControlPlaneObjects plane;
    private final RotationWork work;
    private final List<SecretFiles> prepared;
    private final String freshKey;

    /**
     * Nothing is asked yet.
     *
     * @param prepared Secrets that an earlier run made and no template mounts
     * @param freshKey the random key, in base64, that is added when no earlier run has prepared one
     */
    EncryptionKeyProcedure(ControlPlaneObjects plane, RotationWork work, List<SecretFiles> prepared, String freshKey) {
        this.plane = plane;
        this.work = work;
        this.prepared = List.copyOf(prepared);
        this.freshKey = freshKey;
    }

    static Seen look(ControlPlaneObjects plane, boolean rewritten) {
        Json set = plane.daemonSet();
        MountedFile file = EncryptionRotation.mounted(set);
        return new Seen(set, plane.secret(file.secret()), file.key(), rewritten, plane.earlierServers(set));
    }

    @Override
    public Seen look(RotationState state) {
        return look(plane, state.rewritten().isPresent());
    }

    @Override
    public NextStep<RotationState, RotationAction> decide(Seen seen, RotationState before, Instant now) {
        String goal = before.goal();
        int step = seen.step(goal);
        String left = "the template's servers have " + seen.file().describe();
        RotationState state = before.reached(step);
        return before.interruption(seen.daemonSet(), step, left, files(seen.secret(), seen.key()))
                .orElseGet(() -> switch (EncryptionRotation.next(seen, goal, prepared, () -> freshKey)) {
                    case EncryptionRotation.Step.Wait(String why) -> NextStep.await(state, why);
                    case EncryptionRotation.Step.Stopped(String why) -> state.stopped(seen.daemonSet(), why);
                    case EncryptionRotation.Step.Rewrite(List<String> resources) ->
                        NextStep.act(state, new RotationAction.Rewrite(resources));
                    case EncryptionRotation.Step.Change(SecretFiles secret, Json.Fields set, String what) ->
                        NextStep.act(
                                state,
                                new RotationAction.Change(
                                        secret,
                                        set,
                                        files(secret, seen.key()),
                                        "kube-apiserver " + what,
                                        new Seen(set, secret, seen.key(), false, seen.waitedFor()).step(goal)));
                    case EncryptionRotation.Step.Finished() ->
                        NextStep.end(state.ended(
                                List.of(),
                                List.of(work.keepOutside(AssetLayout.ENCRYPTION_CONFIG, seen.secret(), seen.key()))));
                });
    }

    private static Map<String, String> files(SecretFiles secret, String key) {
        return secret.file(key)
                .map(text -> Map.of(AssetLayout.ENCRYPTION_CONFIG, text))
                .orElse(Map.of());
    }

    @Override
    public RotationState perform(RotationAction action, RotationState state) {
        return work.perform(action, state);
    }
}
