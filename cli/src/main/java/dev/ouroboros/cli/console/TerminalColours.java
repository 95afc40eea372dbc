package dev.ouroboros.cli.console;

import java.io.Console;
import java.util.Optional;

/** Whether somebody sees what is printed, and in colours. */
public final class TerminalColours {
    private TerminalColours() {}

    /** See no-color.org. */
    public static boolean isColoured() {
        boolean refused =
                System.getenv("NO_COLOR") != null && !System.getenv("NO_COLOR").isEmpty();
        return isTerminal() && !refused;
    }

    public static boolean isTerminal() {
        return Optional.ofNullable(System.console()).filter(Console::isTerminal).isPresent();
    }
}
