package dev.ouroboros.etcd;

import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What one particular member of an etcd does with its own file, over whichever server that was named or client URL of its own leads to it. */
public final class MemberMaintenance {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final EtcdServers servers;
    private final Duration longest;

    /** @param longest how long a member may take for one thing */
    public MemberMaintenance(EtcdServers servers, Duration longest) {
        this.servers = servers;
        this.longest = longest;
    }

    private interface Request<T> {
        T of(EtcdConnection etcd, EtcdMemberStatus status) throws IOException;
    }

    /**
     * A member before and after it wrote its database anew.
     *
     * @param bytesAfter empty when it did not say
     */
    public record Defragmented(long bytesBefore, Optional<Long> bytesAfter) {}

    /**
     * Has a member write its database anew without what is not in use.
     *
     * @throws ProblemException why it did not; when time is up it goes on all the same
     */
    public Defragmented defragment(EtcdMember member) {
        return ask(member, (etcd, before) -> {
            etcd.defragment(longest);
            return new Defragmented(before.databaseBytes(), bytes(etcd));
        });
    }

    /** It is done, whatever the member says right after, when all are served that waited. */
    private static Optional<Long> bytes(EtcdConnection etcd) {
        try {
            return Optional.of(etcd.status().databaseBytes());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /**
     * Has every member forget what was before a revision, and waits until this one's file has.
     *
     * @throws ProblemException why not
     */
    public void compact(EtcdMember member, long revision) {
        ask(member, (etcd, status) -> {
            etcd.compact(revision, longest);
            return status;
        });
    }

    /**
     * Takes back the alarm for want of space that a member raised, over another one.
     *
     * @param raisedBy ID in hexadecimal
     * @throws ProblemException why not
     */
    public void disarmNoSpace(EtcdMember over, String raisedBy) {
        ask(over, (etcd, status) -> {
            etcd.disarmNoSpace(raisedBy);
            return status;
        });
    }

    private <T> T ask(EtcdMember member, Request<T> request) {
        List<Problem> problems = new ArrayList<>();
        for (Endpoint server : servers.with(member).members()) {
            boolean isIt = false;
            try (EtcdConnection etcd = EtcdConnection.open(server, PATIENCE)) {
                EtcdMemberStatus status = etcd.status();
                isIt = status.memberId().equals(member.id());
                if (isIt) {
                    return request.of(etcd, status);
                }
            } catch (IOException e) {
                if (isIt) {
                    throw new ProblemException(EtcdProblems.of(server, e));
                }
                problems.add(EtcdProblems.of(server, e));
            }
        }
        if (problems.isEmpty()) {
            problems.add(new Problem(
                    ErrorCode.ETCD_UNAVAILABLE,
                    "member " + member.title(),
                    "is none of the servers that were named, and another one answers where it says that clients reach it: "
                            + member.clientUrls(),
                    "a member that can be reached from here",
                    "name it with --etcd-servers"));
        }
        throw new ProblemException(problems);
    }
}
