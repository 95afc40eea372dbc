package dev.ouroboros.keeper.routes.decide;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.InternalAddresses;
import dev.ouroboros.model.net.Cidr;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Where a node and its pods are.
 *
 * @param created when its Node was made, as the API writes it: by the order of letters the older is before
 * @param own its own addresses, within the cluster's network
 * @param pods blocks of its pods' addresses; none until the controller manager has given it some
 */
public record NodeAddresses(String created, List<InetAddress> own, List<Cidr> pods) {
    static final NodeAddresses NONE = new NodeAddresses("", List.of(), List.of());

    public NodeAddresses {
        own = List.copyOf(own);
        pods = List.copyOf(pods);
    }

    /** Of a Node. What is no address is left out. */
    public static NodeAddresses of(Json node) {
        List<InetAddress> own = InternalAddresses.of(node)
                .flatMap(address -> Cidr.address(address).stream())
                .toList();
        List<Cidr> pods = new ArrayList<>();
        for (Json block : node.at("spec", "podCIDRs").items()) {
            block.text().flatMap(NodeAddresses::block).ifPresent(pods::add);
        }
        return new NodeAddresses(node.at("metadata", "creationTimestamp").text().orElse(""), own, pods);
    }

    private static Optional<Cidr> block(String text) {
        try {
            return Optional.of(Cidr.parse(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    Optional<InetAddress> ownOfFamily(Cidr block) {
        int length = block.network().getAddress().length;
        return own.stream()
                .filter(address -> address.getAddress().length == length)
                .findFirst();
    }
}
