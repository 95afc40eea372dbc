package dev.ouroboros.change;

import dev.ouroboros.change.decide.TokenSecrets;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.SecretFiles;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureListener;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Does what a rotation decides, in the cluster and in the asset directory. */
final class RotationWork {
    private final ChangeApi api;
    private final ControlPlaneObjects plane;
    private final Optional<AssetCopy> assets;
    private final ProcedureListener listener;
    private final Patience patience;
    private final InstantSource clock;

    RotationWork(
            ChangeApi api,
            Optional<AssetCopy> assets,
            ProcedureListener listener,
            Patience patience,
            InstantSource clock) {
        this.api = api;
        this.plane = new ControlPlaneObjects(api);
        this.assets = assets;
        this.listener = listener;
        this.patience = patience;
        this.clock = clock;
    }

    RotationState perform(RotationAction action, RotationState state) {
        return switch (action) {
            case RotationAction.Change change -> change(change, state);
            case RotationAction.Rewrite(List<String> resources) -> {
                int objects = new Rewriting(api, patience).run(resources);
                listener.did(objects + " objects of " + String.join(", ", resources) + " are stored with key "
                        + state.goal());
                yield state.withRewritten(objects);
            }
            case RotationAction.Renew(TokenSecrets tokens) -> {
                renew(tokens);
                yield state.havingActed();
            }
            case RotationAction.Delete(List<TokenSecrets.Token> tokens) -> {
                delete(tokens);
                yield state.havingActed();
            }
            case RotationAction.Publish(Json configMap) -> {
                // API servers write it, too: then it is looked at again.
                if (!patience.asking(() -> plane.publish(configMap))) {
                    yield state;
                }
                listener.did("aggregated API servers are told of no other authority than API servers trust");
                yield state.havingActed();
            }
            case RotationAction.Forget(List<SecretFiles> former) -> {
                former.forEach(secret -> patience.asking(() -> plane.delete(secret)));
                listener.did("deleted " + former.size() + " Secrets with authorities that nobody trusts");
                yield state.havingActed();
            }
            case RotationAction.Retry(Json daemonSet, String why) -> retry(daemonSet, why, state);
            case RotationAction.FollowBack(Map<String, String> copy) -> {
                copy(copy, state);
                yield state;
            }
        };
    }

    /** The Secret of a change that was interrupted is there with the same content: its name says so. */
    private RotationState change(RotationAction.Change change, RotationState state) {
        copy(change.copy(), state);
        boolean isWritten = patience.asking(() ->
                plane.change(change.secret(), change.workload(), clock.instant().toString()));
        if (!isWritten) {
            return state;
        }
        listener.did(change.what());
        return state.havingActed().reached(change.leadsTo());
    }

    private void copy(Map<String, String> files, RotationState state) {
        if (!files.isEmpty()) {
            assets.ifPresent(directory -> directory.write(files, state.goal()));
        }
    }

    /**
     * What recovering the cluster takes.
     *
     * @param file in an asset directory
     * @param key in the Secret's data
     */
    RotationOutcome.KeepOutside keepOutside(String file, SecretFiles secret, String key) {
        return new RotationOutcome.KeepOutside(file, "kube-system/" + secret.name(), key, assets.isPresent());
    }

    private RotationState retry(Json daemonSet, String why, RotationState state) {
        if (!patience.asking(() -> plane.retry(daemonSet, clock.instant().toString()))) {
            return state;
        }
        listener.did(SecondTry.told(why));
        return state.havingAsked();
    }

    private void renew(TokenSecrets tokens) {
        for (Json successor : tokens.successors()) {
            String namespace = successor.at("metadata", "namespace").text().orElse("");
            patience.asking(() -> api.create("/api/v1/namespaces/" + namespace + "/secrets", successor));
        }
        for (Json account : tokens.reordered()) {
            String path = "/api/v1/namespaces/"
                    + account.at("metadata", "namespace").text().orElse("") + "/serviceaccounts/"
                    + account.at("metadata", "name").text().orElse("");
            patience.asking(() -> api.replace(path, account));
        }
        listener.did(
                tokens.successors().isEmpty()
                        ? tokens.reordered().size() + " ServiceAccounts give new pods a token of the new key"
                        : tokens.successors().size() + " tokens get a successor");
    }

    private void delete(List<TokenSecrets.Token> tokens) {
        for (TokenSecrets.Token token : tokens) {
            String path = "/api/v1/namespaces/" + token.namespace() + "/secrets/" + token.name();
            patience.asking(() -> api.delete(path, token.uid()));
        }
        listener.did("deleted " + tokens.size() + " Secrets with old tokens that no pod has");
    }
}
