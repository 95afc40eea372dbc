package dev.ouroboros.images.debian;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Turns the machine's own package sources into sources for the same archives that offer source packages too. Keys, suites,
 * components and mirrors stay as the machine has them. Both formats of sources.list(5) are known.
 */
final class AptSources {
    private static final Pattern ONE_LINE = Pattern.compile("^(deb|deb-src)\\s+(\\[[^]]*]\\s+)?(\\S+)\\s+(\\S.*)$");
    private static final Pattern BLANK_LINES = Pattern.compile("\\n[ \\t]*\\n");

    private AptSources() {}

    /** A {@code .list} file: each archive as {@code deb} and as {@code deb-src}, once. */
    static String convertList(String text) {
        Set<String> lines = new LinkedHashSet<>();
        for (String raw : text.split("\n", -1)) {
            String line = raw.replaceFirst("#.*$", "").strip();
            Matcher parts = ONE_LINE.matcher(line);
            if (parts.matches() && !isMedium(parts.group(3))) {
                String options = parts.group(2) == null ? "" : parts.group(2).strip() + " ";
                String rest = options + parts.group(3) + " " + parts.group(4).strip();
                lines.add("deb " + rest);
                lines.add("deb-src " + rest);
            }
        }
        return lines.stream().map(line -> line + "\n").collect(Collectors.joining());
    }

    /** A {@code .sources} file (deb822): each enabled stanza with both types, once. */
    static String convertStanzas(String text) {
        String withoutComments = Arrays.stream(text.replace("\r", "").split("\n", -1))
                .filter(line -> !line.startsWith("#"))
                .collect(Collectors.joining("\n"));
        return BLANK_LINES
                .splitAsStream(withoutComments)
                .map(AptSources::fields)
                .filter(AptSources::isUsable)
                .map(AptSources::withBothTypes)
                .distinct()
                .collect(Collectors.joining("\n"));
    }

    /** The fields of a stanza, each with its continuation lines. */
    private static List<String> fields(String stanza) {
        List<String> fields = new ArrayList<>();
        for (String line : stanza.split("\n", -1)) {
            boolean continuation = line.startsWith(" ") || line.startsWith("\t");
            if (continuation && !fields.isEmpty()) {
                fields.addLast(fields.removeLast() + "\n" + line);
            } else if (!line.isBlank()) {
                fields.add(line);
            }
        }
        return fields;
    }

    private static boolean isUsable(List<String> fields) {
        boolean disabled = value(fields, "enabled").matches("(?i)no|false|without|off|disable|0");
        String locations = value(fields, "uris");
        return !disabled && !locations.isEmpty() && !isMedium(locations);
    }

    private static boolean isMedium(String location) {
        return location.startsWith("cdrom:");
    }

    private static String withBothTypes(List<String> fields) {
        return fields.stream()
                .map(field -> name(field).equals("types") ? "Types: deb deb-src" : field)
                .map(field -> field + "\n")
                .collect(Collectors.joining());
    }

    private static String value(List<String> fields, String name) {
        return fields.stream()
                .filter(field -> name(field).equals(name))
                .map(field -> field.substring(field.indexOf(':') + 1).strip())
                .findFirst()
                .orElse("");
    }

    private static String name(String field) {
        int colon = field.indexOf(':');
        return colon < 0 ? "" : field.substring(0, colon).strip().toLowerCase(Locale.ROOT);
    }
}
