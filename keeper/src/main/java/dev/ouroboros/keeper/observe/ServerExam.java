package dev.ouroboros.keeper.observe;

import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.api.HttpConnection;
import dev.ouroboros.api.HttpConnection.Answer;
import dev.ouroboros.api.HttpConnection.Request;
import dev.ouroboros.api.ServerProbe;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.keeper.api.ChangeLease;
import dev.ouroboros.keeper.decide.Proof;
import dev.ouroboros.model.evidence.ServerAnswer;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Asks one API server of this node everything that a server has to answer well before it gets traffic, over a connection of its own
 * each time, as a new client would. A server that says it is ready may still have another etcd, another certificate authority or
 * another encryption key: {@code /readyz} knows nothing of those.
 */
final class ServerExam {
    /** About hanging: a server that answers late on a slow machine is as good as it was. */
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private static final int LARGEST_ANSWER = 4 << 20;
    private static final int LARGEST_REFUSAL = 64 << 10;
    private static final int LONGEST_DETAIL = 300;
    private static final int MOST_PAGES = 50;
    private static final int LONGEST_EVENT = 64 << 10;
    private static final int DNS_NAME = 2;
    private static final int IP_ADDRESS = 7;
    private static final int OK = 200;
    private static final int CREATED = 201;
    private static final int NOT_FOUND = 404;
    private static final String SYSTEM = "kube-system";
    private static final String JSON = "application/json";
    /** Names only: the server has to decrypt all the same, and the keeper reads no Secret that it does not need. */
    private static final String NAMES_ONLY = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

    private static final ApiPath IDENTITY = ApiPath.core("namespaces").named(SYSTEM);
    private static final ApiPath SECRETS = ApiPath.core(SYSTEM, "secrets").with("limit", "500");
    private static final ApiPath LEASES = ApiPath.of("coordination.k8s.io/v1", SYSTEM, "leases");

    private final InetSocketAddress address;
    private final ServerProbe.Credentials credentials;
    private final Expected expected;
    private final InstantSource clock;

    /**
     * What a server of this node must be.
     *
     * @param cluster UID of kube-system, when it is known
     * @param addresses that its certificate has to be good for
     * @param passed told what the certificate is good for of a server that answers everything
     */
    record Expected(Supplier<Optional<String>> cluster, CertifiedAddresses addresses, Consumer<Set<String>> passed) {}

    ServerExam(InetSocketAddress address, ServerProbe.Credentials credentials, Expected expected, InstantSource clock) {
        this.address = address;
        this.credentials = credentials;
        this.expected = expected;
        this.clock = clock;
    }

    /** A question that was not answered well. */
    private static final class Wrong extends IOException {
        private static final long serialVersionUID = 1;

        Wrong(String detail) {
            super(detail);
        }
    }

    /**
     * Asks everything.
     *
     * @param before the last result: a server that goes on answering well keeps its time
     * @throws ApiException when there is nothing to ask with
     */
    Proof ask(Optional<Proof> before) throws ApiException {
        Endpoint endpoint = credentials.now();
        String question = "connect";
        try (HttpConnection connection = HttpConnection.open(endpoint.newSslContext(), address, LIMIT)) {
            question = "certificate";
            Set<String> names = verifiedNames(connection.serverCertificate());
            question = "cluster";
            verifyCluster(connection, endpoint);
            question = "list of Secrets";
            listSecrets(connection, endpoint);
            question = "write that is not carried out";
            boolean leaseIsThere = write(connection, endpoint);
            question = "watch";
            watch(connection, endpoint, leaseIsThere);
            expected.passed().accept(names);
            Instant since = before.filter(Proof.Passed.class::isInstance)
                    .map(proof -> ((Proof.Passed) proof).since())
                    .orElse(clock.instant());
            return new Proof.Passed(since);
        } catch (IOException e) {
            String detail = e.getMessage() == null ? e.toString() : e.getMessage();
            return new Proof.Failed(
                    question, detail.length() > LONGEST_DETAIL ? detail.substring(0, LONGEST_DETAIL) : detail);
        }
    }

    /** Clients compare names; we come over loopback, which a certificate need not have. */
    private Set<String> verifiedNames(X509Certificate certificate) throws IOException {
        Set<String> names = new TreeSet<>();
        try {
            Collection<List<?>> alternatives = certificate.getSubjectAlternativeNames();
            if (alternatives != null) {
                for (List<?> alternative : alternatives) {
                    if (alternative.get(0) instanceof Integer kind && (kind == IP_ADDRESS || kind == DNS_NAME)) {
                        names.add(String.valueOf(alternative.get(1)));
                    }
                }
            }
        } catch (CertificateParsingException e) {
            throw new Wrong("cannot be read: " + e.getMessage());
        }
        Set<String> missing = expected.addresses().missingIn(names);
        if (!missing.isEmpty()) {
            throw new Wrong("is not good for " + String.join(", ", missing) + ", only for " + String.join(", ", names));
        }
        return names;
    }

    private void verifyCluster(HttpConnection connection, Endpoint endpoint) throws IOException {
        Json namespace = JsonText.read(body(exchange(connection, endpoint, "GET", IDENTITY, JSON, "")));
        Optional<String> uid = namespace.at("metadata", "uid").text();
        Optional<String> ours = expected.cluster().get();
        if (uid.isEmpty() || (ours.isPresent() && !ours.equals(uid))) {
            throw new Wrong("is " + uid.orElse("unknown") + ", this node belongs to " + ours.orElse("none"));
        }
    }

    /** Without a resource version a list is read from etcd, so that every Secret is decrypted. */
    private static void listSecrets(HttpConnection connection, Endpoint endpoint) throws IOException {
        ApiPath page = SECRETS;
        for (int read = 0; read < MOST_PAGES; read++) {
            Json list = JsonText.read(body(exchange(connection, endpoint, "GET", page, NAMES_ONLY, "")));
            Optional<String> next = list.at("metadata", "continue").text().filter(token -> !token.isEmpty());
            if (next.isEmpty()) {
                return;
            }
            page = SECRETS.with("continue", next.get());
        }
    }

    /**
     * A dry run that goes through authentication, authorization, admission and validation; the Lease is the one object that is ours
     * to write. Before the first change of a cluster there is no Lease: then the dry run is a create.
     */
    private static boolean write(HttpConnection connection, Endpoint endpoint) throws IOException {
        Json.Fields patch = Json.object()
                .with(
                        "metadata",
                        Json.object()
                                .with("annotations", Json.object().with("ouroboros.dev/proof", Json.text("dry-run"))));
        ApiPath lease = LEASES.named(ChangeLease.NAME).with("dryRun", "All");
        Answer answer = exchange(connection, endpoint, "PATCH", lease, JSON, text(patch));
        if (answer.status() != NOT_FOUND) {
            body(answer);
            return true;
        }
        answer.bodyUpTo(LARGEST_ANSWER);
        Json.Fields created = Json.object()
                .with("apiVersion", Json.text("coordination.k8s.io/v1"))
                .with("kind", Json.text("Lease"))
                .with(
                        "metadata",
                        Json.object().with("name", Json.text(ChangeLease.NAME)).with("namespace", Json.text(SYSTEM)));
        body(exchange(connection, endpoint, "POST", LEASES.with("dryRun", "All"), JSON, text(created)));
        return false;
    }

    private static String text(Json json) {
        return new String(JsonText.write(json), StandardCharsets.UTF_8);
    }

    /**
     * A watch without a resource version begins with the objects that are there; without a Lease it is enough that it begins. It may last as long as
     * it is waited for: one that a server ended before it had sent the first event would be one that fails for being slow.
     */
    private static void watch(HttpConnection connection, Endpoint endpoint, boolean leaseIsThere) throws IOException {
        ApiPath path = LEASES.with("fieldSelector", "metadata.name=" + ChangeLease.NAME)
                .with("watch", "true")
                .with("timeoutSeconds", Long.toString(LIMIT.toSeconds()));
        Answer answer = exchange(connection, endpoint, "GET", path, JSON, "");
        require(answer);
        if (!leaseIsThere) {
            return;
        }
        Json event = JsonText.read(line(answer.body()));
        if (!event.at("type").text().equals(Optional.of("ADDED"))) {
            throw new Wrong("began with " + event.at("type").text().orElse("nothing"));
        }
    }

    private static byte[] line(InputStream body) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(1024);
        for (int next = body.read(); next != '\n' && next >= 0; next = body.read()) {
            if (line.size() > LONGEST_EVENT) {
                throw new Wrong("an event is longer than " + LONGEST_EVENT + " bytes");
            }
            line.write(next);
        }
        if (line.size() == 0) {
            throw new Wrong("ended without an event");
        }
        return line.toByteArray();
    }

    private static Answer exchange(
            HttpConnection connection, Endpoint endpoint, String method, ApiPath path, String accept, String body)
            throws IOException {
        connection.within(LIMIT);
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Accept", accept);
        if (!body.isEmpty()) {
            headers.put("Content-Type", method.equals("PATCH") ? "application/merge-patch+json" : JSON);
        }
        endpoint.token().ifPresent(token -> headers.put("Authorization", "Bearer " + token));
        return connection.exchange(
                new Request(method, endpoint.target(path.text()), endpoint.authority(), headers, body));
    }

    private static byte[] body(Answer answer) throws IOException {
        require(answer);
        return answer.bodyUpTo(LARGEST_ANSWER);
    }

    private static void require(Answer answer) throws IOException {
        if (answer.status() != OK && answer.status() != CREATED) {
            String body = new String(answer.body().readNBytes(LARGEST_REFUSAL), StandardCharsets.UTF_8);
            throw new Wrong(answer.statusLine() + ": " + ServerAnswer.cause(body));
        }
    }
}
