package dev.ouroboros.status.source;

import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.ClusterReader;
import dev.ouroboros.endpoint.CertificateDates;
import dev.ouroboros.endpoint.CertificateDates.Dated;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.model.endpoints.ServiceEndpoints;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.status.seen.ApiSeen;
import dev.ouroboros.status.seen.ApiSeen.Others;
import dev.ouroboros.status.seen.DatedCertificate;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Asks an API server. Of Secrets, only the names and expiry of their certificates are kept. */
final class ApiLook implements AutoCloseable {
    private static final String KUBE_SYSTEM = "/namespaces/kube-system/";
    /** Every namespaced kind supports this field selector. */
    private static final String ELSEWHERE = "?fieldSelector=metadata.namespace%21%3Dkube-system";

    private final ClusterClient client;
    private final ClusterReader reader;
    private final Duration limit;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    /** @param limit for one request */
    ApiLook(Endpoint endpoint, Duration limit) {
        this.limit = limit;
        this.client = ClusterClient.connect(endpoint, limit);
        this.reader = new ClusterReader(client);
    }

    ApiSeen look() {
        Evidence<Json> version = reader.get("/version");
        if (version instanceof Unknown<Json>(String why)) {
            String hint = why.contains("timed out") || why.contains("in time")
                    ? " after " + limit.toSeconds() + " s (--request-timeout)"
                    : "";
            return ApiSeen.unknown(client.server(), why + hint);
        }
        Future<Evidence<Json>> system = asked("/api/v1/namespaces/kube-system");
        Future<Evidence<Json>> nodes = asked("/api/v1/nodes");
        Future<Evidence<Json>> daemonSets = asked("/apis/apps/v1" + KUBE_SYSTEM + "daemonsets");
        Future<Evidence<Json>> deployments = asked("/apis/apps/v1" + KUBE_SYSTEM + "deployments");
        Future<Evidence<Json>> pods = asked("/api/v1" + KUBE_SYSTEM + "pods");
        Future<Evidence<Json>> secrets = asked("/api/v1" + KUBE_SYSTEM + "secrets");
        Future<Evidence<Json>> service =
                asked("/api/v1/namespaces/" + ServiceEndpoints.NAMESPACE + "/endpoints/" + ServiceEndpoints.NAME);
        Future<Evidence<Json>> otherSets = asked("/apis/apps/v1/daemonsets" + ELSEWHERE);
        Future<Evidence<Json>> otherDeployments = asked("/apis/apps/v1/deployments" + ELSEWHERE);
        return new ApiSeen(
                client.server(),
                text(version, "gitVersion"),
                text(AwaitedAnswer.of(system), "metadata", "uid"),
                items(AwaitedAnswer.of(nodes)),
                items(AwaitedAnswer.of(daemonSets)),
                items(AwaitedAnswer.of(deployments)),
                told(items(AwaitedAnswer.of(pods))),
                certificates(items(AwaitedAnswer.of(secrets))),
                AwaitedAnswer.of(service).map(ApiLook::addresses),
                others(items(AwaitedAnswer.of(otherSets)), items(AwaitedAnswer.of(otherDeployments))));
    }

    private Evidence<Others> others(Evidence<List<Json>> sets, Evidence<List<Json>> deployments) {
        if (sets instanceof Unknown<List<Json>>(String why)) {
            return Evidence.unknown(why);
        }
        if (deployments instanceof Unknown<List<Json>>(String why)) {
            return Evidence.unknown(why);
        }
        List<Json> addOnSets = AddOns.among(sets.orElse(List.of()));
        List<Json> addOnDeployments = AddOns.among(deployments.orElse(List.of()));
        NavigableSet<String> namespaces = new TreeSet<>();
        Stream.concat(addOnSets.stream(), addOnDeployments.stream())
                .forEach(each -> each.at("metadata", "namespace").text().ifPresent(namespaces::add));
        List<Json> pods = new ArrayList<>();
        Map<String, Evidence<List<DatedCertificate>>> certificates = new TreeMap<>();
        for (String namespace : namespaces) {
            Future<Evidence<Json>> secrets = asked("/api/v1/namespaces/" + namespace + "/secrets");
            Evidence<List<Json>> found = items(AwaitedAnswer.of(asked("/api/v1/namespaces/" + namespace + "/pods")));
            if (found instanceof Unknown<List<Json>>(String why)) {
                return Evidence.unknown(why);
            }
            pods.addAll(told(found).orElse(List.of()));
            certificates.put(namespace, certificates(items(AwaitedAnswer.of(secrets))));
        }
        return Evidence.known(new Others(addOnSets, addOnDeployments, pods, certificates));
    }

    private static Set<String> addresses(Json endpoints) {
        return ServiceEndpoints.serversIn(endpoints.at("subsets")).stream()
                .map(server -> server.address().getHostAddress())
                .collect(Collectors.toUnmodifiableSet());
    }

    private Evidence<List<Json>> told(Evidence<List<Json>> pods) {
        return pods instanceof Known<List<Json>>(List<Json> all)
                ? Evidence.known(new LastWords(reader::text).in(all))
                : pods;
    }

    private Future<Evidence<Json>> asked(String path) {
        return threads.submit(() -> reader.get(path));
    }

    private static Evidence<String> text(Evidence<Json> answer, String... path) {
        return answer.flatMap(value -> value.at(path)
                .text()
                .map(Evidence::known)
                .orElseGet(() -> Evidence.unknown("the answer has no " + String.join(".", path))));
    }

    private static Evidence<List<Json>> items(Evidence<Json> answer) {
        return answer.map(list -> list.at("items").items());
    }

    static Evidence<List<DatedCertificate>> certificates(Evidence<List<Json>> secrets) {
        if (secrets instanceof Unknown<List<Json>>(String why)) {
            return Evidence.unknown(why);
        }
        List<DatedCertificate> found = new ArrayList<>();
        for (Json secret : secrets.orElse(List.of())) {
            String name = secret.at("metadata", "name").text().orElse("?");
            for (Map.Entry<String, Json> entry : secret.at("data").fields().entrySet()) {
                try {
                    byte[] content =
                            Base64.getDecoder().decode(entry.getValue().text().orElse(""));
                    for (Dated dated : CertificateDates.in(content)) {
                        found.add(new DatedCertificate(
                                name,
                                entry.getKey(),
                                dated.subject(),
                                dated.notAfter(),
                                dated.isAuthority(),
                                dated.issuer(),
                                dated.notBefore()));
                    }
                } catch (IOException | IllegalArgumentException e) {
                    return Evidence.unknown("Secret " + name + ", " + entry.getKey() + ": " + e.getMessage());
                }
            }
        }
        return Evidence.known(List.copyOf(found));
    }

    @Override
    public void close() {
        threads.shutdownNow();
        client.close();
    }
}
