package dev.ouroboros.cli;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Nearest;
import dev.ouroboros.model.problem.Problem;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.StreamSupport;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The problem of a value that is none of an option's choices, in the words of the command line and not in names of constants. */
final class WrongChoice {
    private WrongChoice() {}

    /** @return empty when something else is wrong */
    static Optional<Problem> of(CommandLine.ParameterException exception, String help) {
        ArgSpec argument = exception.getArgSpec();
        if (argument == null || !argument.typeInfo().isEnum() || exception.getValue() == null) {
            return Optional.empty();
        }
        List<String> choices = StreamSupport.stream(
                        argument.completionCandidates().spliterator(), false)
                .map(choice -> choice.toLowerCase(Locale.ROOT))
                .toList();
        return Optional.of(new Problem(
                ErrorCode.BAD_USAGE,
                argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel(),
                "is '" + exception.getValue() + "'",
                "one of " + String.join(", ", choices),
                Nearest.to(exception.getValue(), choices)
                        .map(near -> "did you mean " + near + "? " + help)
                        .orElse(help)));
    }
}
