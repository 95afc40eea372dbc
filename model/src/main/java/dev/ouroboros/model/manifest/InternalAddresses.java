package dev.ouroboros.model.manifest;

import dev.ouroboros.model.json.Json;
import java.util.Optional;
import java.util.stream.Stream;

/** The addresses of a Node at which others of its cluster reach it ({@code status.addresses} of type {@code InternalIP}). */
public final class InternalAddresses {
    private InternalAddresses() {}

    /** As they are written there. */
    public static Stream<String> of(Json node) {
        return node.at("status", "addresses").items().stream()
                .filter(address -> address.at("type").text().equals(Optional.of("InternalIP")))
                .flatMap(address -> address.at("address").text().stream());
    }
}
