package dev.ouroboros.node.kubelet;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The end of a program's log that tells why it ended. Kubernetes' programs print the error first and then their usage, or the stacks of their
 * goroutines: the line with the error is put in front of the last lines.
 */
public final class LogEnd {
    /** How a line with the error begins: cobra's, klog's fatal lines, and the Go runtime's. */
    private static final Pattern CAUSE = Pattern.compile("(?:[Ee]rror: |F\\d{4} |panic: |fatal error: ).*");

    private static final int FEW = 3;

    private LogEnd() {}

    /**
     * The last lines, with the line that has the error in front of them.
     *
     * @param lines how many at most, without that line
     */
    public static String of(List<String> all, int lines) {
        int begin = Math.max(0, all.size() - lines);
        List<String> shown = new ArrayList<>();
        stated(all.subList(0, begin)).ifPresent(cause -> shown.addAll(List.of(cause, "...")));
        shown.addAll(all.subList(begin, all.size()));
        return String.join("\n", shown);
    }

    /** The line that has the error; where there is none, the last few lines. */
    public static String cause(List<String> all) {
        List<String> said = all.stream().filter(line -> !line.isBlank()).toList();
        return stated(said)
                .orElseGet(() -> String.join("\n", said.subList(Math.max(0, said.size() - FEW), said.size())));
    }

    private static Optional<String> stated(List<String> lines) {
        return lines.stream().filter(line -> CAUSE.matcher(line).matches()).reduce((_, later) -> later);
    }
}
