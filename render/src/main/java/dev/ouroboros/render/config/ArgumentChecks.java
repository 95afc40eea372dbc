package dev.ouroboros.render.config;

import dev.ouroboros.facts.KnownFlags;
import dev.ouroboros.facts.KnownFlags.Verdict;
import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.render.cluster.ClusterSpec;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Checks of extra arguments: each must exist in this version and must not be one that another field decides. */
final class ArgumentChecks {
    private static final Map<Component, Field> FIELDS = new EnumMap<>(Map.of(
            Component.API_SERVER, Field.EXTRA_ARGS_API_SERVER,
            Component.CONTROLLER_MANAGER, Field.EXTRA_ARGS_CONTROLLER_MANAGER,
            Component.SCHEDULER, Field.EXTRA_ARGS_SCHEDULER,
            Component.PROXY, Field.EXTRA_ARGS_PROXY));

    private static final String FIXED = "nothing: start and the keeper rely on it";

    /** Flags that a field of the document decides, with what to change instead. */
    private static final Map<String, String> DECIDED = Map.ofEntries(
            Map.entry("etcd-servers", Field.ETCD_SERVERS.path()),
            Map.entry("etcd-cafile", Field.ETCD_CA_FILE.path()),
            Map.entry("etcd-certfile", Field.ETCD_CERTIFICATE_FILE.path()),
            Map.entry("etcd-keyfile", Field.ETCD_PRIVATE_KEY_FILE.path()),
            Map.entry("service-cluster-ip-range", Field.SERVICE_CIDR.path()),
            Map.entry("cluster-cidr", Field.POD_CIDR.path()),
            Map.entry("proxy-mode", Field.PROXY_MODE.path()),
            Map.entry("encryption-provider-config", Field.ENCRYPTION_PROVIDER.path()),
            Map.entry("cloud-provider", Field.CLOUD_PROVIDER.path()),
            Map.entry("cluster-name", Field.NAME.path()),
            Map.entry(ClusterSpec.EMULATED_VERSION_FLAG, Field.EMULATED_VERSION.path()),
            Map.entry("secure-port", Field.API_SERVER_ENDPOINTS.path() + " (API server), or " + FIXED),
            Map.entry("endpoint-reconciler-type", FIXED),
            Map.entry("authorization-always-allow-paths", FIXED),
            Map.entry("kubeconfig", FIXED),
            Map.entry("authentication-kubeconfig", FIXED),
            Map.entry("authorization-kubeconfig", FIXED),
            Map.entry("config", "the flags that it would replace: a file would have to be mounted"));

    private static final String NONE = "none";

    private static final List<Component> EMULATING =
            List.of(Component.API_SERVER, Component.CONTROLLER_MANAGER, Component.SCHEDULER);

    private final Settings settings;
    private final VersionFacts facts;
    private final List<Problem> problems;

    ArgumentChecks(Settings settings, VersionFacts facts, List<Problem> problems) {
        this.settings = settings;
        this.facts = facts;
        this.problems = problems;
    }

    Map<Component, SortedMap<String, String>> extraArguments() {
        Map<Component, SortedMap<String, String>> all = new EnumMap<>(Component.class);
        boolean allowUnknown = settings.text(Field.ALLOW_UNKNOWN_FLAGS)
                .map(value -> Boolean.parseBoolean(value.value()))
                .orElse(false);
        FIELDS.forEach((component, field) -> {
            Map<String, Located> given = settings.map(field);
            if (!given.isEmpty()) {
                KnownFlags flags = facts.flags();
                SortedMap<String, String> checked = new TreeMap<>();
                given.forEach((written, value) -> {
                    String flag = written.startsWith("--") ? written.substring(2) : written;
                    check(component, flag, value, flags, allowUnknown);
                    if (checked.put(flag, value.value()) != null) {
                        problem(
                                value,
                                "--" + flag + " is there twice, with and without dashes",
                                "each flag once",
                                "take one of the two out");
                    }
                });
                all.put(component, checked);
            }
        });
        emulated()
                .ifPresent(
                        version -> EMULATING.forEach(component -> all.computeIfAbsent(component, _ -> new TreeMap<>())
                                .put(ClusterSpec.EMULATED_VERSION_FLAG, version.minorName())));
        return all;
    }

    /** The older version to emulate; to serve as the own version is the default and needs no flag. */
    private Optional<KubernetesVersion> emulated() {
        Optional<Located> asked = settings.text(Field.EMULATED_VERSION)
                .filter(value -> !value.value().equals(NONE));
        if (asked.isEmpty()) {
            return Optional.empty();
        }
        KubernetesVersion own = facts.version().minorVersion();
        Optional<KubernetesVersion> oldest = facts.oldestEmulated();
        Optional<KubernetesVersion> found =
                KubernetesVersion.parse(asked.get().value()).map(KubernetesVersion::minorVersion);
        boolean isPossible = found.filter(version ->
                        oldest.filter(first -> version.compareTo(first) >= 0).isPresent()
                                && version.compareTo(own) <= 0)
                .isPresent();
        if (!isPossible) {
            problems.add(new Problem(
                    ErrorCode.UNSUPPORTED_VERSION,
                    asked.get().where(),
                    facts.version() + " cannot serve as " + asked.get().value(),
                    oldest.map(first ->
                                    "a version from " + first.minorName() + " to " + own.minorName() + ", or " + NONE)
                            .orElse(NONE + ": it serves as its own version only"),
                    "set " + Field.EMULATED_VERSION.path() + " to one of these"));
        }
        return found.filter(version -> isPossible && !version.equals(own));
    }

    private void check(Component component, String flag, Located value, KnownFlags flags, boolean allowUnknown) {
        String decided = DECIDED.get(flag);
        if (decided != null) {
            problem(value, "--" + flag + " is decided elsewhere", decided, "take the flag out of extraArgs there");
            return;
        }
        switch (flags.judge(component, flag)) {
            case Verdict.Known known -> {}
            case Verdict.OtherVersion other ->
                problem(
                        value,
                        component.id() + " " + facts.version() + " has no --" + flag + " (it exists "
                                + other.range().describe() + ")",
                        other.successor()
                                .map(successor -> "instead: " + successor)
                                .orElse(""),
                        "take the flag out of extraArgs there");
            case Verdict.Unknown unknown -> {
                if (!allowUnknown) {
                    problem(
                            value,
                            component.id() + " " + facts.version() + " has no --" + flag,
                            unknown.nearest()
                                    .map(nearest -> "perhaps --" + nearest)
                                    .orElse("a flag it has"),
                            "for a build of your own that has it, set " + Field.ALLOW_UNKNOWN_FLAGS.path() + ": true");
                }
            }
        }
    }

    private void problem(Located value, String what, String expected, String next) {
        problems.add(new Problem(ErrorCode.INVALID_FLAG, value.where(), what, expected, next));
    }
}
