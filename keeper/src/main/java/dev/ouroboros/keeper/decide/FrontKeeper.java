package dev.ouroboros.keeper.decide;

import dev.ouroboros.keeper.decide.Action.InstallFront;
import dev.ouroboros.keeper.decide.Action.PointFront;
import dev.ouroboros.keeper.decide.Course.Lead;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.evidence.Health.NotListening;
import dev.ouroboros.model.front.FrontLease;
import dev.ouroboros.model.front.FrontState;
import dev.ouroboros.model.front.FrontState.Damaged;
import dev.ouroboros.model.front.FrontState.Foreign;
import dev.ouroboros.model.front.FrontState.NotInstalled;
import dev.ouroboros.model.front.FrontState.ToPrincipal;
import dev.ouroboros.model.front.FrontState.ToUnderstudy;
import dev.ouroboros.model.front.Server;
import java.time.Duration;
import java.util.Optional;

/**
 * Decides which server gets new connections.
 *
 * <pre>
 * front           principal                      understudy    move
 * to principal    known not to serve, leaves     ready         to the understudy, if it is trusted
 * to principal    closed, or hangs               starts        the same: the kernel skips the understudy until it listens
 * to principal    -                              ready         to the understudy, if a change asks for it
 * to understudy   ready                          not ready     to the principal, at once
 * to understudy   steadily ready                 ready         to the principal, unless a change holds the clients
 * to understudy   else                           ready         stay: renew the lease
 * to understudy   not ready                      not ready     stay: the kernel skips the one whose port is closed
 * damaged         serves, or neither is ready    -             install, to the principal (an empty map)
 * damaged         else                           ready         install, to the understudy
 * not installed   as to principal                              install, then as to principal
 * foreign, unknown -                             -             nothing
 * </pre>
 *
 * <p>The front leads to an understudy that is only starting because the next decision may come late: a principal that begins to
 * listen would get the clients long before it can serve them.
 */
final class FrontKeeper {
    private final Moment moment;
    private final Plan plan;

    private final Course course;

    /** @param course what a change asks for */
    FrontKeeper(Moment moment, Plan plan, Course course) {
        this.moment = moment;
        this.plan = plan;
        this.course = course;
    }

    void decide(Evidence<FrontState> front, Optional<Judged> apiServer) {
        switch (front) {
            case Unknown<FrontState> _, Known<FrontState>(FrontState.Unknown _), Known<FrontState>(Foreign _) -> {}
            case Known<FrontState>(NotInstalled _) -> {
                plan.add(new InstallFront(), Reason.FRONT_IS_MISSING, "there is no table");
                apiServer.ifPresent(server -> leavePrincipal(server, course.lead() != Lead.PRINCIPAL));
            }
            case Known<FrontState>(Damaged(String what)) -> {
                plan.add(new InstallFront(), Reason.FRONT_IS_MISSING, what);
                pointAgain(what, apiServer);
            }
            case Known<FrontState>(ToPrincipal _) ->
                apiServer.ifPresent(server -> leavePrincipal(server, course.lead() == Lead.UNDERSTUDY));
            case Known<FrontState>(ToUnderstudy(Duration remaining, var _)) ->
                apiServer.ifPresent(server -> leaveOrRenew(server, remaining));
        }
    }

    private void pointAgain(String what, Optional<Judged> apiServer) {
        boolean understudy = apiServer
                .filter(this::isTrusted)
                .filter(server -> server.understudyIsReady() || isOnlyHope(server))
                .filter(server -> server.verdict() != Verdict.SERVES || course.lead() != Lead.PRINCIPAL)
                .isPresent();
        plan.add(
                new PointFront(understudy ? Server.UNDERSTUDY : Server.PRINCIPAL),
                understudy ? Reason.UNDERSTUDY_ANSWERS : Reason.FRONT_IS_MISSING,
                what);
    }

    /** @param asked whether something else than the state of the principal asks for the understudy, if that may be trusted */
    private void leavePrincipal(Judged server, boolean asked) {
        if (!isTrusted(server)) {
            return;
        }
        if (!server.understudyIsReady()) {
            if (isOnlyHope(server)) {
                pointToUnderstudy(Reason.UNDERSTUDY_STARTS, Explain.probes(server));
            }
            return;
        }
        if (asked) {
            Reason reason = course.lead() == Lead.UNDERSTUDY ? Reason.CANDIDATE_PROVED : Reason.UNDERSTUDY_ANSWERS;
            pointToUnderstudy(reason, Explain.probes(server));
            return;
        }
        switch (server.verdict()) {
            case FAILS, DEAD, WAITS_FOR_ETCD -> {
                pointToUnderstudy(Reason.UNDERSTUDY_ANSWERS, Explain.probes(server));
            }
            case LEAVES -> pointToUnderstudy(Reason.PRINCIPAL_IS_LEAVING, Explain.pods(server.seen()));
            case SERVES, UNKNOWN, REJECTED, ABSENT -> {}
        }
    }

    /** Whether the kubelet has an understudy to start that replaces no other, and clients of the principal get no answer, good or bad. */
    private boolean isOnlyHope(Judged server) {
        boolean starts = server.hasUnderstudy() && server.memory().replacedAt().isEmpty();
        boolean closed = server.seen().principal().is(health -> health instanceof NotListening);
        boolean hangs = moment.lasted(server.silentSince(), moment.settings().failover());
        return starts && (closed || hangs);
    }

    private void leaveOrRenew(Judged server, Duration remaining) {
        if (!server.understudyIsReady()) {
            if (server.principalIsReady()) {
                pointToPrincipal(server, Reason.UNDERSTUDY_FAILS);
            }
        } else if (course.lead() == Lead.PRINCIPAL && server.isSteady(moment)) {
            pointToPrincipal(server, Reason.PRINCIPAL_IS_BACK);
        } else if (FrontLease.mustRenew(moment.settings().lease(), remaining)) {
            pointToUnderstudy(Reason.LEASE_RUNS_OUT, remaining.toSeconds() + " s of the lease are left");
        }
    }

    /**
     * A candidate gets traffic when it proved itself. An understudy that start left is trusted: it served. An unknown one is trusted
     * only while the principal is not ready.
     */
    private boolean isTrusted(Judged server) {
        boolean nothingBetter = !server.principalIsReady();
        return switch (server.seen().manifest()) {
            case Unknown<StaticManifest> _ -> nothingBetter;
            case Known<StaticManifest>(StaticManifest.Ours(Revision revision)) ->
                server.seen().slots() instanceof Known<Slots>(Slots slots)
                        ? course.trusts(revision, slots)
                        : nothingBetter;
            // The understudy is about to end, and its revision may not be known any more.
            case Known<StaticManifest>(StaticManifest.Absent _) -> nothingBetter;
            case Known<StaticManifest> _ -> true;
        };
    }

    private void pointToUnderstudy(Reason reason, String evidence) {
        plan.add(new PointFront(Server.UNDERSTUDY), reason, evidence);
    }

    private void pointToPrincipal(Judged server, Reason reason) {
        plan.add(new PointFront(Server.PRINCIPAL), reason, Explain.probes(server));
    }
}
