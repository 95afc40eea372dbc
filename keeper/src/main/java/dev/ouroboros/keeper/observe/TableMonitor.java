package dev.ouroboros.keeper.observe;

import dev.ouroboros.model.front.FrontTable;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says when tables of ours change, by {@code nft monitor}, which prints a line for each object that is made or removed; a flushed ruleset
 * prints each of its tables. So another tool's {@code flush ruleset} is seen at once without starting a program each second.
 */
public final class TableMonitor {
    private static final Logger LOG = LoggerFactory.getLogger(TableMonitor.class);
    private static final Duration LIFETIME = Duration.ofDays(1);

    private final Processes processes;
    private final List<String> inside;
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();

    private record Listener(Pattern line, Runnable changed) {}

    /** @param inside command prefix that leads into the tables' network namespace; empty for ours */
    public TableMonitor(Processes processes, List<String> inside) {
        this.processes = processes;
        this.inside = List.copyOf(inside);
    }

    /** Tells of each change of a table: its rules and what its sets and maps hold. */
    public void onChange(String table, Runnable changed) {
        listeners.add(new Listener(Pattern.compile(".*" + named(table)), changed));
    }

    /** Tells when a table, or chains or rules of it, are removed; not what happens to its sets and maps. */
    public void onRemoval(String table, Runnable changed) {
        listeners.add(new Listener(Pattern.compile("delete (table|chain|rule) " + named(table)), changed));
    }

    private static String named(String table) {
        return FrontTable.FAMILY + " " + Pattern.quote(table) + "( .*)?";
    }

    public void start(Lookouts lookouts) {
        lookouts.follow("front-events", this::follow);
    }

    private void follow() {
        try {
            Command command = Command.of("nft", "monitor").withTimeout(LIFETIME).behind(inside);
            processes.stream(
                    command,
                    line -> listeners.stream()
                            .filter(listener ->
                                    listener.line().matcher(line.strip()).matches())
                            .forEach(listener -> listener.changed().run()));
        } catch (ProblemException e) {
            LOG.warn("component=keeper source=front-events event=ended reason=\"{}\"", e.describe());
        }
        // What happened between two monitors would not be seen otherwise.
        listeners.forEach(listener -> listener.changed().run());
    }
}
