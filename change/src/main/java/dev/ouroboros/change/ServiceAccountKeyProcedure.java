package dev.ouroboros.change;

import dev.ouroboros.change.decide.SigningKey;
import dev.ouroboros.change.decide.SigningRotation;
import dev.ouroboros.change.decide.SigningRotation.Seen;
import dev.ouroboros.change.decide.SigningRotation.Signer;
import dev.ouroboros.change.decide.TokenSecrets;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.SecretFiles;
import dev.ouroboros.model.procedure.NextStep;
import dev.ouroboros.model.procedure.Procedure;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Exchanges the key that signs ServiceAccount tokens. What is next on the way is {@link SigningRotation}'s. */
final class ServiceAccountKeyProcedure implements Procedure<RotationState, Seen, RotationAction> {
    private final ChangeApi api;
    private final ControlPlaneObjects plane;
    private final RotationWork work;
    private final Optional<SigningKey> fresh;
    private final boolean finish;
    private final InstantSource clock;

    /**
     * Nothing is asked yet.
     *
     * @param fresh the pair that this run begins with; empty when an earlier run began
     * @param finish whether the old key goes although somebody may need it
     */
    ServiceAccountKeyProcedure(
            ChangeApi api, RotationWork work, Optional<SigningKey> fresh, boolean finish, InstantSource clock) {
        this.api = api;
        this.plane = new ControlPlaneObjects(api);
        this.work = work;
        this.fresh = fresh;
        this.finish = finish;
        this.clock = clock;
    }

    /** Without tokens. */
    static Seen look(ControlPlaneObjects plane) {
        Json set = plane.daemonSet();
        Json deployment = plane.deployment();
        return new Seen(
                new Signer(set, plane.secret(SigningRotation.secretOfApiServer(set))),
                new Signer(deployment, plane.secret(SigningRotation.secretOfManager(deployment))),
                Optional.empty(),
                plane.earlierServers(set));
    }

    @Override
    public Seen look(RotationState state) {
        Seen seen = look(plane);
        return seen.isSigning(state.goal())
                ? new Seen(
                        seen.apiServer(),
                        seen.manager(),
                        Optional.of(tokens(seen.apiServer().object(), state.goal())),
                        seen.waitedFor())
                : seen;
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

    @Override
    public NextStep<RotationState, RotationAction> decide(Seen seen, RotationState before, Instant now) {
        String goal = before.goal();
        int step = seen.step(goal);
        Json daemonSet = seen.apiServer().object();
        RotationState state = before.reached(step);
        return before.interruption(
                        daemonSet,
                        step,
                        "the template " + seen.describe(goal),
                        backwards(files(seen, seen.apiServer().secret())))
                .orElseGet(() -> switch (SigningRotation.next(seen, goal, fresh, finish)) {
                    case SigningRotation.Step.Wait(String why) -> NextStep.await(state, why);
                    case SigningRotation.Step.Stopped(String why) -> state.stopped(daemonSet, why);
                    case SigningRotation.Step.Change(SecretFiles secret, Json.Fields workload, String what) ->
                        NextStep.act(state, change(seen, goal, secret, workload, what));
                    case SigningRotation.Step.Renew(TokenSecrets tokens) ->
                        NextStep.act(state, new RotationAction.Renew(tokens));
                    case SigningRotation.Step.Delete(List<TokenSecrets.Token> tokens) ->
                        NextStep.act(state, new RotationAction.Delete(tokens));
                    case SigningRotation.Step.Remains(List<String> reasons) ->
                        NextStep.end(state.ended(reasons, keepOutside(seen)));
                    case SigningRotation.Step.Finished() -> NextStep.end(state.ended(List.of(), keepOutside(seen)));
                });
    }

    private static RotationAction.Change change(
            Seen seen, String goal, SecretFiles secret, Json.Fields workload, String what) {
        return new RotationAction.Change(
                secret,
                workload,
                isWantedOutside(seen, goal, secret, workload) ? files(seen, secret) : Map.of(),
                workload.at("metadata", "name").text().orElse("") + " " + what,
                seen.with(new Signer(workload, secret)).step(goal));
    }

    /** From when on servers sign with it, the key has to be outside too. */
    private static boolean isWantedOutside(Seen seen, String goal, SecretFiles secret, Json.Fields workload) {
        return workload.at("kind").equals(Json.text("DaemonSet"))
                && (!secret.file(seen.signingFile())
                                .equals(seen.apiServer().secret().file(seen.signingFile()))
                        || seen.isSigning(goal));
    }

    /** What is accepted comes first: a start from a directory that was half written must not sign what it does not accept. */
    private static Map<String, String> files(Seen seen, SecretFiles secret) {
        Map<String, String> texts = new LinkedHashMap<>();
        secret.file(seen.verifyingFile()).ifPresent(text -> texts.put(AssetLayout.SERVICE_ACCOUNT_PUBLIC_KEY, text));
        secret.file(seen.signingFile()).ifPresent(text -> texts.put(AssetLayout.SERVICE_ACCOUNT_KEY, text));
        return texts;
    }

    /** On the way back the new key stops to sign before it stops to be accepted. */
    private static Map<String, String> backwards(Map<String, String> files) {
        Map<String, String> texts = new LinkedHashMap<>();
        List.copyOf(files.entrySet()).reversed().forEach(file -> texts.put(file.getKey(), file.getValue()));
        return texts;
    }

    private List<RotationOutcome.KeepOutside> keepOutside(Seen seen) {
        SecretFiles secret = seen.apiServer().secret();
        return List.of(
                work.keepOutside(AssetLayout.SERVICE_ACCOUNT_KEY, secret, seen.signingFile()),
                work.keepOutside(AssetLayout.SERVICE_ACCOUNT_PUBLIC_KEY, secret, seen.verifyingFile()));
    }

    @Override
    public RotationState perform(RotationAction action, RotationState state) {
        return work.perform(action, state);
    }
}
