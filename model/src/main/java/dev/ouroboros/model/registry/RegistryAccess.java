package dev.ouroboros.model.registry;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * How containerd gets images that it does not have.
 *
 * @param mirrors in the order in which they are asked
 * @param authority certificates, PEM, that registries and mirrors may be signed by, beside those that the machine trusts
 * @param proxy for containerd, and for nobody else on the node
 */
public record RegistryAccess(List<RegistryMirror> mirrors, Optional<String> authority, ProxyEnvironment proxy) {
    /** containerd reads it at each pull ({@code config_path}): a change needs no restart. */
    public static final String DIRECTORY = "/etc/containerd/certs.d";

    /** The first line of a file of ours. */
    public static final String HEAD = "# Written by ouro (--registry-mirror, --registry-ca).";

    private static final String HOSTS = "/hosts.toml";

    /**
     * Every certificate in the directory is trusted for every registry without a directory of its own. That is said by no {@code
     * hosts.toml}: containerd 1.6 refuses one without a mirror.
     */
    public static final String AUTHORITY = DIRECTORY + "/" + RegistryMirror.EVERY + "/ouroboros-registry-ca.crt";

    public RegistryAccess {
        mirrors = List.copyOf(mirrors);
    }

    /** Every registry itself, as the machine trusts it. */
    public static RegistryAccess direct() {
        return new RegistryAccess(List.of(), Optional.empty(), ProxyEnvironment.none());
    }

    /** Whether anything is said of registries. */
    public boolean namesRegistries() {
        return !mirrors.isEmpty() || authority.isPresent();
    }

    /** By their absolute paths; none where nothing is said. */
    public Map<String, String> files() {
        Map<String, String> files = new TreeMap<>();
        Map<String, List<RegistryMirror>> byRegistry = mirrors.stream()
                .collect(Collectors.groupingBy(RegistryMirror::registry, LinkedHashMap::new, Collectors.toList()));
        authority.ifPresent(certificates -> files.put(AUTHORITY, certificates));
        byRegistry.forEach((registry, servers) -> files.put(DIRECTORY + "/" + registry + HOSTS, hosts(servers)));
        return files;
    }

    /** Without an entry "server" in it the registry itself is asked when no mirror has the image. */
    private String hosts(List<RegistryMirror> servers) {
        StringBuilder text = new StringBuilder(HEAD).append('\n');
        authority.ifPresent(_ -> text.append("ca = \"").append(AUTHORITY).append("\"\n"));
        for (RegistryMirror mirror : servers) {
            text.append("\n[host.\"").append(mirror.server()).append("\"]\n");
            text.append("  capabilities = [\"pull\", \"resolve\"]\n");
            if (mirror.hasPathOfApi()) {
                text.append("  override_path = true\n");
            }
            authority.ifPresent(_ -> text.append("  ca = \"").append(AUTHORITY).append("\"\n"));
        }
        return text.toString();
    }
}
