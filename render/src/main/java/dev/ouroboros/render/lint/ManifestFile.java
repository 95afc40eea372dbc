package dev.ouroboros.render.lint;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/** A file of manifests, in YAML or JSON, one or many, with the line of every field. */
public final class ManifestFile {
    /** Deeper or larger than any manifest: aliases can make a small file grow without end. */
    private static final int MAX_DEPTH = 100;

    private static final int MAX_NODES = 500_000;

    private final String name;
    private int nodes;

    private ManifestFile(String name) {
        this.name = name;
    }

    /**
     * One manifest.
     *
     * @param lines path of a field to its line
     */
    public record Document(Json value, int line, Map<String, Integer> lines) {
        public Document {
            lines = Map.copyOf(lines);
        }

        /** The line of a field, or of the nearest one around it that is there. */
        public int lineOf(String path) {
            String here = path;
            while (!here.isEmpty()) {
                Integer found = lines.get(here);
                if (found != null) {
                    return found;
                }
                here = here.substring(0, Math.max(0, Math.max(here.lastIndexOf('.'), here.lastIndexOf('['))));
            }
            return line;
        }
    }

    /**
     * Reads all documents of a file; empty ones are left out.
     *
     * @throws ProblemException INVALID_CONFIG when it is not YAML
     */
    public static List<Document> read(String text, String name) {
        return new ManifestFile(name).documents(text);
    }

    /**
     * The manifests of a file, without their lines. A {@code List} is what it lists, as for kubectl.
     *
     * @param name for messages
     * @throws ProblemException INVALID_CONFIG when it is not YAML
     */
    public static List<Json> manifests(String text, String name) {
        return read(text, name).stream()
                .flatMap(document -> objects(document.value()))
                .toList();
    }

    private static Stream<Json> objects(Json value) {
        return value.at("kind").equals(Json.text("List"))
                ? value.at("items").items().stream().flatMap(ManifestFile::objects)
                : Stream.of(value);
    }

    /** The path of a field of an object; names that are no words are in brackets. */
    static String child(String path, String field) {
        if (!field.matches("[A-Za-z0-9_-]+")) {
            return path + "[" + field + "]";
        }
        return path.isEmpty() ? field : path + "." + field;
    }

    private List<Document> documents(String text) {
        LoadSettings settings =
                LoadSettings.builder().setLabel(name).setUseMarks(true).build();
        List<Document> documents = new ArrayList<>();
        try {
            for (Node root : new Compose(settings).composeAllFromString(text)) {
                Map<String, Integer> lines = new HashMap<>();
                Json value = value(root, "", lines, 0);
                if (!value.isNull()) {
                    documents.add(new Document(value, line(root), lines));
                }
            }
        } catch (MarkedYamlEngineException e) {
            String where = e.getProblemMark()
                    .map(mark -> name + ":" + (mark.getLine() + 1))
                    .orElse(name);
            throw bad(where, "not YAML: " + e.getProblem());
        } catch (YamlEngineException e) {
            throw bad(name, "not YAML: " + e.getMessage());
        }
        return documents;
    }

    private Json value(Node node, String path, Map<String, Integer> lines, int depth) {
        lines.putIfAbsent(path, line(node));
        if (depth > MAX_DEPTH || ++nodes > MAX_NODES) {
            throw bad(name + ":" + line(node), "nests too deep or is too large");
        }
        return switch (node) {
            case MappingNode mapping -> {
                Map<String, Json> fields = new LinkedHashMap<>();
                for (NodeTuple field : mapping.getValue()) {
                    String key = field.getKeyNode() instanceof ScalarNode scalar ? scalar.getValue() : "?";
                    String place = child(path, key);
                    if (fields.containsKey(key)) {
                        throw bad(name + ":" + line(field.getKeyNode()), "has " + place + " twice");
                    }
                    lines.put(place, line(field.getKeyNode()));
                    fields.put(key, value(field.getValueNode(), place, lines, depth + 1));
                }
                yield new Json.Fields(fields);
            }
            case SequenceNode sequence -> {
                List<Json> items = new ArrayList<>();
                for (Node item : sequence.getValue()) {
                    items.add(value(item, path + "[" + items.size() + "]", lines, depth + 1));
                }
                yield new Json.Items(items);
            }
            case ScalarNode scalar -> scalar(scalar);
            default -> throw new IllegalStateException("composed documents have no " + node.getNodeType());
        };
    }

    /** Kubernetes reads YAML 1.1, in which yes and no are true and false. */
    private static Json scalar(ScalarNode scalar) {
        String text = scalar.getValue();
        boolean isPlain = scalar.getScalarStyle() == ScalarStyle.PLAIN;
        if (isPlain && text.matches("(?i)true|yes|on")) {
            return Json.bool(true);
        }
        if (isPlain && text.matches("(?i)false|no|off")) {
            return Json.bool(false);
        }
        if (scalar.getTag().equals(Tag.NULL)) {
            return Json.absent();
        }
        boolean isNumber = scalar.getTag().equals(Tag.INT) || scalar.getTag().equals(Tag.FLOAT);
        return isNumber ? new Json.Numeric(text) : Json.text(text);
    }

    private static int line(Node node) {
        return node.getStartMark().map(mark -> mark.getLine() + 1).orElse(1);
    }

    private static ProblemException bad(String where, String what) {
        return ProblemException.of(
                ErrorCode.INVALID_CONFIG,
                where,
                what,
                "manifests in YAML or JSON",
                "mend that line; kubectl apply --dry-run=client -f reads it in the same way");
    }
}
