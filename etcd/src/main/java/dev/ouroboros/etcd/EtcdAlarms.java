package dev.ouroboros.etcd;

import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The alarms that an etcd has raised. An alarm stays raised until somebody disarms it, whatever became of its cause. */
public final class EtcdAlarms {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private EtcdAlarms() {}

    /** What an alarm says; any that a later etcd has counts as other. */
    public enum Kind {
        /** The database has reached its quota: no write is accepted but deletions. */
        NO_SPACE,
        /** A member's data differ from those of the others. */
        CORRUPT,
        OTHER
    }

    /** @param member as etcdctl shows it, in hexadecimal */
    public record Alarm(Kind kind, String member) {}

    /**
     * The alarms as the first member that answers tells them: all members share them.
     *
     * @throws ProblemException why no member told
     */
    public static List<Alarm> raised(EtcdServers servers) {
        List<Problem> problems = new ArrayList<>();
        for (Endpoint server : servers.members()) {
            try (EtcdConnection etcd = EtcdConnection.open(server, PATIENCE)) {
                return etcd.alarms();
            } catch (IOException e) {
                problems.add(EtcdProblems.of(server, e));
            }
        }
        throw new ProblemException(problems);
    }
}
