package dev.ouroboros.steward.decide;

import dev.ouroboros.model.json.Json;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A span of time as the schema of {@code ControlPlane} has it: {@code 30m}, {@code 1h}, {@code 7d}. */
final class WishedDuration {
    private static final Pattern FORM = Pattern.compile("([1-9][0-9]{0,3})([mhd])");

    private WishedDuration() {}

    /** @return empty when it is not there, or not of the schema */
    static Optional<Duration> of(Json value) {
        Matcher form = FORM.matcher(value.text().orElse(""));
        if (!form.matches()) {
            return Optional.empty();
        }
        int amount = Integer.parseInt(form.group(1));
        return Optional.of(
                switch (form.group(2)) {
                    case "m" -> Duration.ofMinutes(amount);
                    case "h" -> Duration.ofHours(amount);
                    default -> Duration.ofDays(amount);
                });
    }
}
