package dev.ouroboros.node.kubelet;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What a program said last. One that first says what is wrong and then how it is used, or where each of its threads was, as Kubernetes'
 * programs do, has what is wrong in front of its last lines.
 */
public final class LogEnd {
    /** Of cobra, of klog's fatal lines, and of Go's runtime. */
    private static final Pattern CAUSE = Pattern.compile("(?:[Ee]rror: |F\\d{4} |panic: |fatal error: ).*");

    private static final int FEW = 3;

    private LogEnd() {}

    /**
     * The last lines, with what is wrong in front of them.
     *
     * @param lines how many at most, without that one
     */
    public static String of(List<String> all, int lines) {
        int begin = Math.max(0, all.size() - lines);
        List<String> shown = new ArrayList<>();
        stated(all.subList(0, begin)).ifPresent(cause -> shown.addAll(List.of(cause, "...")));
        shown.addAll(all.subList(begin, all.size()));
        return String.join("\n", shown);
    }

    /** What is wrong, if it is said, or else the last few lines. */
    public static String cause(List<String> all) {
        List<String> said = all.stream().filter(line -> !line.isBlank()).toList();
        return stated(said)
                .orElseGet(() -> String.join("\n", said.subList(Math.max(0, said.size() - FEW), said.size())));
    }

    private static Optional<String> stated(List<String> lines) {
        return lines.stream().filter(line -> CAUSE.matcher(line).matches()).reduce((_, later) -> later);
    }
}
