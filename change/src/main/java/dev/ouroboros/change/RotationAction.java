package dev.ouroboros.change;

import dev.ouroboros.change.decide.TokenSecrets;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.SecretFiles;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a rotation of a key does. */
sealed interface RotationAction {
    /**
     * Gives a template another Secret.
     *
     * @param copy what the asset directory is to have before, by file, in the order in which it is written; empty when it stays as it is
     * @param what it changes, for people
     * @param leadsTo how far the rotation is then
     */
    record Change(SecretFiles secret, Json.Fields workload, Map<String, String> copy, String what, int leadsTo)
            implements RotationAction {
        public Change {
            copy = Collections.unmodifiableMap(new LinkedHashMap<>(copy));
        }
    }

    /** Has every object of these resources written anew. */
    record Rewrite(List<String> resources) implements RotationAction {
        public Rewrite {
            resources = List.copyOf(resources);
        }
    }

    /** Has tokens signed anew. */
    record Renew(TokenSecrets tokens) implements RotationAction {}

    /** Deletes Secrets with old tokens that nobody uses. */
    record Delete(List<TokenSecrets.Token> tokens) implements RotationAction {
        public Delete {
            tokens = List.copyOf(tokens);
        }
    }

    /** Tells aggregated API servers whom to believe: a ConfigMap of kube-system. */
    record Publish(Json configMap) implements RotationAction {}

    /** Deletes Secrets of kube-system with authorities that nobody trusts any more. */
    record Forget(List<SecretFiles> former) implements RotationAction {
        public Forget {
            former = List.copyOf(former);
        }
    }

    /** Asks the keeper to try a change again that had failed before this run. */
    record Retry(Json daemonSet, String why) implements RotationAction {}

    /**
     * Gives the asset directory what the cluster has, of which somebody took a step back.
     *
     * @param copy by file, in the order in which it is written
     */
    record FollowBack(Map<String, String> copy) implements RotationAction {
        public FollowBack {
            copy = Collections.unmodifiableMap(new LinkedHashMap<>(copy));
        }
    }
}
