package dev.ouroboros.etcd.membership;

import dev.ouroboros.cluster.CertificateRequests;
import dev.ouroboros.cluster.CertificateRequests.Request;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.model.component.StewardObjects;
import dev.ouroboros.model.digest.Sha256;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.render.pki.SigningRequest;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Requests of nodes for the certificate of a member of etcd: CertificateSigningRequests that a kubelet's credentials made, so that the API server says which node asks. The answer is the certificate,
 * and a {@link MemberGrant} beside it.
 */
final class MemberRequests {
    private static final String NODES = "system:nodes";
    private static final String NODE = "system:node:";
    private static final int DIGITS = 12;

    private final CertificateRequests requests;

    MemberRequests(ClusterClient client) {
        this.requests = new CertificateRequests(client, StewardObjects.ETCD_MEMBER_SIGNER);
    }

    /** The name of the request with this text: who asks again with the same key has the same one. */
    static String nameOf(String pem) {
        return "ouroboros-etcd-" + Sha256.hex(pem).substring(0, DIGITS);
    }

    /** The node that asked; empty when somebody else did. */
    static Optional<String> nodeOf(Request request) {
        return request.groups().contains(NODES) && request.user().startsWith(NODE)
                ? Optional.of(request.user().substring(NODE.length()))
                : Optional.empty();
    }

    /** Why the node may start no member with it, or none any more. */
    static Optional<String> refusalOf(Request request) {
        return request.denied()
                .or(() -> request.annotation(MemberGrant.ANNOTATION).flatMap(MemberGrant::whyWithdrawn));
    }

    /** ID of the member that the node may start with it, as far as nobody else wrote that there. */
    static Optional<String> grantedIn(Request request) {
        return request.annotation(MemberGrant.ANNOTATION).flatMap(MemberGrant::memberIn);
    }

    /** What the node may start with it, signed by who signed its certificate. */
    static Optional<MemberGrant> grantOf(Request request) {
        return request.certificate()
                .flatMap(certificate -> request.annotation(MemberGrant.ANNOTATION)
                        .flatMap(text -> MemberGrant.verified(text, certificate, request.name())));
    }

    private Stream<Request> open(String node) {
        return requests.list().stream()
                .filter(request -> nodeOf(request).equals(Optional.of(node)))
                .filter(request -> refusalOf(request).isEmpty());
    }

    /**
     * The request of a node that is not refused.
     *
     * @throws ProblemException CHANGE_REFUSED when there are several: one of them may be somebody else's who got the node's credentials
     */
    Optional<Request> ofNode(String node) {
        List<Request> found = open(node).toList();
        if (found.size() > 1) {
            throw ProblemException.of(
                    ErrorCode.CHANGE_REFUSED,
                    "node " + node,
                    "has made " + found.size() + " requests: "
                            + found.stream().map(Request::name).toList(),
                    "one",
                    "delete those that 'ouro etcd join' there does not name: kubectl delete csr");
        }
        return found.stream().findFirst();
    }

    /** One of the node's requests that are not refused. */
    Optional<Request> anyOf(String node) {
        return open(node).findFirst();
    }

    /**
     * Closes requests that nobody will answer: of a machine that had the node's name before, and of members that are none any more. One that waits with them asks anew.
     *
     * @param members IDs of those that are on etcd's list
     */
    void withdrawStale(String node, Instant registered, Set<String> members) {
        for (Request request : open(node).toList()) {
            if (request.created().isBefore(registered)) {
                withdraw(request.name(), "it was made before this Node was registered");
            } else if (grantedIn(request).filter(id -> !members.contains(id)).isPresent()) {
                withdraw(request.name(), "its member is not on etcd's list any more");
            }
        }
    }

    /** The request with this text; empty also when another one has its name. */
    Optional<Request> find(String pem) {
        return requests.find(nameOf(pem)).filter(found -> found.pem().equals(pem));
    }

    void ask(SigningRequest request) {
        requests.create(nameOf(request.pem()), request.pem());
    }

    void sign(Request request, String certificate, List<String> names) {
        requests.sign(request.name(), certificate, "a member of etcd at " + String.join(", ", names));
    }

    /** @param text of a {@link MemberGrant} */
    void grant(String request, String text) {
        requests.annotate(request, MemberGrant.ANNOTATION, text);
    }

    void withdraw(String request, String why) {
        requests.annotate(request, MemberGrant.ANNOTATION, MemberGrant.withdrawn(why));
    }
}
