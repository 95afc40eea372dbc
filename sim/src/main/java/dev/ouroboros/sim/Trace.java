package dev.ouroboros.sim;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** What happened, a line an event; the digest is of all lines, so that two runs are equal exactly when it is. */
final class Trace {
    private static final long PRIME = 1099511628211L;
    private static final long OFFSET = 0xcbf29ce484222325L;
    private static final int KEPT = 4000;
    /** People tell revisions from each other by their beginning. */
    private static final Pattern REVISION = Pattern.compile("\\b([0-9a-f]{8})[0-9a-f]{56}\\b");

    private static final int REVISION_LENGTH = 64;

    private final EventTimeline timeline;
    private final Deque<String> lines = new ArrayDeque<>();
    private final Map<String, Long> counts = new TreeMap<>();
    private long digest = OFFSET;

    Trace(EventTimeline timeline) {
        this.timeline = timeline;
    }

    void say(String who, String what) {
        Duration at = timeline.passed();
        String told =
                (what.length() < REVISION_LENGTH ? what : REVISION.matcher(what).replaceAll("$1")).replace('\n', ' ');
        String line = "%6d.%03d %-10s ".formatted(at.toSeconds(), at.toMillisPart(), who) + told;
        for (int index = 0; index < line.length(); index++) {
            digest = (digest ^ line.charAt(index)) * PRIME;
        }
        lines.addLast(line);
        if (lines.size() > KEPT) {
            lines.removeFirst();
        }
    }

    /** Something that a run is said to have covered. */
    void count(String what) {
        counts.merge(what, 1L, Long::sum);
    }

    Map<String, Long> counts() {
        return new TreeMap<>(counts);
    }

    long digest() {
        return digest;
    }

    /** The last of them. */
    List<String> lines() {
        return List.copyOf(lines);
    }
}
