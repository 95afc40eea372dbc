package dev.ouroboros.change;

import dev.ouroboros.change.decide.FrontProxyFiles;
import dev.ouroboros.change.decide.FrontProxyRotation;
import dev.ouroboros.change.decide.FrontProxyRotation.Aim;
import dev.ouroboros.change.decide.FrontProxyRotation.Seen;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.SecretFiles;
import dev.ouroboros.model.procedure.NextStep;
import dev.ouroboros.model.procedure.Procedure;
import dev.ouroboros.render.pki.LeafRenewal;
import dev.ouroboros.render.pki.Pem;
import dev.ouroboros.render.pki.RenewalPolicy;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Exchanges the authority of the front proxy. What is next on the way is {@link FrontProxyRotation}'s. */
final class FrontProxyAuthorityProcedure implements Procedure<RotationState, Seen, RotationAction> {
    private final ControlPlaneObjects plane;
    private final RotationWork work;
    private final LeafRenewal renewal;
    private final List<SecretFiles> prepared;
    private final Aim aim;

    /**
     * Nothing is asked yet.
     *
     * @param prepared Secrets that an earlier run made and no template mounts
     */
    FrontProxyAuthorityProcedure(
            ControlPlaneObjects plane, RotationWork work, LeafRenewal renewal, List<SecretFiles> prepared, Aim aim) {
        this.plane = plane;
        this.work = work;
        this.renewal = renewal;
        this.prepared = List.copyOf(prepared);
        this.aim = aim;
    }

    static Seen look(ControlPlaneObjects plane) {
        Json set = plane.daemonSet();
        return new Seen(
                set,
                FrontProxyFiles.of(set, plane::secret),
                plane.aggregationTrust(),
                plane.authorities(FrontProxyRotation.AUTHORITY),
                plane.unavailableServices(),
                plane.earlierServers(set));
    }

    @Override
    public Seen look(RotationState state) {
        return look(plane);
    }

    @Override
    public NextStep<RotationState, RotationAction> decide(Seen seen, RotationState before, Instant now) {
        String goal = before.goal();
        int step = seen.step(goal, aim);
        Json set = seen.daemonSet();
        RotationState state = before.reached(step);
        return before.interruption(set, step, seen.describe(goal), outside(seen, goal))
                .orElseGet(() -> switch (FrontProxyRotation.next(
                        seen,
                        goal,
                        aim,
                        preparedOf(seen, goal, now),
                        authority -> renewal.issuedBy(authority, seen.files().shown()))) {
                    case FrontProxyRotation.Step.Wait(String why) -> NextStep.await(state, why);
                    case FrontProxyRotation.Step.Stopped(String why) -> state.stopped(set, why);
                    case FrontProxyRotation.Step.Change(SecretFiles secret, Json.Fields changed, String what) -> {
                        Seen then = seen.with(secret, changed);
                        yield NextStep.act(
                                state,
                                new RotationAction.Change(
                                        secret,
                                        changed,
                                        outside(then, goal),
                                        "kube-apiserver " + what,
                                        then.step(goal, aim)));
                    }
                    case FrontProxyRotation.Step.Publish(Json.Fields configMap) ->
                        NextStep.act(state, new RotationAction.Publish(configMap));
                    case FrontProxyRotation.Step.Forget(List<SecretFiles> former) ->
                        NextStep.act(state, new RotationAction.Forget(former));
                    case FrontProxyRotation.Step.Remains(List<String> reasons) ->
                        NextStep.end(state.ended(reasons, List.of()));
                    case FrontProxyRotation.Step.Finished() ->
                        NextStep.end(state.ended(List.of(), keepOutside(seen, goal)));
                });
    }

    private Optional<SecretFiles> preparedOf(Seen seen, String goal, Instant now) {
        Predicate<X509Certificate> isCurrent =
                leaf -> RenewalPolicy.STANDARD.dueAt(leaf).isAfter(now);
        return prepared.stream()
                .filter(made -> seen.files().isShownIn(made, goal, isCurrent))
                .findFirst();
    }

    /**
     * What the asset directory is to have when the template is of this step. It issues with the former authority until that goes, and trusts what the API servers trust: what is rendered from it meanwhile is what
     * the cluster understands, and taking a step back leaves nothing in it that has to be taken back.
     */
    static Map<String, String> outside(Seen seen, String goal) {
        FrontProxyFiles files = seen.files();
        Map<String, String> texts = new LinkedHashMap<>();
        switch (files.placeOf(goal)) {
            case TRUSTED, SHOWN -> {}
            case ABSENT, ALONE -> {
                seen.authority(goal)
                        .filter(one -> files.issuer().equals(one.certificate()))
                        .ifPresent(one -> texts.put(AssetLayout.FRONT_PROXY_CA_KEY, Pem.of(one.privateKey())));
                texts.put(AssetLayout.FRONT_PROXY_CLIENT_KEY, files.keyText());
                texts.put(AssetLayout.FRONT_PROXY_CLIENT_CERTIFICATE, files.certificateText());
            }
        }
        texts.put(AssetLayout.FRONT_PROXY_CA_CERTIFICATE, files.trustText());
        return texts;
    }

    /** Of an authority that was there before its key is where it was. */
    private List<RotationOutcome.KeepOutside> keepOutside(Seen seen, String goal) {
        FrontProxyFiles files = seen.files();
        String keyFile = AssetLayout.baseName(AssetLayout.FRONT_PROXY_CA_KEY);
        Optional<String> key = seen.authority(goal).map(one -> Pem.of(one.privateKey()));
        return Stream.concat(
                        seen.authorities().stream()
                                .filter(secret ->
                                        key.isPresent() && secret.file(keyFile).equals(key))
                                .map(secret -> work.keepOutside(AssetLayout.FRONT_PROXY_CA_KEY, secret, keyFile)),
                        Stream.of(
                                work.keepOutside(AssetLayout.FRONT_PROXY_CA_CERTIFICATE, files.secret(), files.trust()),
                                work.keepOutside(AssetLayout.FRONT_PROXY_CLIENT_KEY, files.secret(), files.key()),
                                work.keepOutside(
                                        AssetLayout.FRONT_PROXY_CLIENT_CERTIFICATE,
                                        files.secret(),
                                        files.certificate())))
                .toList();
    }

    @Override
    public RotationState perform(RotationAction action, RotationState state) {
        return work.perform(action, state);
    }
}
