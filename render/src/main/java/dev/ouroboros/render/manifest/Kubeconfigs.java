package dev.ouroboros.render.manifest;

import io.fabric8.kubernetes.api.model.AuthInfo;
import io.fabric8.kubernetes.api.model.AuthInfoBuilder;
import io.fabric8.kubernetes.api.model.Config;
import io.fabric8.kubernetes.api.model.ConfigBuilder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Kubeconfigs of one cluster.
 *
 * @param cluster its name
 * @param server the API endpoint: never a loopback address, which the front does not translate
 * @param caCertificate PEM
 */
public record Kubeconfigs(String cluster, String server, String caCertificate) {

    /** For a user who shows a client certificate (PEM). */
    public Config withCertificate(String user, String certificate, String privateKey) {
        return of(
                user,
                new AuthInfoBuilder()
                        .withClientCertificateData(base64(certificate))
                        .withClientKeyData(base64(privateKey))
                        .build());
    }

    /** For a user who shows a bearer token, as a joining kubelet does. */
    public Config withToken(String user, String token) {
        return of(user, new AuthInfoBuilder().withToken(token).build());
    }

    private Config of(String user, AuthInfo credentials) {
        String context = user + "@" + cluster;
        return new ConfigBuilder()
                .withApiVersion("v1")
                .withKind("Config")
                .addNewCluster()
                .withName(cluster)
                .withNewCluster()
                .withServer(server)
                .withCertificateAuthorityData(base64(caCertificate))
                .endCluster()
                .endCluster()
                .addNewUser()
                .withName(user)
                .withUser(credentials)
                .endUser()
                .addNewContext()
                .withName(context)
                .withNewContext()
                .withCluster(cluster)
                .withUser(user)
                .endContext()
                .endContext()
                .withCurrentContext(context)
                .build();
    }

    static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
