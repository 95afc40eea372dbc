package dev.ouroboros.cli.certificates;

import dev.ouroboros.cli.console.DurationConverter;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.render.pki.RenewalPolicy;
import java.time.Duration;
import picocli.CommandLine.Option;

/** How long what is issued is good. */
final class LifetimeOption {
    @Option(
            names = "--lifetime",
            paramLabel = "TIME",
            defaultValue = "365d",
            converter = DurationConverter.class,
            description =
                    "How long what is issued is good (default: ${DEFAULT-VALUE}); never longer than its authority. A third before its end it is due again.")
    private Duration lifetime = Duration.ofDays(365);

    RenewalPolicy policy() {
        if (lifetime.isZero() || lifetime.isNegative()) {
            throw ProblemException.of(
                    ErrorCode.INVALID_FLAG,
                    "--lifetime",
                    "no time at all",
                    "a time, as in 90d",
                    "give it as in --lifetime 90d");
        }
        return new RenewalPolicy(lifetime);
    }
}
