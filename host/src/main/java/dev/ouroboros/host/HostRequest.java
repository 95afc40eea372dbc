package dev.ouroboros.host;

import dev.ouroboros.host.decide.CgroupDriver;
import dev.ouroboros.model.registry.RegistryAccess;
import java.net.InetAddress;
import java.util.Optional;

/**
 * What a person asks of a host.
 *
 * @param source from where it learns what its cluster is like
 * @param podNetwork whether the node's pods get a network; an add-on does that otherwise
 * @param registryAccess how containerd is to pull images; where it says nothing, what was said before stays
 * @param installAllowed whether Debian packages may be installed
 */
public record HostRequest(
        HostSource source,
        Optional<String> nodeName,
        Optional<InetAddress> nodeAddress,
        boolean podNetwork,
        Optional<CgroupDriver> cgroupDriver,
        RegistryAccess registryAccess,
        boolean installAllowed) {}
