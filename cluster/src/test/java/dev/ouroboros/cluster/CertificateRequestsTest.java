package dev.ouroboros.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.cluster.CertificateRequests.Request;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.Test;

final class CertificateRequestsTest {
    private static final String REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

    private static String encoded(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void theLatestComesFirstWithWhatBecameOfIt() throws Exception {
        try (LoopbackApi api = new LoopbackApi();
                ClusterClient client = api.client()) {
            api.on("GET", REQUESTS, 200, """
                    {"kind": "CertificateSigningRequestList", "apiVersion": "certificates.k8s.io/v1", "items": [
                     {"metadata": {"name": "old", "creationTimestamp": "2026-11-28T10:00:00Z"},
                      "spec": {"username": "system:node:a", "groups": ["system:nodes"], "request": "%s"},
                      "status": {"conditions": [{"type": "Approved"}, {"type": "Denied", "reason": "No", "message": "not you"}]}},
                     {"metadata": {"name": "new", "creationTimestamp": "2026-11-28T11:00:00Z", "annotations": {"a": "b"}},
                      "spec": {"username": "system:node:b", "request": "%s"}, "status": {"certificate": "%s"}}]}""".formatted(encoded("pem"), encoded("other"), encoded("certificate")));

            assertThat(new CertificateRequests(client, "example.org/one").list())
                    .satisfiesExactly(
                            latest -> {
                                assertThat(latest.name()).isEqualTo("new");
                                assertThat(latest.certificate()).hasValue("certificate");
                                assertThat(latest.annotation("a")).hasValue("b");
                                assertThat(latest.denied()).isEmpty();
                            },
                            old -> {
                                assertThat(old.pem()).isEqualTo("pem");
                                assertThat(old.groups()).containsExactly("system:nodes");
                                assertThat(old.denied()).hasValue("No: not you");
                                assertThat(old.certificate()).isEmpty();
                            });
        }
    }

    @Test
    void whoAsksAgainHasTheSameRequest() throws Exception {
        try (LoopbackApi api = new LoopbackApi();
                ClusterClient client = api.client()) {
            CertificateRequests requests = new CertificateRequests(client, "example.org/one");
            assertThat(requests.find("mine")).isEmpty();
            api.on("POST", REQUESTS, 409, """
                    {"kind": "Status", "reason": "AlreadyExists", "message": "is there", "code": 409}""");
            requests.create("mine", "pem");
            api.on("GET", REQUESTS + "/mine", 200, """
                    {"kind": "CertificateSigningRequest", "metadata": {"name": "mine"}, "spec": {"request": "%s"}}""".formatted(encoded("pem")));
            assertThat(requests.find("mine")).map(Request::pem).hasValue("pem");
        }
    }
}
