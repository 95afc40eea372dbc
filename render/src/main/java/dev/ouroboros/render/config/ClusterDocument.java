package dev.ouroboros.render.config;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Nearest;
import dev.ouroboros.model.problem.Problem;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/** Reads a {@code Cluster} document. Collects every mistake with its line and goes on behind it. */
public final class ClusterDocument {
    public static final String API_VERSION = "ouroboros.dev/v1alpha1";
    public static final String KIND = "Cluster";

    /** What to do about most that is wrong in a document. */
    static final String EXAMPLE = "correct it there; docs/examples/cluster.yaml shows every field";

    private final String file;
    private final List<Problem> problems = new ArrayList<>();
    private final Settings.Builder settings = Settings.builder();

    private ClusterDocument(String file) {
        this.file = file;
    }

    /**
     * Settings as far as they could be read, and what is wrong with the rest.
     *
     * @param isDocument whether the file is a document at all; if not, it is no use to name missing fields
     */
    public record Result(Settings settings, List<Problem> problems, boolean isDocument) {
        public Result {
            problems = List.copyOf(problems);
        }
    }

    /**
     * Reads a document.
     *
     * @param file its name, for messages
     */
    public static Result read(String text, String file) {
        ClusterDocument document = new ClusterDocument(file);
        boolean isDocument = document.readDocument(text);
        return new Result(document.settings.build(), document.problems, isDocument);
    }

    private boolean readDocument(String text) {
        LoadSettings load = LoadSettings.builder()
                .setLabel(file)
                .setUseMarks(true)
                .setAllowDuplicateKeys(true)
                .build();
        try {
            List<Node> documents = new ArrayList<>();
            new Compose(load).composeAllFromString(text).forEach(documents::add);
            if (documents.size() != 1) {
                problem(file, "holds " + documents.size() + " documents", "one " + KIND + " document", EXAMPLE);
                return false;
            }
            readMapping(documents.getFirst(), "");
            if (!(documents.getFirst() instanceof MappingNode)) {
                return false;
            }
            checkIdentity();
            return true;
        } catch (MarkedYamlEngineException e) {
            String where = e.getProblemMark().map(this::line).orElse(file);
            problem(where, "not YAML: " + e.getProblem(), "YAML", "mend that line");
        } catch (YamlEngineException e) {
            problem(file, "not YAML: " + e.getMessage(), "YAML", "mend that line");
        }
        return false;
    }

    private void checkIdentity() {
        Settings read = settings.build();
        requireValue(read, Field.API_VERSION, API_VERSION);
        requireValue(read, Field.KIND, KIND);
    }

    private void requireValue(Settings read, Field field, String expected) {
        Optional<Located> value = read.text(field);
        if (value.isEmpty()) {
            problem(file, field.path() + " is missing", expected, EXAMPLE);
        } else if (!value.get().value().equals(expected)) {
            problem(value.get().where(), "found " + value.get().value(), expected, EXAMPLE);
        }
    }

    private void readMapping(Node node, String path) {
        if (isNull(node) && !path.isEmpty()) {
            return;
        }
        if (!(node instanceof MappingNode mapping)) {
            problem(where(node, path.isEmpty() ? "document" : path), "is " + kindOf(node), "a mapping", EXAMPLE);
            return;
        }
        Map<String, Node> seen = new HashMap<>();
        for (NodeTuple entry : mapping.getValue()) {
            String name = entry.getKeyNode() instanceof ScalarNode key ? key.getValue() : "";
            String childPath = path.isEmpty() ? name : path + "." + name;
            Node first = seen.putIfAbsent(name, entry.getKeyNode());
            if (first != null) {
                problem(
                        where(entry.getKeyNode(), childPath),
                        "is there twice, first in line " + lineNumber(first),
                        "each field once",
                        EXAMPLE);
                continue;
            }
            readEntry(entry, name, path, childPath);
        }
    }

    private void readEntry(NodeTuple entry, String name, String path, String childPath) {
        Optional<Field> field = Field.ofPath(childPath);
        if (field.isPresent()) {
            readField(field.get(), entry.getValueNode());
        } else if (Field.isSection(childPath)) {
            readMapping(entry.getValueNode(), childPath);
        } else {
            List<String> allowed = Field.namesBelow(path);
            problem(
                    where(entry.getKeyNode(), childPath),
                    "unknown field",
                    "one of " + String.join(", ", allowed),
                    Nearest.to(name, allowed)
                            .map(nearest -> "did you mean " + nearest + "?")
                            .orElse(EXAMPLE));
        }
    }

    private void readField(Field field, Node node) {
        if (isNull(node)) {
            return;
        }
        String path = field.path();
        switch (field.shape()) {
            case TEXT ->
                text(node, path, field.shape()).ifPresent(value -> settings.set(field, value.value(), value.where()));
            case BOOLEAN -> readBoolean(field, node);
            case LIST -> readList(field, node);
            case MAP -> readMap(field, node);
        }
    }

    private void readBoolean(Field field, Node node) {
        if (node instanceof ScalarNode scalar && scalar.getTag().equals(Tag.BOOL)) {
            settings.set(field, scalar.getValue(), where(node, field.path()));
        } else {
            wrongShape(node, field.path(), field.shape());
        }
    }

    private void readList(Field field, Node node) {
        if (!(node instanceof SequenceNode sequence)) {
            wrongShape(node, field.path(), field.shape());
            return;
        }
        List<Located> values = new ArrayList<>();
        int index = 0;
        for (Node element : sequence.getValue()) {
            text(element, field.path() + "[" + index + "]", Field.Shape.TEXT).ifPresent(values::add);
            index++;
        }
        settings.setList(field, values);
    }

    private void readMap(Field field, Node node) {
        if (!(node instanceof MappingNode mapping)) {
            wrongShape(node, field.path(), field.shape());
            return;
        }
        Map<String, Located> values = new LinkedHashMap<>();
        for (NodeTuple entry : mapping.getValue()) {
            String name = entry.getKeyNode() instanceof ScalarNode key ? key.getValue() : "";
            String path = field.path() + "." + name;
            if (values.containsKey(name)) {
                problem(where(entry.getKeyNode(), path), "is there twice", "each flag once", EXAMPLE);
                continue;
            }
            text(entry.getValueNode(), path, Field.Shape.TEXT).ifPresent(value -> values.put(name, value));
        }
        settings.setMap(field, values);
    }

    /** Numbers and booleans are taken as they are written: {@code goaway-chance: 0.001} needs no quotes. */
    private Optional<Located> text(Node node, String path, Field.Shape shape) {
        if (node instanceof ScalarNode scalar && !isNull(node)) {
            return Optional.of(new Located(scalar.getValue(), where(node, path)));
        }
        wrongShape(node, path, shape);
        return Optional.empty();
    }

    private void wrongShape(Node node, String path, Field.Shape shape) {
        problem(where(node, path), "is " + kindOf(node), shape.words(), EXAMPLE);
    }

    private static boolean isNull(Node node) {
        return node.getTag().equals(Tag.NULL);
    }

    private static String kindOf(Node node) {
        return switch (node) {
            case MappingNode mapping -> "a mapping";
            case SequenceNode sequence -> "a list";
            case ScalarNode scalar when isNull(scalar) -> "empty";
            case ScalarNode scalar -> "the text " + scalar.getValue();
            default -> "something else";
        };
    }

    private String where(Node node, String path) {
        return node.getStartMark().map(this::line).orElse(file) + ": " + path;
    }

    private String line(Mark mark) {
        return file + ":" + (mark.getLine() + 1);
    }

    private static String lineNumber(Node node) {
        return node.getStartMark()
                .map(mark -> String.valueOf(mark.getLine() + 1))
                .orElse("?");
    }

    private void problem(String where, String what, String expected, String next) {
        problems.add(new Problem(ErrorCode.INVALID_CONFIG, where, what, expected, next));
    }
}
