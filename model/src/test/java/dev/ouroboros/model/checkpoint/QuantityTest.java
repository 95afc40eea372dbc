package dev.ouroboros.model.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.json.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class QuantityTest {
    private static Quantity of(String text) {
        return Quantity.of(Json.text(text)).orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({
        "100m,0.1",
        "1,1000m",
        "1.5Gi,1536Mi",
        "1e3,1k",
        "1E3,1000",
        "1E,1000P",
        "1Ki,1024",
        "2Mi,2048Ki",
        "1Ti,1024Gi",
        "1Pi,1024Ti",
        "1Ei,1024Pi",
        "5u,5000n",
        "1000u,1m",
        "1T,1000G",
        "1P,1000T",
        "1G,1000M",
        ".5,500m",
        "1.,1",
        "+1,1"
    })
    void meansTheSame(String one, String other) {
        assertThat(of(one)).isEqualByComparingTo(of(other));
    }

    @Test
    void readsNumbersToo() {
        assertThat(Quantity.of(Json.number(2)).orElseThrow()).isEqualByComparingTo(of("2"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1 Gi", "Gi", "1K", "1mi", "1e", "--1"})
    void knowsWhatIsNoQuantity(String text) {
        assertThat(Quantity.of(Json.text(text))).isEmpty();
    }
}
