package dev.ouroboros.steward.decide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.change.decide.KubeletManner;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class KubeletPolicyTest {
    private static Json json(String text) throws MalformedJson {
        return JsonText.read(text.replace('\'', '"'));
    }

    @Test
    void isAWishWithATimeToSettle() throws MalformedJson {
        assertThat(KubeletPolicy.of(json("{'config': {'maxPods': 50}, 'settle': '5m'}")))
                .hasValueSatisfying(policy -> {
                    assertThat(policy.wish().text()).isEqualTo("{\"config\":{\"maxPods\":50}}");
                    assertThat(policy.manner()).isEqualTo(new KubeletManner(Duration.ofMinutes(5), true));
                });
        assertThat(KubeletPolicy.of(json("{'drain': false}")))
                .hasValueSatisfying(
                        policy -> assertThat(policy.manner().isDraining()).isFalse());
        assertThat(KubeletPolicy.of(json("{}"))).hasValueSatisfying(policy -> {
            assertThat(policy.wish().isNothing()).isTrue();
            assertThat(policy.manner()).isEqualTo(new KubeletManner(Duration.ofMinutes(1), true));
        });
    }

    @Test
    void whereNothingIsSaidKubeletsArePeoplesBusiness() throws MalformedJson {
        assertThat(KubeletPolicy.of(Json.absent())).isEmpty();
    }

    @Test
    void whatTheSchemaLetThroughIsNamed() {
        assertThatThrownBy(() -> KubeletPolicy.of(json("{'arguments': {'--v': '2'}}")))
                .isInstanceOf(MalformedJson.class)
                .hasMessageContaining("arguments.--v is no flag");
    }
}
