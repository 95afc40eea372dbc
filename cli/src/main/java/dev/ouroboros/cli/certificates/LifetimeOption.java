package dev.ouroboros.cli.certificates;

import dev.ouroboros.change.WishedCertificates;
import dev.ouroboros.cli.console.DurationConverter;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.render.pki.RenewalPolicy;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Option;

/** How long what is issued is good. */
final class LifetimeOption {
    @Option(
            names = "--lifetime",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description =
                    "How long what is issued is good (default: of what workloads show, what spec.certificates.lifetime of ControlPlane/cluster says; else 365d); never longer than its authority. A third before its end it is due"
                            + " again.")
    private Optional<Duration> lifetime = Optional.empty();

    /** The policy where no cluster is asked. */
    RenewalPolicy policy() {
        return lifetime.map(LifetimeOption::given).orElse(RenewalPolicy.STANDARD);
    }

    /** The lifetime that was given, or else the one of the cluster's steward. */
    RenewalPolicy policy(ClusterClient client) {
        return lifetime.map(LifetimeOption::given).orElseGet(() -> wishedBy(client));
    }

    /** The policy of the cluster's steward. */
    static RenewalPolicy wishedBy(ClusterClient client) {
        return WishedCertificates.lifetime(client)
                .map(text -> given(new DurationConverter().convert(text)))
                .orElse(RenewalPolicy.STANDARD);
    }

    private static RenewalPolicy given(Duration lifetime) {
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
