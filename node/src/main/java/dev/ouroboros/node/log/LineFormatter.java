package dev.ouroboros.node.log;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.util.logging.ConsoleHandler;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** One line a log record: {@code time=... level=... message}; messages are key=value. A stack trace only with a defect. */
public final class LineFormatter extends Formatter {
    private final String node;

    public LineFormatter(String node) {
        super();
        this.node = node;
    }

    /** Gives this format to everything that is logged, on standard error. */
    public static void install(String node, Level level) {
        Logger root = Logger.getLogger("");
        for (Handler handler : root.getHandlers()) {
            root.removeHandler(handler);
        }
        ConsoleHandler console = new ConsoleHandler();
        console.setFormatter(new LineFormatter(node));
        console.setLevel(level);
        root.addHandler(console);
        root.setLevel(level);
    }

    @Override
    public String format(LogRecord record) {
        StringBuilder line = new StringBuilder(160)
                .append("time=")
                .append(Instant.ofEpochMilli(record.getMillis()))
                .append(" level=")
                .append(level(record.getLevel()))
                .append(" node=")
                .append(node)
                .append(' ')
                .append(formatMessage(record).replace('\n', ' '))
                .append('\n');
        if (record.getThrown() != null) {
            StringWriter trace = new StringWriter();
            record.getThrown().printStackTrace(new PrintWriter(trace));
            line.append(trace);
        }
        return line.toString();
    }

    private static String level(Level level) {
        if (level.intValue() >= Level.SEVERE.intValue()) {
            return "error";
        }
        if (level.intValue() >= Level.WARNING.intValue()) {
            return "warn";
        }
        return level.intValue() >= Level.INFO.intValue() ? "info" : "debug";
    }
}
