package dev.ouroboros.model.json;

import dev.ouroboros.model.json.Json.Bool;
import dev.ouroboros.model.json.Json.Fields;
import dev.ouroboros.model.json.Json.Items;
import dev.ouroboros.model.json.Json.Null;
import dev.ouroboros.model.json.Json.Numeric;
import dev.ouroboros.model.json.Json.Text;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * JSON values as YAML in block style, as kubectl lays it out. A text stands without quotes only when no YAML of version 1.1 or 1.2 can
 * take it for anything else, and as a literal block when it has several lines.
 */
public final class YamlText {
    private static final String PLAIN_INSIDE = "_./+=@,()-";
    private static final Set<String> RESERVED =
            Set.of("y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf");
    /** A key on one line with its value has at most 1024 characters. */
    private static final int LONGEST_SIMPLE_KEY = 500;

    private static final int STEP = 2;

    private final StringBuilder out = new StringBuilder();

    private YamlText() {}

    /** One document without its mark, ending with a line end. */
    public static String write(Json value) {
        YamlText text = new YamlText();
        text.block(value, 0);
        return text.out.toString();
    }

    private void block(Json value, int indent) {
        switch (value) {
            case Fields(Map<String, Json> fields)
            when !fields.isEmpty() -> {
                boolean first = true;
                for (Map.Entry<String, Json> field : fields.entrySet()) {
                    if (!first) {
                        indent(indent);
                    }
                    first = false;
                    key(field.getKey(), indent);
                    member(field.getValue(), indent);
                }
            }
            case Items(List<Json> items)
            when !items.isEmpty() -> {
                boolean first = true;
                for (Json item : items) {
                    if (!first) {
                        indent(indent);
                    }
                    first = false;
                    out.append("- ");
                    block(item, indent + STEP);
                }
            }
            default -> scalar(value, indent);
        }
    }

    private void key(String key, int indent) {
        if (key.length() > LONGEST_SIMPLE_KEY) {
            out.append("? ").append(quoted(key)).append('\n');
            indent(indent);
            out.append(':');
        } else {
            out.append(isPlain(key) ? key : quoted(key)).append(':');
        }
    }

    /** The value behind a key: below it when it has parts, else beside it. */
    private void member(Json value, int indent) {
        if (!value.fields().isEmpty()) {
            out.append('\n');
            indent(indent + STEP);
            block(value, indent + STEP);
        } else if (!value.items().isEmpty()) {
            out.append('\n');
            indent(indent);
            block(value, indent);
        } else {
            out.append(' ');
            scalar(value, indent + STEP);
        }
    }

    private void scalar(Json value, int indent) {
        switch (value) {
            case Text(String text) when isLiteral(text) -> literal(text, Math.max(indent, STEP));
            case Text(String text) ->
                out.append(isPlain(text) ? text : quoted(text)).append('\n');
            case Numeric(String literal) -> out.append(literal).append('\n');
            case Bool(boolean bool) -> out.append(bool).append('\n');
            case Null() -> out.append("null\n");
            case Fields fields -> out.append("{}\n");
            case Items items -> out.append("[]\n");
        }
    }

    /** A letter or a slash, and then only what means nothing to YAML where it stands. */
    private static boolean isPlain(String text) {
        if (text.isEmpty() || !(isLetter(text.charAt(0)) || text.charAt(0) == '/')) {
            return false;
        }
        for (int index = 1; index < text.length(); index++) {
            char next = text.charAt(index);
            boolean inside = isLetterOrDigit(next) || PLAIN_INSIDE.indexOf(next) >= 0;
            if (!inside && !(isSeparator(next) && isFollowedByWord(text, index))) {
                return false;
            }
        }
        return !RESERVED.contains(text.toLowerCase(Locale.ROOT));
    }

    /** What ends a plain text, or its key, unless a word follows. */
    private static boolean isSeparator(char next) {
        return next == ':' || next == ' ';
    }

    private static boolean isFollowedByWord(String text, int index) {
        return index + 1 < text.length()
                && (isLetterOrDigit(text.charAt(index + 1)) || "_./".indexOf(text.charAt(index + 1)) >= 0);
    }

    private static boolean isLetter(char next) {
        return (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z');
    }

    private static boolean isLetterOrDigit(char next) {
        return isLetter(next) || (next >= '0' && next <= '9');
    }

    /** Several lines of printable characters, of which the first says how far the block is indented. */
    private static boolean isLiteral(String text) {
        return text.indexOf('\n') > 0
                && text.charAt(0) != ' '
                && text.charAt(0) != '\t'
                && text.chars().allMatch(next -> next == '\n' || next == '\t' || isPrintable(next));
    }

    private void literal(String text, int indent) {
        int end = text.length();
        while (end > 0 && text.charAt(end - 1) == '\n') {
            end--;
        }
        int lineEnds = text.length() - end;
        out.append(lineEnds == 0 ? "|-\n" : lineEnds == 1 ? "|\n" : "|+\n");
        for (String line : text.substring(0, end).split("\n", -1)) {
            if (!line.isEmpty()) {
                indent(indent);
                out.append(line);
            }
            out.append('\n');
        }
        out.append("\n".repeat(Math.max(0, lineEnds - 1)));
    }

    private static String quoted(String text) {
        String json = new String(JsonText.write(new Text(text)), StandardCharsets.UTF_8);
        StringBuilder escaped = new StringBuilder(json.length());
        for (int index = 0; index < json.length(); index++) {
            char next = json.charAt(index);
            if (isPrintable(next) || Character.isSurrogate(next)) {
                escaped.append(next);
            } else {
                escaped.append(String.format(Locale.ROOT, "\\u%04x", (int) next));
            }
        }
        return escaped.toString();
    }

    /** Of YAML's printable characters those that are in the basic plane and end no line. */
    private static boolean isPrintable(int next) {
        boolean latin = (next >= ' ' && next < 0x7f) || (next >= 0xa0 && next < 0x2028);
        boolean low = next > 0x2029 && next < 0xd800;
        boolean high = next >= 0xe000 && next < 0xfffe && next != 0xfeff;
        return latin || low || high;
    }

    private void indent(int spaces) {
        out.append(" ".repeat(spaces));
    }
}
