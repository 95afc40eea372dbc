package dev.ouroboros.keeper;

import static dev.ouroboros.api.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole keeper that begins on a node without an API and finds files that it did not write, or not so. */
final class DamagedFilesTest {
    private KeeperWorld world;
    private Path checkpoint = Path.of("");

    @BeforeEach
    void proveACheckpointAndLoseTheApi(@TempDir Path directory) throws Exception {
        world = new KeeperWorld(directory);
        world.settle();
        world.stopKeeper();
        world.principalDies();
        checkpoint = directory.resolve("state/checkpoints/kube-system/kube-apiserver");
    }

    @AfterEach
    void end() throws Exception {
        world.close();
    }

    @Test
    void neitherUsesNorLosesACheckpointThatIsDamaged() throws Exception {
        Map<String, String> whole = files();
        String slots = "slots.json";
        String key = file(whole, "files/secrets/key");
        Map<String, Map<String, UnaryOperator<String>>> damages = new LinkedHashMap<>();
        damages.put("torn", Map.of(slots, text -> text.substring(0, text.length() / 2)));
        damages.put("foreign", Map.of(slots, _ -> "apiVersion: v1\n"));
        damages.put("of a future version", Map.of(slots, text -> text.replace("\"format\":1", "\"format\":2")));
        damages.put("edited", Map.of(key, _ -> "by hand"));
        damages.put("torn deeper", Map.of(file(whole, "checkpoint.json"), text -> text.substring(0, 20)));

        for (Map.Entry<String, Map<String, UnaryOperator<String>>> damage : damages.entrySet()) {
            write(whole);
            Map<String, String> damaged = new TreeMap<>(whole);
            damage.getValue().forEach((name, how) -> damaged.compute(name, (_, text) -> how.apply(text)));
            assertThat(damaged).as(damage.getKey()).isNotEqualTo(whole);
            write(damaged);

            world.startKeeper();
            eventually("helpless: " + damage.getKey(), () -> world.condition().equals("HELPLESS"));

            assertThat(world.state().at("problems").items()).as(damage.getKey()).isNotEmpty();
            assertThat(world.hasUnderstudy()).as(damage.getKey()).isFalse();
            world.stopKeeper();
            assertThat(files()).as(damage.getKey()).isEqualTo(damaged);
        }
        write(whole);
        world.startKeeper();
        eventually("the understudy serves", () -> world.condition().equals("UNDERSTUDY_SERVES"));
    }

    @Test
    void worksFromItsCheckpointsWhenWhatItRemembersIsNotItsOwn() throws Exception {
        Path state = world.directory.resolve("state/keeper/state.json");
        Files.writeString(state, "{\"apiVersion\":\"ouroboros.dev/v2\"}");

        world.startKeeper();

        eventually("the understudy serves", () -> world.condition().equals("UNDERSTUDY_SERVES"));
        eventually(
                "no API server is believed",
                () -> world.state().at("unknown", "api-pods").text().orElse("").contains("state.json"));
        assertThat(world.state().at("unknown", "kubelet-version")).isInstanceOf(Json.Text.class);
        assertThat(state).hasContent("{\"apiVersion\":\"ouroboros.dev/v2\"}");
    }

    private static String file(Map<String, String> files, String end) {
        return files.keySet().stream()
                .filter(name -> name.endsWith(end))
                .findFirst()
                .orElseThrow();
    }

    private Map<String, String> files() throws IOException {
        try (Stream<Path> all = Files.walk(checkpoint)) {
            Map<String, String> texts = new TreeMap<>();
            all.filter(Files::isRegularFile)
                    .forEach(file -> texts.put(checkpoint.relativize(file).toString(), text(file)));
            return texts;
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void write(Map<String, String> files) throws IOException {
        for (Map.Entry<String, String> file : files.entrySet()) {
            Files.writeString(checkpoint.resolve(file.getKey()), file.getValue());
        }
    }
}
