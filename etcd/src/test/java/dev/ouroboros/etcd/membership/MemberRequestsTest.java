package dev.ouroboros.etcd.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.cluster.CertificateRequests.Request;
import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.render.cluster.KeyAlgorithm;
import dev.ouroboros.render.pki.Issuer;
import dev.ouroboros.render.pki.Pem;
import dev.ouroboros.render.pki.Profile;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is read of a node's request, and of the answer. */
final class MemberRequestsTest {
    private static final Issuer ISSUER =
            new Issuer(KeyAlgorithm.ECDSA_P256, InstantSource.system(), new SecureRandom());
    private static final Credential AUTHORITY = ISSUER.newAuthority("etcd-ca", "test");
    private static final MemberGrant GRANT = new MemberGrant(
            "one",
            "8e9e05c52164694d",
            "kind: Pod\n",
            Pem.of(AUTHORITY.certificate()),
            "peers",
            List.of("https://10.0.0.1:2379"),
            20 << 20);

    private static String certificate(Credential authority) {
        return Pem.of(ISSUER.issue(
                authority, Profile.client("node-2"), ISSUER.newKeys().getPublic()));
    }

    private static Request request(String user, List<String> groups, String annotation) {
        return new Request(
                "one",
                user,
                groups,
                "pem",
                Instant.EPOCH,
                Optional.empty(),
                Optional.of(certificate(AUTHORITY)),
                Json.object().with(MemberGrant.ANNOTATION, Json.text(annotation)));
    }

    private static Request ofNode(String annotation) {
        return request("system:node:node-2", List.of("system:nodes"), annotation);
    }

    @Test
    void aGrantIsReadAsItWasWritten() {
        Request granted = ofNode(GRANT.signed(AUTHORITY.privateKey()));
        assertThat(MemberRequests.grantOf(granted)).hasValue(GRANT);
        assertThat(MemberRequests.grantedIn(granted)).hasValue("8e9e05c52164694d");
        assertThat(MemberRequests.refusalOf(granted)).isEmpty();
        assertThat(MemberGrant.ofKept(GRANT.kept())).hasValue(GRANT);
    }

    /** Annotations are written by more than may sign: a manifest in one would be root's on the node. */
    @Test
    void oneThatTheAuthorityOfTheCertificateDidNotSignIsNone() {
        Credential other = ISSUER.newAuthority("other", "test");
        String signed = GRANT.signed(AUTHORITY.privateKey());
        for (String forged : List.of(
                GRANT.kept(),
                GRANT.signed(other.privateKey()),
                signed.replace("kind: Pod", "kind: Bad"),
                new MemberGrant("two", GRANT.member(), GRANT.manifest(), GRANT.authority(), "peers", GRANT.servers(), 1)
                        .signed(AUTHORITY.privateKey()),
                new MemberGrant(
                                "one",
                                GRANT.member(),
                                GRANT.manifest(),
                                Pem.of(other.certificate()),
                                "peers",
                                GRANT.servers(),
                                1)
                        .signed(other.privateKey()))) {
            assertThat(MemberRequests.grantOf(ofNode(forged))).as(forged).isEmpty();
        }
    }

    @Test
    void oneThatIsWithdrawnIsNone() {
        Request withdrawn = ofNode(MemberGrant.withdrawn("too late"));
        assertThat(MemberRequests.grantOf(withdrawn)).isEmpty();
        assertThat(MemberRequests.grantedIn(withdrawn)).isEmpty();
        assertThat(MemberRequests.refusalOf(withdrawn)).hasValue("too late");
    }

    @Test
    void somebodyElsesTextIsNeither() {
        for (String text : List.of("", "{", "{\"member\": \"a\"}", "[]")) {
            Request odd = ofNode(text);
            assertThat(MemberRequests.grantOf(odd)).as(text).isEmpty();
            assertThat(MemberRequests.refusalOf(odd)).as(text).isEmpty();
        }
    }

    @Test
    void onlyANodesCredentialsSayWhichNodeAsks() {
        assertThat(MemberRequests.nodeOf(request("system:node:node-2", List.of("system:nodes"), "")))
                .hasValue("node-2");
        assertThat(MemberRequests.nodeOf(request("system:node:node-2", List.of("system:masters"), "")))
                .isEmpty();
        assertThat(MemberRequests.nodeOf(request("kubernetes-admin", List.of("system:nodes"), "")))
                .isEmpty();
    }

    @Test
    void whoAsksAgainWithTheSameKeyHasTheSameName() {
        assertThat(MemberRequests.nameOf("pem"))
                .isEqualTo(MemberRequests.nameOf("pem"))
                .matches("ouroboros-etcd-[0-9a-f]{12}");
    }
}
