package dev.ouroboros.keeper.observe;

import dev.ouroboros.api.ApiException;
import dev.ouroboros.keeper.decide.Proof;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.front.Server;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
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
     * @param people are told why no server of this node is good for others' clients
     */
    FirstServing(LocalServers servers, Function<Server, Evidence<Health>> health, Consumer<String> people) {
        this.servers = servers;
        this.health = health;
        this.people = people;
    }

    @Override
    public boolean getAsBoolean() {
        // Where one of two does not answer well, the front leads to the other one.
        return Stream.of(Server.PRINCIPAL, Server.UNDERSTUDY)
                .anyMatch(server -> Health.isReady(health.apply(server)) && passes(server));
    }

    private boolean passes(Server server) {
        String failed;
        try {
            failed = switch (servers.examine(server, Optional.empty())) {
                case Proof.Passed _ -> "";
                case Proof.Failed(String question, String detail) -> question + ": " + detail;
            };
        } catch (ApiException e) {
            failed = String.valueOf(e.getMessage());
        }
        if (!failed.isEmpty() && !failed.equals(said)) {
            LOG.warn("component=keeper event=not-joined server={} reason=\"{}\"", server, failed);
            people.accept("the kubernetes Service does not lead clients to the API server of this node yet: "
                    + server.name().toLowerCase(Locale.ROOT) + ", " + failed);
        }
        said = failed;
        return failed.isEmpty();
    }
}
