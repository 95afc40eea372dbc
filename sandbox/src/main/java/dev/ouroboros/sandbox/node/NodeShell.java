package dev.ouroboros.sandbox.node;

import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.component.Component;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What makes a shell in a node an administrator's: the node's programs are set up for its cluster, however they are called. */
final class NodeShell {
    /** Read by login shells, whose own profile begins with another PATH. */
    static final Path PROFILE = Path.of("/etc/profile.d/ouroboros.sh");

    static final Path ETCDCTL = NodeLayout.WRAPPERS.resolve("etcdctl");

    private NodeShell() {}

    static String profile() {
        return new TreeMap<>(NodeLayout.ENVIRONMENT)
                .entrySet().stream()
                        .map(variable -> "export " + variable.getKey() + "='" + variable.getValue() + "'\n")
                        .collect(Collectors.joining());
    }

    static String etcdctl() {
        return etcdctl(NodeLayout.BINARIES.resolve("etcdctl"), NodeLayout.ASSETS);
    }

    /**
     * A script that runs etcdctl for the node's own etcd. etcdctl fails when an option is set both in the environment and on the command
     * line ("conflicting environment variable"): so a variable in the environment would forbid an option that people give.
     *
     * @param program the real one
     * @param assets where the keys are
     */
    static String etcdctl(Path program, Path assets) {
        Map<String, String> settings = new TreeMap<>(Map.of(
                "endpoints", "https://127.0.0.1:" + Component.ETCD.port(),
                "cacert", assets.resolve(AssetLayout.ETCD_CA_CERTIFICATE).toString(),
                "cert", assets.resolve(AssetLayout.ETCD_CLIENT_CERTIFICATE).toString(),
                "key", assets.resolve(AssetLayout.ETCD_CLIENT_KEY).toString()));
        String table = settings.entrySet().stream()
                .map(setting -> " [" + setting.getKey() + "]='" + setting.getValue() + "'")
                .collect(Collectors.joining());
        return """
                #!/bin/bash
                # etcdctl for this node's etcd, unless the command line or the environment says another.
                declare -A settings=(%s )
                export ETCDCTL_API=${ETCDCTL_API:-3}
                for option in "${!settings[@]}"; do
                    variable=ETCDCTL_${option^^}
                    given=${!variable:-}
                    for word; do
                        case $word in
                            --) break ;;
                            "--$option" | "--$option="*) given=$word ;;
                        esac
                    done
                    if [ -z "$given" ]; then export "$variable=${settings[$option]}"; fi
                done
                exec '%s' "$@"
                """.formatted(table, program);
    }
}
