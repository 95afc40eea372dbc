package dev.ouroboros.etcd;

import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.runtime.grpc.GrpcException;
import dev.ouroboros.runtime.grpc.GrpcStatus;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

/** What a failure to talk to etcd means, in words that lead to the next step. */
final class EtcdProblems {
    private static final String CERTIFICATE = "a client certificate that etcd's --trusted-ca-file signed";
    private static final String AUTHORITY = "a certificate with this name, signed by what --etcd-ca-path holds";

    private EtcdProblems() {}

    static Problem of(Endpoint server, IOException failure) {
        String where = "etcd " + server.server();
        String said = failure.getMessage() == null ? failure.toString() : failure.getMessage();
        return switch (failure) {
            case GrpcException refusal -> refused(where, refusal, said);
            case SSLException alert when said.contains("fatal alert") -> certificate(server, where, said);
            case TlsChannel.ClosedAfterHandshake closed -> certificate(server, where, said);
            case SSLHandshakeException untrusted ->
                new Problem(
                        ErrorCode.ETCD_REFUSED,
                        where,
                        "is not trusted: " + said,
                        AUTHORITY,
                        "give the authority that signed etcd's certificate with --etcd-ca-path, and a name that is in it with --etcd-servers");
            case SSLException noTls ->
                new Problem(
                        ErrorCode.ETCD_UNAVAILABLE,
                        where,
                        "does not speak TLS as etcd does: " + said,
                        "etcd's client port",
                        "give the address of --listen-client-urls (port 2379), not of --listen-peer-urls or --listen-metrics-urls");
            case UnknownHostException unknown -> unreachable(where, "its name is unknown");
            case ConnectException nobody -> unreachable(where, "cannot be reached: " + said);
            case NoRouteToHostException nobody -> unreachable(where, "cannot be reached: " + said);
            case SocketTimeoutException silent -> unreachable(where, "does not answer: " + said);
            default -> unreachable(where, "broke off: " + said);
        };
    }

    /** For a request that a majority of the members must agree to. That nobody did etcd says under any status, UNKNOWN among them. */
    static Problem withoutMajority(Endpoint server, GrpcException refusal) {
        String said = String.valueOf(refusal.getMessage());
        boolean isAlone = refusal.status() == GrpcStatus.UNAVAILABLE
                || refusal.status() == GrpcStatus.DEADLINE_EXCEEDED
                || said.contains("request timed out")
                || said.contains("context deadline exceeded")
                || said.contains("no leader");
        return isAlone
                ? new Problem(
                        ErrorCode.ETCD_UNAVAILABLE,
                        "etcd " + server.server(),
                        "has no majority of the members with it: " + said,
                        "a member that a majority agrees with: what one has that is cut off may be old",
                        "start the other members, or give one that has a majority")
                : of(server, refusal);
    }

    private static Problem certificate(Endpoint server, String where, String said) {
        return new Problem(
                ErrorCode.ETCD_REFUSED,
                where,
                (server.authenticated() ? "refused our certificate (" : "wants a certificate (") + said + ")",
                CERTIFICATE,
                "give it with --etcd-certificate-path and --etcd-private-key-path");
    }

    private static Problem unreachable(String where, String what) {
        return new Problem(
                ErrorCode.ETCD_UNAVAILABLE, where, what, "a running etcd", "see whether it runs, and the address");
    }

    private static Problem refused(String where, GrpcException refusal, String said) {
        if (said.contains("not supported for learner")) {
            return new Problem(
                    ErrorCode.ETCD_REFUSED,
                    where,
                    "is a learner, which does not answer this: " + said,
                    "a member that votes",
                    "give the address of another member");
        }
        if (said.contains("unhealthy cluster") || said.contains("in sync with leader")) {
            return new Problem(
                    ErrorCode.ETCD_REFUSED,
                    where,
                    "does not change its members now: " + said,
                    "members that have been connected for some seconds, and have what was written",
                    "wait a moment; ouro etcd status");
        }
        // etcd's own authentication has errors of any status: "auth: user not found", "etcdserver: user name not
        // found".
        return said.startsWith("auth:") || said.contains("user name")
                ? unauthorized(where, said)
                : switch (refusal.status()) {
                    case PERMISSION_DENIED, UNAUTHENTICATED, INVALID_ARGUMENT -> unauthorized(where, said);
                    case UNIMPLEMENTED ->
                        new Problem(
                                ErrorCode.ETCD_REFUSED,
                                where,
                                "does not know the request: " + said,
                                "etcd 3.4 or newer, not a proxy before it",
                                "give the address of a member itself, or update etcd");
                    case OUT_OF_RANGE ->
                        new Problem(
                                ErrorCode.ETCD_REFUSED,
                                where,
                                "does not have the revision any more, or not yet: " + said,
                                "a revision between its compaction and its latest",
                                "run the same command again");
                    case DEADLINE_EXCEEDED, UNAVAILABLE -> unreachable(where, "does not answer: " + said);
                    case OK,
                            CANCELLED,
                            UNKNOWN,
                            NOT_FOUND,
                            ALREADY_EXISTS,
                            RESOURCE_EXHAUSTED,
                            FAILED_PRECONDITION,
                            ABORTED,
                            INTERNAL,
                            DATA_LOSS ->
                        new Problem(ErrorCode.ETCD_REFUSED, where, "failed: " + said, "", "see etcd's log");
                };
    }

    private static Problem unauthorized(String where, String said) {
        return new Problem(
                ErrorCode.ETCD_REFUSED,
                where,
                "refused: " + said,
                "a client that may do this",
                "etcd's own authentication is on: use a certificate whose common name is a user with the role root");
    }
}
