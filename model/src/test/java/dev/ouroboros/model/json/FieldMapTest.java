package dev.ouroboros.model.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FieldMapTest {
    private static final int OPERATIONS = 400;

    /** As many as make one with a table, and fewer again. */
    @ParameterizedTest
    @ValueSource(ints = {2, 6, 10, 11, 12, 40})
    void doesWhatALinkedMapDoes(int differentNames) {
        RandomGenerator random = RandomGeneratorFactory.of("SplittableRandom").create(differentNames);
        Map<String, Json> expected = new LinkedHashMap<>();
        Json.Fields fields = Json.object();
        for (int operation = 0; operation < OPERATIONS; operation++) {
            String name = "name-" + random.nextInt(differentNames);
            if (random.nextInt(3) == 0) {
                expected.remove(name);
                fields = fields.without(name);
            } else {
                Json value = Json.number(operation);
                expected.put(name, value);
                fields = fields.with(name, value);
            }
            assertThat(fields.values()).isEqualTo(expected).hasSameHashCodeAs(expected);
            assertThat(expected).isEqualTo(fields.values());
            assertThat(List.copyOf(fields.values().keySet())).isEqualTo(List.copyOf(expected.keySet()));
            assertThat(fields.values().containsKey(name)).isEqualTo(expected.containsKey(name));
            assertThat(fields.at(name)).isEqualTo(expected.getOrDefault(name, Json.absent()));
            assertThat(new Json.Fields(expected)).isEqualTo(fields);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 20})
    void neverChanges(int size) {
        Map<String, Json> source = new LinkedHashMap<>();
        for (int index = 0; index < size; index++) {
            source.put("name-" + index, Json.bool(true));
        }
        Map<String, Json> values = new Json.Fields(source).values();
        source.put("later", Json.bool(true));
        source.put("name-0", Json.bool(false));

        assertThat(values).hasSize(size).containsEntry("name-0", Json.bool(true));
        assertThatThrownBy(() -> values.put("name-0", Json.bool(false)))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> values.remove("name-0")).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> values.entrySet().iterator().next().setValue(Json.bool(false)))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(values::clear).isInstanceOf(UnsupportedOperationException.class);
    }
}
