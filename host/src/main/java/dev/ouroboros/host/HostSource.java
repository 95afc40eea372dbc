package dev.ouroboros.host;

import dev.ouroboros.host.decide.HostSettings.Role;
import java.nio.file.Path;

/** From where a host learns what its cluster is like. */
public sealed interface HostSource permits HostSource.Assets, JoinedCluster {
    /** What the host is to become. */
    Role role();

    /** Where it is, for messages. */
    String where();

    /** An asset directory: the cluster's first control-plane node. */
    record Assets(Path directory) implements HostSource {
        @Override
        public Role role() {
            return Role.CONTROL_PLANE;
        }

        @Override
        public String where() {
            return directory.toString();
        }
    }
}
