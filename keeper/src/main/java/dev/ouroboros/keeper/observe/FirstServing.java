package dev.ouroboros.keeper.observe;

import dev.ouroboros.api.ApiException;
import dev.ouroboros.keeper.decide.Proof;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.front.Server;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether clients of other nodes may be led to this one, to which they are not led yet: its API server answers what a candidate is asked. {@code /readyz} alone
 * does not tell that a server cannot read Secrets, as one whose encryption key is not the others'.
 */
final class FirstServing implements BooleanSupplier {
    private static final Logger LOG = LoggerFactory.getLogger(FirstServing.class);

    private final LocalServers servers;
    private final Function<Server, Evidence<Health>> health;
    private final Consumer<String> people;
    private volatile String said = "";

    /**
     * @param health of a server of this node, by its probe
     * @param people are told why no server of this node is good for others' clients, each time that it is asked; who listens says it to them once in a while
     */
    FirstServing(LocalServers servers, Function<Server, Evidence<Health>> health, Consumer<String> people) {
        this.servers = servers;
        this.health = health;
        this.people = people;
    }

    @Override
    public boolean getAsBoolean() {
        List<String> failed = new ArrayList<>();
        for (Server server : List.of(Server.PRINCIPAL, Server.UNDERSTUDY)) {
            if (Health.isReady(health.apply(server))) {
                Optional<String> why = failure(server);
                if (why.isEmpty()) {
                    said = "";
                    // Where one of two does not answer well, the front leads to the other one.
                    return true;
                }
                failed.add(server.name().toLowerCase(Locale.ROOT) + ", " + why.get());
            }
        }
        if (!failed.isEmpty()) {
            tell(String.join("; ", failed));
        }
        return false;
    }

    /** An Event is gone after an hour, and is said again as long as it is true; the log has it once. */
    private void tell(String failed) {
        people.accept("the kubernetes Service does not lead clients to the API server of this node yet: " + failed);
        if (!failed.equals(said)) {
            LOG.warn("component=keeper event=not-joined reason=\"{}\"", failed);
        }
        said = failed;
    }

    private Optional<String> failure(Server server) {
        try {
            return switch (servers.examine(server, Optional.empty())) {
                case Proof.Passed _ -> Optional.empty();
                case Proof.Failed(String question, String detail) -> Optional.of(question + ": " + detail);
            };
        } catch (ApiException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }
}
