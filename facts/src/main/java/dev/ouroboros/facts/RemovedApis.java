package dev.ouroboros.facts;

import dev.ouroboros.model.version.KubernetesVersion;
import java.util.List;
import java.util.Optional;

/** Versions of APIs that a Kubernetes serves no more: {@code removed-apis.yaml} beside this class. */
public final class RemovedApis {
    private static final String RESOURCE = "removed-apis.yaml";

    private final List<RemovedApi> all;

    private RemovedApis(List<RemovedApi> all) {
        this.all = List.copyOf(all);
    }

    /** Reads the data, so ask once. */
    public static RemovedApis load() {
        return new RemovedApis(FactFile.load(RESOURCE).getOrDefault("removed", List.of()).stream()
                .map(RemovedApis::api)
                .toList());
    }

    private static RemovedApi api(Fact fact) {
        return new RemovedApi(
                fact.get("apiVersion"),
                fact.get("kind"),
                fact.get("resource"),
                fact.range()
                        .until()
                        .orElseThrow(() -> new IllegalStateException(RESOURCE + ": " + fact + " was never removed")),
                fact.find("successor"),
                fact.source());
    }

    public List<RemovedApi> all() {
        return all;
    }

    /** Empty when this Kubernetes serves it, as far as is known. */
    public Optional<RemovedApi> ofKind(String apiVersion, String kind, KubernetesVersion target) {
        return all.stream()
                .filter(api -> api.apiVersion().equals(apiVersion) && api.kind().equals(kind))
                .filter(api -> isGone(api, target))
                .findFirst();
    }

    /** As {@link #ofKind}, by the name in paths. */
    public Optional<RemovedApi> ofResource(String apiVersion, String resource, KubernetesVersion target) {
        return all.stream()
                .filter(api ->
                        api.apiVersion().equals(apiVersion) && api.resource().equals(resource))
                .filter(api -> isGone(api, target))
                .findFirst();
    }

    private static boolean isGone(RemovedApi api, KubernetesVersion target) {
        return api.removedIn().compareTo(target.minorVersion()) <= 0;
    }
}
