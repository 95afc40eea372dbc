package dev.ouroboros.facts;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.version.KubernetesVersion;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What one Kubernetes version has: flags, API versions, labels, probe paths. The data is
 * {@code kubernetes.yaml} beside this class; code asks here instead of comparing versions.
 */
public final class VersionFacts {
    private static final String RESOURCE = "kubernetes.yaml";

    private final KubernetesVersion version;
    private final Map<String, List<Fact>> sections;

    private VersionFacts(KubernetesVersion version, Map<String, List<Fact>> sections) {
        this.version = version;
        this.sections = sections;
    }

    /** The versions there is data for. Of its major version all that come: one that is newer than the data gets what the newest has. */
    public static VersionRange supported() {
        return section(FactFile.load(RESOURCE), "supported").getFirst().range();
    }

    /** The last minor version whose changes the data has. */
    public static KubernetesVersion newestKnown() {
        return section(FactFile.load(RESOURCE), "newestKnown")
                .getFirst()
                .range()
                .since()
                .orElseThrow(() -> new IllegalStateException("newestKnown has no version"));
    }

    /**
     * The data of a version.
     *
     * @throws IllegalArgumentException when there is no data for the version; ask {@link #supported} first
     */
    public static VersionFacts of(KubernetesVersion version) {
        Map<String, List<Fact>> sections = FactFile.load(RESOURCE);
        VersionRange supported = section(sections, "supported").getFirst().range();
        if (!supported.contains(version)) {
            throw new IllegalArgumentException("no data for " + version);
        }
        return new VersionFacts(version, sections);
    }

    /** Of each minor version of which there are data, the oldest first. */
    public static List<VersionFacts> everyMinor() {
        KubernetesVersion newest = newestKnown();
        int oldest = supported().since().map(KubernetesVersion::minor).orElse(newest.minor());
        return IntStream.rangeClosed(oldest, newest.minor())
                .mapToObj(minor -> of(KubernetesVersion.of(newest.major(), minor)))
                .toList();
    }

    public KubernetesVersion version() {
        return version;
    }

    /** Arguments of a component that this version needs besides those that every version has. */
    public SortedMap<String, String> arguments(Component component) {
        SortedMap<String, String> arguments = new TreeMap<>();
        holding("arguments")
                .filter(fact -> fact.is("component", component.id()))
                .forEach(fact -> arguments.put(fact.get("flag"), fact.get("value")));
        return arguments;
    }

    /** The apiVersion to write for a kind; empty when this version does not have the kind. */
    public Optional<String> apiVersion(String kind) {
        return holding("apiVersions")
                .filter(fact -> fact.is("kind", kind))
                .map(fact -> fact.get("apiVersion"))
                .findFirst();
    }

    /** The apiVersion of a kind that every supported version has. */
    public String requiredApiVersion(String kind) {
        return apiVersion(kind).orElseThrow(() -> new IllegalStateException("no apiVersion of " + kind));
    }

    /** The keys that {@link #nodeRole} has or had in any version: a node that an upgrade has met has two. */
    public static Set<String> nodeRoles() {
        return section(FactFile.load(RESOURCE), "nodeRoles").stream()
                .map(fact -> fact.get("key"))
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Key of the label and the taint of control-plane nodes. */
    public String nodeRole() {
        return holding("nodeRoles")
                .map(fact -> fact.get("key"))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no node role for " + version));
    }

    /** Path of an HTTP probe of a component ({@code liveness} or {@code readiness}), where this version has one. */
    public Optional<String> probePath(Component component, String probe) {
        return holding("probes")
                .filter(fact -> fact.is("component", component.id()) && fact.is("probe", probe))
                .map(fact -> fact.get("path"))
                .findFirst();
    }

    /** The image of CoreDNS that goes with this version. */
    public String coreDnsImage() {
        return holding("coreDns")
                .map(fact -> fact.get("image"))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no CoreDNS for " + version));
    }

    public List<String> proxyModes() {
        return holding("proxyModes").map(fact -> fact.get("mode")).toList();
    }

    /** Whether KubeletConfiguration has a field that came later than the oldest supported version. */
    public boolean kubeletHas(String field) {
        return holding("kubeletFields").anyMatch(fact -> fact.is("field", field));
    }

    /** Whether a kubelet must be told by a flag which image its garbage collection keeps; later ones ask the runtime. */
    public boolean keepsPauseImageByFlag() {
        return holding("kubeletFlags").anyMatch(fact -> fact.is("flag", "pod-infra-container-image"));
    }

    /** Whether a kubelet takes seconds for its start although it has nothing to wait for. */
    public boolean kubeletStartsSlowly() {
        return holding("kubeletTraits").anyMatch(fact -> fact.is("trait", "slowStart"));
    }

    /**
     * The oldest version as which its API server, controller manager and scheduler can serve; empty when they can serve as their own
     * only.
     */
    public Optional<KubernetesVersion> oldestEmulated() {
        return holding("emulation").findFirst().map(fact -> {
            KubernetesVersion floor = KubernetesVersion.parse(fact.get("floor"))
                    .orElseThrow(() -> new IllegalStateException("no version: " + fact));
            KubernetesVersion older =
                    KubernetesVersion.of(version.major(), version.minor() - Integer.parseInt(fact.get("minors")));
            return older.compareTo(floor) > 0 ? older : floor;
        });
    }

    /** Reads a file of its own, so ask once. */
    public KnownFlags flags() {
        return new KnownFlags(version);
    }

    private Stream<Fact> holding(String name) {
        return section(sections, name).stream().filter(fact -> fact.range().contains(version));
    }

    private static List<Fact> section(Map<String, List<Fact>> sections, String name) {
        List<Fact> facts = sections.get(name);
        if (facts == null) {
            throw new IllegalStateException(RESOURCE + " has no section " + name);
        }
        return facts;
    }
}
