package dev.ouroboros.etcd;

import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.json.JsonText;
import dev.ouroboros.core.version.KubernetesVersion;
import dev.ouroboros.endpoint.Endpoint;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Which version an etcd is of, as it says it to everybody who may connect. */
public final class EtcdVersion {
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private EtcdVersion() {}

    /** The oldest version among the members that answer; unknown when none does. */
    public static Evidence<KubernetesVersion> read(EtcdServers servers) {
        List<Evidence<KubernetesVersion>> answers =
                servers.members().stream().map(EtcdVersion::read).toList();
        return answers.stream()
                .flatMap(answer -> answer instanceof Evidence.Known<KubernetesVersion>(KubernetesVersion version)
                        ? Stream.of(version)
                        : Stream.of())
                .min(KubernetesVersion::compareTo)
                .map(Evidence::known)
                .orElseGet(answers::getFirst);
    }

    private static Evidence<KubernetesVersion> read(Endpoint member) {
        try (HttpClient client = HttpClient.newBuilder()
                .sslContext(member.newSslContext())
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(LIMIT)
                .build()) {
            HttpResponse<String> answer = client.send(
                    HttpRequest.newBuilder(member.resolve("/version"))
                            .timeout(LIMIT)
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            String version =
                    JsonText.read(answer.body()).at("etcdserver").text().orElse("");
            return KubernetesVersion.parse(version)
                    .<Evidence<KubernetesVersion>>map(Evidence::known)
                    .orElseGet(() -> Evidence.unknown(member.server() + " says that its version is '" + version + "'"));
        } catch (IOException e) {
            return Evidence.unknown(member.server() + ": " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Evidence.unknown(member.server() + ": interrupted");
        }
    }
}
