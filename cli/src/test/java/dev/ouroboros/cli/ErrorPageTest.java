package dev.ouroboros.cli;

import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import org.junit.jupiter.api.Test;

/** {@code docs/errors.md} is made of {@link ErrorCode}. */
final class ErrorPageTest {
    private static final Path FILE = Path.of("../docs/errors.md");

    @Test
    void saysOfEachErrorWhatTheCodeSays() throws IOException {
        GeneratedPage.requireUpToDate(FILE, page());
    }

    private static String page() {
        StringBuilder page = new StringBuilder("""
                # Errors

                On standard error, one line each, whatever the command:

                    error CODE: where: what was found; expected what is allowed; what to do next

                Where is a file and its line, an option, an object and its field, or a component. The last part is there always, and is about the
                case at hand; this page has the general one. Scripts can rely on the code, and on the exit code: 2 when all that is wrong was given
                by who called, else 1. Everything that is wrong is said in one run. `OURO_STACKTRACE=1` adds where in the code.

                This page is made from the code.
                """);
        for (Kind kind : Kind.values()) {
            page.append("\n## ").append(title(kind)).append('\n');
            Arrays.stream(ErrorCode.values())
                    .filter(code -> code.kind() == kind)
                    .sorted(Comparator.comparing(Enum::name))
                    .forEach(code -> page.append("""

                            ### %s

                            %s

                            - Exit code: %d
                            - Typical cause: %s
                            - Remedy: %s
                            """.formatted(
                                    code,
                                    code.meaning(),
                                    kind == Kind.USER ? ExitCode.USAGE : ExitCode.FAILED,
                                    code.cause(),
                                    code.remedy())));
        }
        return page.toString();
    }

    private static String title(Kind kind) {
        return switch (kind) {
            case USER -> "What was given is wrong";
            case ENVIRONMENT -> "This machine is not as it must be";
            case REMOTE -> "Another program answered badly or not at all";
            case INTERNAL -> "A defect";
        };
    }
}
