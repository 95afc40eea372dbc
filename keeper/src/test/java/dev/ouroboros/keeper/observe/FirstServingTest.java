package dev.ouroboros.keeper.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.ApiException;
import dev.ouroboros.keeper.decide.Proof;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.front.Server;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class FirstServingTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Proof PASSED = new Proof.Passed(NOW);
    private static final Proof FAILED = new Proof.Failed("list of Secrets", "500 no matching key");

    private final Map<Server, Health> health = new EnumMap<>(Server.class);
    private final Map<Server, Proof> proofs = new EnumMap<>(Server.class);
    private final List<Server> asked = new ArrayList<>();
    private final List<String> told = new ArrayList<>();

    private final FirstServing first = new FirstServing(
            new Servers(), server -> Evidence.known(health.getOrDefault(server, new Health.NotListening())), told::add);

    @Test
    void whoIsNotReadyIsNotAsked() {
        proofs.put(Server.PRINCIPAL, PASSED);

        assertThat(first.getAsBoolean()).isFalse();
        assertThat(asked).isEmpty();
    }

    /** {@code /readyz} is ok with an encryption key that is not the others'. */
    @Test
    void whoIsReadyAndCannotReadSecretsGetsNoClients() {
        health.put(Server.PRINCIPAL, new Health.Ready(NOW));
        proofs.put(Server.PRINCIPAL, FAILED);
        assertThat(first.getAsBoolean()).isFalse();
        assertThat(told)
                .containsExactly("the kubernetes Service does not lead clients to the API server of this node yet:"
                        + " principal, list of Secrets: 500 no matching key");

        proofs.put(Server.PRINCIPAL, PASSED);
        assertThat(first.getAsBoolean()).isTrue();
    }

    @Test
    void anUnderstudyServesToo() {
        health.put(Server.UNDERSTUDY, new Health.Ready(NOW));
        proofs.put(Server.UNDERSTUDY, PASSED);

        assertThat(first.getAsBoolean()).isTrue();
        assertThat(asked).containsExactly(Server.UNDERSTUDY);

        health.put(Server.PRINCIPAL, new Health.Ready(NOW));
        proofs.put(Server.PRINCIPAL, FAILED);
        assertThat(first.getAsBoolean()).as("clients are led to the better one").isTrue();
        assertThat(told).isEmpty();
    }

    @Test
    void withNothingToAskWithNobodyIsLedHere() {
        health.put(Server.PRINCIPAL, new Health.Ready(NOW));

        assertThat(first.getAsBoolean()).isFalse();
    }

    private final class Servers implements LocalServers {
        @Override
        public Health probe(Server server, Health previous) {
            return health.getOrDefault(server, previous);
        }

        @Override
        public Health listens(Component component, Health previous) {
            return previous;
        }

        @Override
        public Proof examine(Server server, Optional<Proof> before) throws ApiException {
            asked.add(server);
            Proof proof = proofs.get(server);
            if (proof == null) {
                throw new ApiException(ApiException.Kind.NO_CREDENTIALS, "no kubeconfig");
            }
            return proof;
        }
    }
}
