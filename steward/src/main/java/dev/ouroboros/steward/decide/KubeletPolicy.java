package dev.ouroboros.steward.decide;

import dev.ouroboros.change.decide.KubeletManner;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.kubelet.KubeletWish;
import java.time.Duration;
import java.util.Optional;

/**
 * What {@code ControlPlane/cluster} wishes of every kubelet: {@code spec.kubelet}.
 *
 * @param wish for each node
 * @param manner how one node follows the other
 */
public record KubeletPolicy(KubeletWish wish, KubeletManner manner) {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    /**
     * Empty where nobody wishes anything of kubelets: then they are people's business.
     *
     * @throws MalformedJson what the schema let through cannot be understood
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
