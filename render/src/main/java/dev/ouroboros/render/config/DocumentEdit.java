package dev.ouroboros.render.config;

import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/**
 * Changes a value in the text of a readable {@code Cluster} document, and nothing else: comments and quotes stay as somebody wrote them. Where that
 * is not possible, for example for an anchor that others refer to, the text stays as it was: the caller reads it again to find out.
 */
public final class DocumentEdit {
    private static final LoadSettings MARKED =
            LoadSettings.builder().setUseMarks(true).setAllowDuplicateKeys(true).build();

    private DocumentEdit() {}

    private record Entry(MappingNode parent, Mark keyStart, ScalarNode value, Mark start, Mark end) {
        boolean isInBraces() {
            return parent.getFlowStyle() == FlowStyle.FLOW;
        }
    }

    /** The text with another value of a field; unchanged when the field is not set. */
    public static String with(String text, Field field, String value) {
        return entry(text, field)
                .map(entry -> text.substring(0, at(text, entry.start()))
                        + quoted(entry.value(), value)
                        + text.substring(at(text, entry.end())))
                .orElse(text);
    }

    /** The text with one more field, behind an existing one of the same mapping. */
    public static String withBehind(String text, Field known, Field field, String value) {
        Optional<Entry> entry = entry(text, known);
        if (entry.isEmpty()) {
            return text;
        }
        String added = name(field) + ": \"" + value + "\"";
        int end = at(text, entry.get().end());
        int place = entry.get().isInBraces() ? end : endOfLine(text, end);
        String before = entry.get().isInBraces()
                ? ", "
                : "\n" + " ".repeat(entry.get().keyStart().getColumn());
        return text.substring(0, place) + before + added + text.substring(place);
    }

    /** The text without the line of a field; a field that shares its line with others becomes {@code instead}. */
    public static String without(String text, Field field, String instead) {
        Optional<Entry> entry = entry(text, field);
        if (entry.filter(found -> !found.isInBraces()).isEmpty()) {
            return with(text, field, instead);
        }
        int start = text.lastIndexOf('\n', at(text, entry.get().keyStart())) + 1;
        int end = endOfLine(text, at(text, entry.get().end()));
        return text.substring(0, start) + text.substring(Math.min(end + 1, text.length()));
    }

    private static String quoted(ScalarNode before, String value) {
        return switch (before.getScalarStyle()) {
            case SINGLE_QUOTED -> "'" + value + "'";
            case DOUBLE_QUOTED -> '"' + value + '"';
            case PLAIN, LITERAL, FOLDED, JSON_SCALAR_STYLE -> value;
        };
    }

    private static int endOfLine(String text, int from) {
        int end = text.indexOf('\n', from);
        return end < 0 ? text.length() : end;
    }

    /** The index of a mark in UTF-16: a mark counts code points. */
    private static int at(String text, Mark mark) {
        return text.offsetByCodePoints(0, mark.getIndex());
    }

    private static String name(Field field) {
        return field.path().substring(field.path().lastIndexOf('.') + 1);
    }

    private static Optional<Entry> entry(String text, Field field) {
        Optional<Node> parent = document(text);
        List<String> names = List.of(field.path().split("\\.", -1));
        for (String name : names.subList(0, names.size() - 1)) {
            parent = parent.flatMap(node -> tuple(node, name)).map(NodeTuple::getValueNode);
        }
        return parent.flatMap(node -> tuple(node, names.getLast()).flatMap(tuple -> entry(node, tuple)));
    }

    private static Optional<Node> document(String text) {
        try {
            return StreamSupport.stream(
                            new Compose(MARKED).composeAllFromString(text).spliterator(), false)
                    .findFirst();
        } catch (YamlEngineException e) {
            // An earlier edit has broken a reference to the value: the caller finds out when it reads the text again.
            return Optional.empty();
        }
    }

    private static Optional<Entry> entry(Node parent, NodeTuple tuple) {
        return parent instanceof MappingNode mapping && tuple.getValueNode() instanceof ScalarNode value
                ? tuple.getKeyNode()
                        .getStartMark()
                        .flatMap(key -> value.getStartMark()
                                .flatMap(start ->
                                        value.getEndMark().map(end -> new Entry(mapping, key, value, start, end))))
                : Optional.empty();
    }

    private static Optional<NodeTuple> tuple(Node node, String name) {
        return node instanceof MappingNode mapping
                ? mapping.getValue().stream()
                        .filter(tuple -> tuple.getKeyNode() instanceof ScalarNode key
                                && key.getValue().equals(name))
                        .findFirst()
                : Optional.empty();
    }
}
