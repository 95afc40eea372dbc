package dev.ouroboros.upgrade.decide;

import static dev.ouroboros.upgrade.decide.PlanFinding.unknown;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.Manifest;
import dev.ouroboros.model.version.KubernetesVersion;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;

/**
 * Which instances run, and of what version. A pod's version is the tag of its image; with another kind of tag, or none, it is
 * unknown, except for a lone API server, which has reported its version itself.
 *
 * @param found instances whose version is known
 * @param silent findings on versions that are unknown
 */
record Members(List<ClusterMember> found, List<PlanFinding> silent) {
    private static final String CHECK = "versions";
    private static final String MIRROR = "kubernetes.io/config.mirror";

    static Members of(ClusterSeen seen) {
        List<ClusterMember> found = new ArrayList<>();
        List<PlanFinding> silent = new ArrayList<>();
        pods(seen, found, silent);
        kubelets(seen, found, silent);
        boolean hasServer = found.stream().anyMatch(member -> member.component() == Component.API_SERVER);
        if (!hasServer && seen.server() instanceof Known<KubernetesVersion>(KubernetesVersion version)) {
            found.add(new ClusterMember(Component.API_SERVER, "", version));
        }
        etcd(seen, found, silent);
        return new Members(found.stream().sorted().toList(), List.copyOf(silent));
    }

    private static void pods(ClusterSeen seen, List<ClusterMember> found, List<PlanFinding> silent) {
        if (seen.pods() instanceof Unknown<List<Json>>(String why)) {
            silent.add(unknown(CHECK, "pods of kube-system", why, ""));
            return;
        }
        List<Manifest> pods = seen.pods().orElse(List.of()).stream()
                .filter(Members::isAlive)
                .map(pod -> new Manifest("API", pod))
                .toList();
        for (Component component : EnumSet.complementOf(EnumSet.of(Component.DNS, Component.STEWARD))) {
            List<Manifest> own = pods.stream()
                    .filter(pod -> isMirror(pod.object()) == (component == Component.ETCD))
                    .filter(pod -> pod.container(component).isPresent())
                    .toList();
            for (Manifest pod : own) {
                boolean isAlone = component == Component.API_SERVER && own.size() == 1;
                Optional<KubernetesVersion> version = isAlone && seen.server().is(_ -> true)
                        ? Optional.of(seen.server().orElse(KubernetesVersion.of(0, 0)))
                        : pod.container(component).flatMap(Members::tag);
                String place = pod.object().at("spec", "nodeName").text().orElse("");
                version.ifPresentOrElse(
                        known -> found.add(new ClusterMember(component, place, known)),
                        () -> silent.add(unknown(
                                CHECK,
                                pod.described(),
                                "its image " + image(pod, component) + " does not say its version",
                                "give images tags that are versions")));
            }
        }
    }

    private static String image(Manifest pod, Component component) {
        return pod.container(component)
                .flatMap(container -> container.at("image").text())
                .orElse("");
    }

    static Optional<KubernetesVersion> tag(Json container) {
        String image = container.at("image").text().orElse("").replaceFirst("@.*", "");
        int colon = image.lastIndexOf(':');
        return colon > image.lastIndexOf('/')
                ? KubernetesVersion.parse(image.substring(colon + 1).replace('_', '+'))
                : Optional.empty();
    }

    private static boolean isAlive(Json pod) {
        String phase = pod.at("status", "phase").text().orElse("");
        return !phase.equals("Failed") && !phase.equals("Succeeded");
    }

    /** Mirror pods are understudies here, except for etcd's. */
    static boolean isMirror(Json pod) {
        return !pod.at("metadata", "annotations", MIRROR).isNull();
    }

    private static void kubelets(ClusterSeen seen, List<ClusterMember> found, List<PlanFinding> silent) {
        if (seen.nodes() instanceof Unknown<List<Json>>(String why)) {
            silent.add(unknown(CHECK, "nodes", why, ""));
        }
        for (Json node : seen.nodes().orElse(List.of())) {
            String name = node.at("metadata", "name").text().orElse("?");
            String said = node.at("status", "nodeInfo", "kubeletVersion").text().orElse("");
            KubernetesVersion.parse(said)
                    .ifPresentOrElse(
                            version -> found.add(new ClusterMember(Component.KUBELET, name, version)),
                            () -> silent.add(unknown(
                                    CHECK, "Node " + name, "its kubelet says that its version is '" + said + "'", "")));
        }
    }

    /** What etcd says of itself counts, not what its image is called. */
    private static void etcd(ClusterSeen seen, List<ClusterMember> found, List<PlanFinding> silent) {
        switch (seen.etcd()) {
            case Known<KubernetesVersion>(KubernetesVersion version) -> {
                List<String> places = found.stream()
                        .filter(member -> member.component() == Component.ETCD)
                        .map(ClusterMember::place)
                        .toList();
                found.removeIf(member -> member.component() == Component.ETCD);
                (places.isEmpty() ? List.of("") : places)
                        .forEach(place -> found.add(new ClusterMember(Component.ETCD, place, version)));
            }
            case Unknown<KubernetesVersion>(String why) -> {
                if (found.stream().noneMatch(member -> member.component() == Component.ETCD)) {
                    silent.add(unknown(CHECK, "etcd", why, "give --asset-dir, which has the keys to it"));
                }
            }
        }
    }

    /** The version of the oldest API server. */
    Evidence<KubernetesVersion> server() {
        return found.stream()
                .filter(member -> member.component() == Component.API_SERVER)
                .map(ClusterMember::version)
                .min(KubernetesVersion::compareTo)
                .map(Evidence::known)
                .orElseGet(() -> Evidence.unknown("no API server says its version"));
    }
}
