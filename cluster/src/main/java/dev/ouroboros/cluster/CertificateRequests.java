package dev.ouroboros.cluster;

import dev.ouroboros.api.Api.PatchType;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ProblemException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * CertificateSigningRequests of one signer, for requesters and for the signer (certificates.k8s.io/v1, since Kubernetes 1.19). The API server records
 * who asked. The controller manager deletes a request after a day, and after an hour when it was approved or denied (its csr cleaner).
 */
public final class CertificateRequests {
    private static final ApiPath REQUESTS = ApiPath.of("certificates.k8s.io/v1", "certificatesigningrequests");

    private final ClusterClient client;
    private final String signer;

    /**
     * Of one signer.
     *
     * @param signer as in {@code kubernetes.io/kubelet-serving}
     */
    public CertificateRequests(ClusterClient client, String signer) {
        this.client = client;
        this.signer = signer;
    }

    /**
     * A request.
     *
     * @param user who asked, as the API server says it
     * @param pem the request itself (PKCS #10)
     * @param denied why nobody will sign it; empty when nobody has said so
     * @param certificate in PEM, when it was signed
     * @param annotations a JSON object
     */
    public record Request(
            String name,
            String user,
            List<String> groups,
            String pem,
            Instant created,
            Optional<String> denied,
            Optional<String> certificate,
            Json annotations) {
        public Request {
            groups = List.copyOf(groups);
        }

        public Optional<String> annotation(String name) {
            return annotations.at(name).text();
        }
    }

    /**
     * All requests of the signer, the latest first.
     *
     * @throws ProblemException API_UNAVAILABLE when asking again may help, API_REFUSED when not
     */
    public List<Request> list() {
        Json found = client.asking(
                "requests for certificates",
                () -> client.api().get(REQUESTS.with("fieldSelector", "spec.signerName=" + signer)));
        return found.at("items").items().stream()
                .map(CertificateRequests::read)
                .sorted((one, other) -> other.created().compareTo(one.created()))
                .toList();
    }

    /**
     * The request of this name.
     *
     * @throws ProblemException API_UNAVAILABLE when asking again may help, API_REFUSED when not
     */
    public Optional<Request> find(String name) {
        return client.asking("request " + name, () -> client.api().find(REQUESTS.named(name)))
                .map(CertificateRequests::read);
    }

    /**
     * Asks for a certificate for server and client authentication. A request of this name that exists already is as good.
     *
     * @param pem the request itself (PKCS #10)
     */
    public void create(String name, String pem) {
        Json request = Json.object()
                .with("apiVersion", Json.text("certificates.k8s.io/v1"))
                .with("kind", Json.text("CertificateSigningRequest"))
                .with("metadata", Json.object().with("name", Json.text(name)))
                .with(
                        "spec",
                        Json.object()
                                .with("signerName", Json.text(signer))
                                .with("request", Json.text(base64(pem)))
                                .with(
                                        "usages",
                                        Json.texts(List.of(
                                                "digital signature",
                                                "key encipherment",
                                                "server auth",
                                                "client auth"))));
        client.changing("request " + name, () -> {
            try {
                client.api().create(REQUESTS, request);
            } catch (ApiException e) {
                if (e.kind() != ApiException.Kind.CONFLICT) {
                    throw e;
                }
            }
        });
    }

    /**
     * Approves a request and gives it its certificate.
     *
     * @param certificate in PEM
     * @param reason for people
     */
    public void sign(String name, String certificate, String reason) {
        Json approved = Json.object()
                .with("type", Json.text("Approved"))
                .with("status", Json.text("True"))
                .with("reason", Json.text("Ouroboros"))
                .with("message", Json.text(reason));
        patch(
                REQUESTS.named(name + "/approval"),
                Json.object().with("status", Json.object().with("conditions", Json.items(Stream.of(approved)))));
        patch(
                REQUESTS.named(name + "/status"),
                Json.object().with("status", Json.object().with("certificate", Json.text(base64(certificate)))));
    }

    /** Sets an annotation. */
    public void annotate(String name, String annotation, String value) {
        patch(
                REQUESTS.named(name),
                Json.object()
                        .with(
                                "metadata",
                                Json.object().with("annotations", Json.object().with(annotation, Json.text(value)))));
    }

    private void patch(ApiPath path, Json patch) {
        client.changing(path.text(), () -> client.api().patch(path, PatchType.MERGE, patch));
    }

    private static Request read(Json object) {
        Json spec = object.at("spec");
        return new Request(
                Metadata.name(object),
                spec.at("username").text().orElse(""),
                spec.at("groups").items().stream()
                        .flatMap(group -> group.text().stream())
                        .toList(),
                plain(spec.at("request")).orElse(""),
                created(object),
                object.at("status", "conditions").items().stream()
                        .filter(condition -> List.of("Denied", "Failed")
                                .contains(condition.at("type").text().orElse("")))
                        .map(condition -> condition.at("reason").text().orElse("") + ": "
                                + condition.at("message").text().orElse(""))
                        .findFirst(),
                plain(object.at("status", "certificate")).filter(pem -> !pem.isEmpty()),
                object.at("metadata", "annotations"));
    }

    private static Instant created(Json object) {
        try {
            return Instant.parse(
                    object.at("metadata", "creationTimestamp").text().orElse(""));
        } catch (DateTimeException e) {
            return Instant.EPOCH;
        }
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static Optional<String> plain(Json value) {
        return value.text().map(text -> new String(Base64.getMimeDecoder().decode(text), StandardCharsets.UTF_8));
    }
}
