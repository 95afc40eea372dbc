package dev.ouroboros.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.ouroboros.model.asset.Asset;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.render.RenderRequest;
import dev.ouroboros.render.Rendered;
import dev.ouroboros.render.Renderer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The lists of {@code docs/security.md} say what {@code ouro render} makes; as those of the reference they are written anew with
 * {@code OURO_WRITE_REFERENCE=1}.
 */
final class SecurityPageTest {
    private static final Path PAGE = Path.of("../docs/security.md");
    private static final String END = "<!-- end -->";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    /** With all layers, so that the page has all that may be there. */
    private List<Asset> assets() {
        try {
            String example = Files.readString(Path.of("../docs/examples/cluster.yaml"));
            Path document =
                    Files.writeString(directory.resolve("cluster.yaml"), example.replace("layers: 2-4", "layers: 1-4"));
            Rendered rendered = new Renderer(new LocalDisk(), InstantSource.system(), new SecureRandom())
                    .make(RenderRequest.ofFile(document, directory.resolve("assets")));
            return rendered.assets();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void saysWhatIsRendered() throws IOException {
        List<Asset> assets = assets();
        String page = Files.readString(PAGE);
        String right = with(with(page, "files", files(assets)), "rights", rights(assets));
        GeneratedPage.requireUpToDate(PAGE, right);
    }

    /** Who steals one of these gets something: the page says what. */
    @Test
    void everyKeyAndKubeconfigOfAnAuthorityOrAnAdministratorIsSpokenOf() throws IOException {
        String page = Files.readString(PAGE);
        assertThat(assets().stream()
                        .map(Asset::path)
                        .filter(path -> path.endsWith("ca.key") || path.startsWith("auth/kubeconfig"))
                        .filter(path -> !page.contains(path)))
                .isEmpty();
    }

    @Test
    void noRoleReadsSecretsOfAllNamespaces() throws IOException {
        for (JsonNode object : objects(assets())) {
            if (object.path("kind").asText().equals("ClusterRole")
                    && !object.at("/metadata/name").asText().equals("ouroboros:keeper-namespace")) {
                assertThat(object.path("rules").toString())
                        .doesNotContain("\"secrets\"")
                        .doesNotContain("\"*\"");
            }
        }
    }

    private static String with(String page, String name, String content) {
        String start = "<!-- generated: " + name + " -->";
        int from = page.indexOf(start) + start.length();
        int to = page.indexOf(END, from);
        return page.substring(0, from) + "\n" + content + page.substring(to);
    }

    private static String files(List<Asset> assets) {
        TreeMap<String, List<String>> secrets = new TreeMap<>();
        TreeMap<String, List<String>> open = new TreeMap<>();
        for (Asset asset : assets) {
            int slash = asset.path().lastIndexOf('/') + 1;
            (asset.secret() ? secrets : open)
                    .computeIfAbsent(asset.path().substring(0, slash), key -> new ArrayList<>())
                    .add(asset.path().substring(slash));
        }
        StringBuilder text = new StringBuilder("| mode | directory | files |\n|--|--|--|\n");
        secrets.forEach((directory, names) -> row(text, "0600", directory, names));
        open.forEach((directory, names) -> row(text, "0644", directory, names));
        return text.toString();
    }

    private static void row(StringBuilder text, String mode, String directory, List<String> names) {
        text.append("| ")
                .append(mode)
                .append(" | `")
                .append(directory)
                .append("` | ")
                .append(names.stream().sorted().map(name -> "`" + name + "`").collect(Collectors.joining(", ")))
                .append(" |\n");
    }

    private static List<JsonNode> objects(List<Asset> assets) throws IOException {
        List<JsonNode> objects = new ArrayList<>();
        for (Asset asset : assets) {
            if (asset.path().startsWith("manifests/")) {
                objects.add(new YAMLMapper().readTree(asset.text()));
            }
        }
        return objects;
    }

    private static String rights(List<Asset> assets) throws IOException {
        StringBuilder text = new StringBuilder("| who | where | gets | rules |\n|--|--|--|--|\n");
        TreeMap<String, String> rules = new TreeMap<>();
        List<JsonNode> objects = objects(assets);
        for (JsonNode object : objects) {
            if (object.path("kind").asText().endsWith("Role")) {
                rules.put(
                        key(object.path("kind"), object.at("/metadata/namespace"), object.at("/metadata/name")),
                        rules(object));
            }
        }
        for (JsonNode object : objects) {
            if (object.path("kind").asText().endsWith("RoleBinding")) {
                JsonNode role = object.path("roleRef");
                JsonNode namespace = object.at("/metadata/namespace");
                JsonNode place = role.path("kind").asText().equals("Role") ? namespace : role.path("nowhere");
                JsonNode subject = object.at("/subjects/0");
                text.append("| %s `%s` | %s | `%s` | %s |%n"
                        .formatted(
                                subject.path("kind").asText(),
                                subject.path("name").asText(),
                                namespace.isMissingNode() ? "everywhere" : namespace.asText(),
                                role.path("name").asText(),
                                rules.getOrDefault(
                                        key(role.path("kind"), place, role.path("name")), "Kubernetes' own")));
            }
        }
        return text.toString();
    }

    private static String key(JsonNode kind, JsonNode namespace, JsonNode name) {
        return kind.asText() + "/" + namespace.asText("") + "/" + name.asText();
    }

    private static String rules(JsonNode role) {
        return stream(role.path("rules"))
                .map(rule -> joined(rule.path("verbs")) + " " + joined(rule.path("resources"))
                        + (rule.has("resourceNames") ? " named " + joined(rule.path("resourceNames")) : ""))
                .collect(Collectors.joining("; "));
    }

    private static String joined(JsonNode items) {
        return stream(items).map(JsonNode::asText).collect(Collectors.joining(", "));
    }

    private static Stream<JsonNode> stream(JsonNode items) {
        return StreamSupport.stream(items.spliterator(), false);
    }
}
