package dev.ouroboros.model.evidence;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What an API server says when it does not do what it was asked for, in as few words as tell why. */
public final class ServerAnswer {
    /** As in the answer of {@code /readyz}: a line for each check, then a verdict. */
    private static final Pattern PASSED = Pattern.compile("\\[\\+\\][^\\n]*(?:\\n|$)");

    private static final Pattern FAILED = Pattern.compile("\\[-\\]([^\\n:]*)(?:: reason withheld)?([^\\n]*)(?:\\n|$)");
    private static final Pattern VERDICT = Pattern.compile("(?:readyz|livez|healthz) check failed");
    /** While a server boots, most of its checks fail, and one after the other passes. */
    private static final int MOST_CHECKS = 4;

    private ServerAnswer() {}

    /** Of a Status object its message, of health checks those that failed; anything else as it is. */
    public static String cause(String body) {
        String text = body.strip();
        return text.startsWith("{") ? message(text).orElse(text) : failedChecks(text);
    }

    private static Optional<String> message(String text) {
        try {
            Json status = JsonText.read(text);
            return status.at("kind").equals(Json.text("Status"))
                    ? status.at("message").text()
                    : Optional.empty();
        } catch (MalformedJson e) {
            return Optional.empty();
        }
    }

    /** The checks that failed, instead of a line for each check, wherever in a text these stand. */
    public static String failedChecks(String text) {
        List<String> failed = new ArrayList<>();
        Matcher checks = FAILED.matcher(text);
        int begin = text.length();
        while (checks.find()) {
            begin = Math.min(begin, checks.start());
            failed.add(checks.group(1) + checks.group(2));
        }
        if (failed.isEmpty()) {
            return text;
        }
        String before = PASSED.matcher(text.substring(0, begin)).replaceAll("");
        String after = VERDICT.matcher(
                        PASSED.matcher(FAILED.matcher(text.substring(begin)).replaceAll(""))
                                .replaceAll(""))
                .replaceFirst("");
        return before + listed(failed) + after;
    }

    private static String listed(List<String> failed) {
        int more = failed.size() - MOST_CHECKS;
        return more <= 0
                ? String.join("; ", failed)
                : String.join("; ", failed.subList(0, MOST_CHECKS)) + "; and " + more + " more";
    }
}
