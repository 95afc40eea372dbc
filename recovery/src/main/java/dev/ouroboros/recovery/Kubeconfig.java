package dev.ouroboros.recovery;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.kubernetes.api.model.AuthInfo;
import io.fabric8.kubernetes.api.model.Cluster;
import io.fabric8.kubernetes.api.model.Config;
import io.fabric8.kubernetes.api.model.NamedAuthInfo;
import io.fabric8.kubernetes.api.model.NamedCluster;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Where a kubeconfig of the cluster leads.
 *
 * @param server the API endpoint
 * @param authority PEM of what the server's certificate is signed by, when the file holds it
 * @param clientCertificate PEM of its first user's, when the file holds it
 */
record Kubeconfig(URI server, Optional<String> authority, Optional<String> clientCertificate) {
    private static final YAMLMapper MAPPER = YAMLMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    /** Empty for a text that is none. */
    static Optional<Kubeconfig> parse(String text) {
        if (!text.contains("clusters")) {
            return Optional.empty();
        }
        try {
            Config config = MAPPER.readValue(text, Config.class);
            if (config == null || config.getClusters() == null) {
                return Optional.empty();
            }
            return config.getClusters().stream()
                    .map(NamedCluster::getCluster)
                    .filter(cluster -> cluster != null && cluster.getServer() != null)
                    .findFirst()
                    .map(cluster -> of(cluster, config));
        } catch (JsonProcessingException | IllegalArgumentException e) {
            // Some other file with that word in it.
            return Optional.empty();
        }
    }

    private static Kubeconfig of(Cluster cluster, Config config) {
        return new Kubeconfig(
                URI.create(cluster.getServer()),
                decoded(Optional.ofNullable(cluster.getCertificateAuthorityData())),
                decoded(Stream.ofNullable(config.getUsers())
                        .flatMap(List::stream)
                        .map(NamedAuthInfo::getUser)
                        .filter(user -> user != null && user.getClientCertificateData() != null)
                        .map(AuthInfo::getClientCertificateData)
                        .findFirst()));
    }

    private static Optional<String> decoded(Optional<String> data) {
        return data.map(text -> new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8));
    }

    /** Whether a client outside of the cluster can use it. */
    boolean leadsHereFromOutside() {
        String host = String.valueOf(server.getHost());
        return !host.startsWith("127.")
                && !host.equals("[::1]")
                && !host.equals("localhost")
                && !host.startsWith("kubernetes.default");
    }
}
