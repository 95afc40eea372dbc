package dev.ouroboros.sim;

import dev.ouroboros.api.ApiException;
import dev.ouroboros.keeper.balancer.RemoteProbe;
import dev.ouroboros.keeper.balancer.decide.RemoteHealth;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.front.BalancerState;
import dev.ouroboros.model.front.Deal;
import dev.ouroboros.model.front.ServerAddress;
import dev.ouroboros.node.front.Balancer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The balancer's table in the kernel of one node, and the network behind it. Lost with the power and when others flush. */
final class BalancerModel implements Balancer {
    private final Machine machine;
    private boolean installed;
    private Deal dealt = Deal.none();
    private Instant leaseEnds = Instant.MIN;

    BalancerModel(Machine machine) {
        this.machine = machine;
    }

    /** Where a machine takes connections for its API server. */
    static ServerAddress serverOf(Machine machine) {
        return new ServerAddress(machine.address(), Component.API_SERVER.port());
    }

    /**
     * Where a new connection of this node's clients goes.
     *
     * @param dialled what they dial
     * @return empty when it is refused
     */
    Optional<ServerAddress> lead(ServerAddress dialled) {
        Deal deal = machine.now().isBefore(leaseEnds) ? dealt : Deal.none();
        if (deal.doors().contains(dialled) && !deal.servers().isEmpty()) {
            List<ServerAddress> servers = List.copyOf(deal.servers());
            // One after the other, and the same for whoever asks at the same time.
            int turn = (int) (machine.timeline().passed().toSeconds() % servers.size());
            return Optional.of(servers.get(turn));
        }
        return deal.dead().contains(dialled) ? Optional.empty() : Optional.of(dialled);
    }

    Optional<Machine> machineAt(ServerAddress server) {
        return machine.cluster().machines().stream()
                .filter(other -> other.address().equals(server.address()))
                .findFirst();
    }

    /** Asks the server of another machine as a probe does, past this table. */
    RemoteProbe probe(ServerAddress server) {
        return new RemoteProbe() {
            @Override
            public RemoteHealth ask(Health before) throws ApiException {
                Optional<Machine> other = machineAt(server);
                if (other.filter(there -> machine.cluster().network().reaches(machine, there))
                        .isEmpty()) {
                    Health silent =
                            before instanceof Health.NotReady(String _, Optional<Instant> since) && since.isPresent()
                                    ? before
                                    : new Health.NotReady("connect timed out", Optional.of(machine.now()));
                    return new RemoteHealth(Evidence.known(silent), true, true);
                }
                return RemoteHealth.present(Evidence.known(other.get().servers().answerAtFront(before)));
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public void deal(Deal deal, Duration lease) {
        machine.front().ask();
        installed = true;
        dealt = deal;
        leaseEnds = machine.now().plus(lease);
        machine.trace().count("balancer: deals to " + deal.servers().size());
    }

    /** Connections that are open are not modelled. */
    @Override
    public void endConnections(ServerAddress address) {
        machine.front().ask();
    }

    @Override
    public BalancerState read() {
        if (machine.front().silent) {
            return new BalancerState.Unknown("the kernel does not answer");
        }
        return installed ? new BalancerState.Installed() : new BalancerState.NotInstalled();
    }

    @Override
    public void install() {
        machine.front().ask();
        installed = true;
    }

    @Override
    public void remove() {
        installed = false;
        dealt = Deal.none();
        leaseEnds = Instant.MIN;
    }
}
