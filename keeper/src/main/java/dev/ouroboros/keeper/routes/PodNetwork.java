package dev.ouroboros.keeper.routes;

import dev.ouroboros.model.flags.DaemonFlags;
import dev.ouroboros.model.net.Cidr;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The pods' network that is ours.
 *
 * @param template where it is made of, on a node that has it
 * @param blocks of all pods of the cluster
 */
public record PodNetwork(Path template, List<Cidr> blocks) {
    public PodNetwork {
        blocks = List.copyOf(blocks);
    }

    /** As the flags say; empty where they name none. */
    public static Optional<PodNetwork> of(DaemonFlags flags) {
        Optional<Path> template = flags.optional("pod-network").map(Path::of);
        List<Cidr> blocks = new ArrayList<>();
        for (String text : flags.optional("pod-cidr").stream()
                .flatMap(value -> List.of(value.split(",", -1)).stream())
                .toList()) {
            try {
                blocks.add(Cidr.parse(text));
            } catch (IllegalArgumentException e) {
                flags.problem("--pod-cidr", String.valueOf(e.getMessage()), "a block of addresses");
            }
        }
        return template.map(file -> new PodNetwork(file, blocks));
    }
}
