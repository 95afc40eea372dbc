package dev.ouroboros.status.source;

import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.status.seen.Seen;
import java.net.URI;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * Looks again and again, each time at whoever is meant then: a node that was booted is another process, and where a server is lost another
 * one may be asked. Connections are kept as long as it is the same.
 */
public final class StatusLooks implements AutoCloseable {
    private final Supplier<Evidence<Endpoint>> endpoint;
    private final Supplier<Evidence<NodePlace>> node;
    private final BiFunction<Evidence<Endpoint>, Evidence<NodePlace>, StatusSource> sources;
    private Optional<Meant> meant = Optional.empty();

    private record Meant(Evidence<URI> server, Evidence<NodePlace> node, StatusSource source) {}

    /**
     * For one who watches.
     *
     * @param endpoint says which server is meant now
     * @param node says which node is meant now, and where it is
     * @param sources makes what asks the two
     */
    public StatusLooks(
            Supplier<Evidence<Endpoint>> endpoint,
            Supplier<Evidence<NodePlace>> node,
            BiFunction<Evidence<Endpoint>, Evidence<NodePlace>, StatusSource> sources) {
        this.endpoint = endpoint;
        this.node = node;
        this.sources = sources;
    }

    public Seen look() {
        Evidence<Endpoint> nowAsked = endpoint.get();
        Evidence<URI> server = nowAsked.map(Endpoint::server);
        Evidence<NodePlace> place = node.get();
        Meant now = meant.filter(
                        last -> last.server().equals(server) && last.node().equals(place))
                .orElseGet(() -> {
                    close();
                    return new Meant(server, place, sources.apply(nowAsked, place));
                });
        meant = Optional.of(now);
        return now.source().look();
    }

    @Override
    public void close() {
        meant.ifPresent(last -> last.source().close());
    }
}
