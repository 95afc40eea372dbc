package dev.ouroboros.render.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Every error in a document points to docs/examples/cluster.yaml as to what has every field. */
final class ExampleDocumentTest {
    private static final Path EXAMPLE = Path.of("../docs/examples/cluster.yaml");

    @Test
    void hasEveryField() throws IOException {
        Set<String> fields =
                Arrays.stream(Field.values()).map(Field::path).collect(Collectors.toCollection(TreeSet::new));
        Set<String> found = new TreeSet<>();
        collect(new Load(LoadSettings.builder().build()).loadFromString(Files.readString(EXAMPLE)), "", fields, found);
        assertThat(found).isEqualTo(fields);
    }

    @Test
    void isGood() throws IOException {
        assertThat(ClusterDocument.read(Files.readString(EXAMPLE), "cluster.yaml")
                        .problems())
                .isEmpty();
    }

    private static void collect(Object node, String path, Set<String> fields, Set<String> found) {
        if (fields.contains(path)) {
            found.add(path);
        } else if (node instanceof Map<?, ?> mapping) {
            mapping.forEach((name, value) ->
                    collect(value == null ? "" : value, path.isEmpty() ? "" + name : path + "." + name, fields, found));
        }
    }
}
