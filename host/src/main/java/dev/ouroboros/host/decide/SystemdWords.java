package dev.ouroboros.host.decide;

import java.util.regex.Pattern;

/** Words of a command line in a unit file (systemd.service(5), "Command lines"; systemd.syntax(7), "Quoting"). */
final class SystemdWords {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9@:,./=_+-]+");

    private SystemdWords() {}

    /** A word that systemd hands to the program unchanged: specifiers, variables and separators in it have no meaning. */
    static String quoted(String word) {
        if (PLAIN.matcher(word).matches()) {
            return word;
        }
        String escaped = word.replace("\\", "\\\\")
                .replace("\"", "\\\"")
                .replace("%", "%%")
                .replace("$", "$$");
        return '"' + escaped + '"';
    }
}
