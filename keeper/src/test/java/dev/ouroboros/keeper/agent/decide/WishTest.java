package dev.ouroboros.keeper.agent.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class WishTest {
    private static final String DAEMON_SET = """
            {"spec": {"template": {"spec": {"affinity": {"nodeAffinity": {
              "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
                {"matchExpressions": [{"key": "node-role.kubernetes.io/master", "operator": "DoesNotExist"}]}]}}}}}}}
            """;

    @Test
    void agentsBelongOnNodesWithoutTheLabel() throws Exception {
        Optional<Json> daemonSet = Optional.of(JsonText.read(DAEMON_SET));

        assertThat(Wish.of(daemonSet, node("\"zone\": \"a\""))).isEqualTo(Wish.HERE);
        assertThat(Wish.of(daemonSet, node("\"node-role.kubernetes.io/master\": \"\"")))
                .isEqualTo(Wish.ELSEWHERE);
        assertThat(Wish.of(Optional.empty(), node(""))).isEqualTo(Wish.NOWHERE);
    }

    /** Somebody's own DaemonSet that asks for nothing is wanted everywhere. */
    @Test
    void withoutAffinityTheyBelongEverywhere() throws Exception {
        assertThat(Wish.of(Optional.of(JsonText.read("{}")), node(""))).isEqualTo(Wish.HERE);
    }

    private static Json node(String labels) throws JsonText.MalformedJson {
        return JsonText.read("{\"metadata\": {\"labels\": {" + labels + "}}}");
    }
}
