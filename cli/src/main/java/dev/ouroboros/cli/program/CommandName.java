package dev.ouroboros.cli.program;

import java.io.PrintWriter;
import java.io.Writer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.CommandSpec;

/**
 * How a person called this program. Texts name it {@code ouro}; where they are printed for people they name it as it was called, so that a hint can
 * be typed as it stands. Files, and output for programs, keep {@code ouro}.
 *
 * @param name as in {@code ./ouro}
 * @param program whose commands are told from other words
 */
public record CommandName(String name, WholeProgram program) {
    /** System property with the name, set by the script that starts java. */
    static final String PROPERTY = "ouro.command";

    /** The program's name where a command or an option follows; no part of a path, of another name, or of a sentence about it. */
    private static final Pattern CALL = Pattern.compile("(?<![\\w./-])" + WholeProgram.NAME + " (?=([a-z-]+))");

    private static final Pattern PLAIN = Pattern.compile("[\\w@%+=:,./-]+");

    /** @param command that prints */
    public static CommandName ofThisProcess(CommandSpec command) {
        return new CommandName(System.getProperty(PROPERTY, WholeProgram.NAME), WholeProgram.of(command));
    }

    public String in(String text) {
        if (name.equals(WholeProgram.NAME)) {
            return text;
        }
        String typed = PLAIN.matcher(name).matches() ? name : "'" + name.replace("'", "'\\''") + "'";
        return CALL.matcher(text)
                .replaceAll(call -> Matcher.quoteReplacement(isCall(call.group(1)) ? typed + " " : call.group()));
    }

    private boolean isCall(String next) {
        return next.startsWith("--") || program.hasCommand(next);
    }

    /** Prints to another one with the program's name as it was called. */
    public PrintWriter printing(PrintWriter target) {
        return name.equals(WholeProgram.NAME) ? target : new PrintWriter(new Lines(target), true);
    }

    /** Writes a line when it is complete, or when the stream is flushed. */
    private final class Lines extends Writer {
        private final PrintWriter target;
        private final StringBuilder line = new StringBuilder();

        Lines(PrintWriter target) {
            this.target = target;
        }

        @Override
        public void write(char[] characters, int offset, int length) {
            line.append(characters, offset, length);
            int end = line.lastIndexOf("\n") + 1;
            target.write(in(line.substring(0, end)));
            line.delete(0, end);
        }

        @Override
        public void flush() {
            target.write(in(line.toString()));
            line.setLength(0);
            target.flush();
        }

        @Override
        public void close() {
            flush();
            target.close();
        }
    }
}
