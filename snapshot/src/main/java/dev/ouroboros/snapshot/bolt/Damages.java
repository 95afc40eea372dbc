package dev.ouroboros.snapshot.bolt;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What is wrong with a file, each thing once, however often the file is walked; the first hundred with their place, the others as a
 * number, so that a file full of damage takes no more memory than a good one.
 */
public final class Damages {
    private static final int KEPT = 100;
    private static final String ADVICE = "use another copy of the file, or an older snapshot, when one is whole";

    private final Path file;
    private final Set<Problem> problems = new LinkedHashSet<>();
    private boolean more;

    public Damages(Path file) {
        this.file = file;
    }

    /** @param expected what a good file has there, and what the damage costs */
    public void add(ErrorCode code, String place, String what, String expected) {
        Problem problem =
                new Problem(code, place.isEmpty() ? file.toString() : file + ": " + place, what, expected, ADVICE);
        if (problems.size() < KEPT) {
            problems.add(problem);
        } else if (!problems.contains(problem)) {
            more = true;
        }
    }

    public void add(String place, String what, String expected) {
        add(ErrorCode.DAMAGED_FILE, place, what, expected);
    }

    public boolean isEmpty() {
        return problems.isEmpty();
    }

    /** All that were kept, and a last one that says that there were more. */
    public List<Problem> problems() {
        Set<Problem> all = new LinkedHashSet<>(problems);
        if (more) {
            all.add(new Problem(
                    ErrorCode.DAMAGED_FILE,
                    file.toString(),
                    "more is damaged than these " + KEPT + " places",
                    "",
                    ADVICE));
        }
        return List.copyOf(all);
    }
}
