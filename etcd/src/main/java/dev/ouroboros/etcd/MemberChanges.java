package dev.ouroboros.etcd;

import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Changes which members an etcd has. The others carry out what one is asked; only the leader gives its part away. */
public final class MemberChanges {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final EtcdServers servers;

    public MemberChanges(EtcdServers servers) {
        this.servers = servers;
    }

    private interface Request {
        void to(EtcdConnection etcd) throws IOException;
    }

    public void addLearner(List<String> peerUrls) {
        ask(etcd -> etcd.addLearner(peerUrls));
    }

    /** @param id in hexadecimal, here and below */
    public void promote(String id) {
        ask(etcd -> etcd.promote(id));
    }

    public void remove(String id) {
        ask(etcd -> etcd.remove(id));
    }

    public void moveLeader(String id) {
        ask(etcd -> etcd.moveLeader(id));
    }

    /** @throws ProblemException what each said, when none did it; one of them may have done it all the same, and answered too late */
    private void ask(Request request) {
        List<Problem> problems = new ArrayList<>();
        for (Endpoint server : servers.members()) {
            try (EtcdConnection etcd = EtcdConnection.open(server, PATIENCE)) {
                request.to(etcd);
                return;
            } catch (IOException e) {
                problems.add(EtcdProblems.of(server, e));
            }
        }
        throw new ProblemException(problems);
    }
}
