package dev.ouroboros.steward.decide;

import dev.ouroboros.change.decide.KubeletManner;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.kubelet.KubeletWish;
import java.time.Duration;
import java.util.Optional;

/**
 * The kubelet that {@code ControlPlane/cluster} wishes on every node: {@code spec.kubelet}.
 *
 * @param wish for each node
 * @param manner how the nodes are changed one after the other
 */
public record KubeletPolicy(KubeletWish wish, KubeletManner manner) {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    /**
     * Empty where people manage kubelets.
     *
     * @throws MalformedJson where the schema let through what cannot be understood
     */
    static Optional<KubeletPolicy> of(Json wish) throws MalformedJson {
        if (!(wish instanceof Json.Fields fields)) {
            return Optional.empty();
        }
        return Optional.of(new KubeletPolicy(
                KubeletWish.of(fields.without("settle").without("drain")),
                new KubeletManner(
                        WishedDuration.of(wish.at("settle")).orElse(MINUTE),
                        !wish.at("drain").equals(Json.bool(false)))));
    }
}
