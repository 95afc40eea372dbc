package dev.ouroboros.model.json;

import dev.ouroboros.model.json.JsonText.MalformedJson;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The part of YAML in which configuration files are written by people and tools: JSON, or block maps and lists of one-line scalars.
 * The keeper has no YAML library, which would be larger than all its other parsers. Text beyond this part reads as empty, never as
 * something else.
 */
public final class PlainYaml {
    private static final Pattern ENTRY = Pattern.compile("([A-Za-z0-9_./-]+|\"[^\"\\\\]*\"|'[^']*'):(?: +(.*))?");

    private final List<Line> lines;
    private int at;

    private record Line(int indent, String text) {}

    /** Text beyond what we read. */
    private static final class Beyond extends Exception {
        private static final long serialVersionUID = 1;
    }

    private PlainYaml(List<Line> lines) {
        this.lines = lines;
    }

    /** The document's value; empty when it cannot be understood. */
    public static Optional<Json> read(String text) {
        if (text.stripLeading().startsWith("{")) {
            try {
                return Optional.of(JsonText.read(text));
            } catch (MalformedJson e) {
                return Optional.empty();
            }
        }
        try {
            PlainYaml yaml = new PlainYaml(split(text));
            Json value = yaml.block(0);
            return yaml.at == yaml.lines.size() ? Optional.of(value) : Optional.empty();
        } catch (Beyond e) {
            return Optional.empty();
        }
    }

    private static List<Line> split(String text) throws Beyond {
        List<Line> lines = new ArrayList<>();
        for (String raw : text.lines().toList()) {
            String line = raw.replaceAll("(^|\\s+)#.*$", "").stripTrailing();
            if (line.isBlank() || (line.equals("---") && lines.isEmpty())) {
                continue;
            }
            String content = line.stripLeading();
            if (line.startsWith("%") || line.equals("---") || line.indexOf('\t') >= 0) {
                throw new Beyond();
            }
            lines.add(new Line(line.length() - content.length(), content));
        }
        return lines;
    }

    private Json block(int indent) throws Beyond {
        if (at >= lines.size() || lines.get(at).indent() < indent) {
            throw new Beyond();
        }
        int here = lines.get(at).indent();
        return isItem(lines.get(at).text()) ? items(here) : fields(here);
    }

    private static boolean isItem(String text) {
        return text.equals("-") || text.startsWith("- ");
    }

    private Json items(int indent) throws Beyond {
        List<Json> items = new ArrayList<>();
        while (at < lines.size()
                && lines.get(at).indent() == indent
                && isItem(lines.get(at).text())) {
            String text = lines.get(at).text().substring(1);
            String content = text.stripLeading();
            if (content.isEmpty()) {
                at++;
                items.add(block(indent + 1));
            } else if (isItem(content) || ENTRY.matcher(content).matches()) {
                // The text after the dash begins a block at its own column.
                lines.set(at, new Line(indent + 1 + text.length() - content.length(), content));
                items.add(block(indent + 1));
            } else {
                at++;
                items.add(scalar(content));
            }
        }
        return new Json.Items(items);
    }

    private Json fields(int indent) throws Beyond {
        Map<String, Json> fields = new LinkedHashMap<>();
        while (at < lines.size()
                && lines.get(at).indent() == indent
                && !isItem(lines.get(at).text())) {
            Matcher entry = ENTRY.matcher(lines.get(at).text());
            if (!entry.matches()) {
                throw new Beyond();
            }
            String name = unquoted(entry.group(1));
            String value = entry.group(2) == null ? "" : entry.group(2).strip();
            at++;
            Json read = value.isEmpty() ? below(indent) : scalar(value);
            if (fields.put(name, read) != null) {
                throw new Beyond();
            }
        }
        return new Json.Fields(fields);
    }

    /** A list may have the same indentation as the field that it belongs to. */
    private Json below(int indent) throws Beyond {
        boolean list = at < lines.size()
                && lines.get(at).indent() == indent
                && isItem(lines.get(at).text());
        boolean deeper = at < lines.size() && lines.get(at).indent() > indent;
        return list ? items(indent) : deeper ? block(indent + 1) : Json.absent();
    }

    private static Json scalar(String text) throws Beyond {
        return switch (text) {
            case "{}" -> Json.object();
            case "[]" -> Json.texts(List.of());
            case "true" -> Json.bool(true);
            case "false" -> Json.bool(false);
            case "null", "~" -> Json.absent();
            default -> {
                if ("{[&*!|>%@`".indexOf(text.charAt(0)) >= 0) {
                    throw new Beyond();
                }
                yield Json.text(unquoted(text));
            }
        };
    }

    private static String unquoted(String text) throws Beyond {
        char first = text.charAt(0);
        if (first != '"' && first != '\'') {
            return text;
        }
        if (text.length() < 2 || text.charAt(text.length() - 1) != first || text.indexOf('\\') >= 0) {
            throw new Beyond();
        }
        return text.substring(1, text.length() - 1);
    }
}
