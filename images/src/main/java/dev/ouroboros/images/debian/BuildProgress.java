package dev.ouroboros.images.debian;

import dev.ouroboros.images.binary.Progress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes a few lines for people from the thousands that a build prints: each program when its compilation begins, and a sign of
 * life every ten seconds. Keeps the last lines for the message when the build fails.
 */
final class BuildProgress {
    private static final Duration SIGN_OF_LIFE = Duration.ofSeconds(10);
    private static final int LINES_TO_KEEP = 15;
    private static final Pattern PROGRAM =
            Pattern.compile(".*/kubernetes/(?:_output/local/go/src/k8s.io/kubernetes/)?cmd/([a-z-]+)$");
    private static final Pattern PACKAGE = Pattern.compile("^[a-z0-9][\\w.-]*(/[\\w.~-]+)*$");

    private final Progress progress;
    private final InstantSource clock;
    private final Instant begun;
    private final Deque<String> last = new ArrayDeque<>();
    private Instant said;
    private int packages;

    BuildProgress(Progress progress, InstantSource clock) {
        this.progress = progress;
        this.clock = clock;
        this.begun = clock.instant();
        this.said = begun;
    }

    void line(String line) {
        if (last.size() == LINES_TO_KEEP) {
            last.removeFirst();
        }
        last.addLast(line);
        String name = line.strip();
        if (!PACKAGE.matcher(name).matches()) {
            return;
        }
        packages++;
        Matcher program = PROGRAM.matcher("/" + name);
        if (program.matches()) {
            say("compiling and linking " + program.group(1));
        } else if (Duration.between(said, clock.instant()).compareTo(SIGN_OF_LIFE) >= 0) {
            say("compiling, " + packages + " packages so far, now " + name);
        }
    }

    private void say(String what) {
        said = clock.instant();
        progress.say(what + " (" + elapsed() + ")");
    }

    /** Time since the build began, as {@code 2m05s}. */
    String elapsed() {
        Duration elapsed = Duration.between(begun, clock.instant());
        return "%dm%02ds".formatted(elapsed.toMinutes(), elapsed.toSecondsPart());
    }

    List<String> lastLines() {
        return List.copyOf(last);
    }
}
