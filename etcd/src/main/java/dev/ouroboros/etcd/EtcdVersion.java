package dev.ouroboros.etcd;

import dev.ouroboros.api.ApiClient;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.version.KubernetesVersion;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Which version an etcd is of, as it says it to everybody who may connect. */
public final class EtcdVersion {
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final ApiPath VERSION = new ApiPath("/version");

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
        try (ApiClient client = new ApiClient(member, ApiClient.Limits.ofACommand(LIMIT), "ouro")) {
            String version = client.get(VERSION).at("etcdserver").text().orElse("");
            return KubernetesVersion.parse(version)
                    .<Evidence<KubernetesVersion>>map(Evidence::known)
                    .orElseGet(() -> Evidence.unknown(member.server() + " says that its version is '" + version + "'"));
        } catch (ApiException e) {
            return Evidence.unknown(member.server() + String.valueOf(e.getMessage()));
        }
    }
}
