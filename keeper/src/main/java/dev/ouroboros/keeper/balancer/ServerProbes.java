package dev.ouroboros.keeper.balancer;

import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.PresenceCheck;
import dev.ouroboros.api.ServerProbe;
import dev.ouroboros.api.SourcePorts;
import dev.ouroboros.keeper.balancer.decide.RemoteHealth;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.front.BalancerTable;
import dev.ouroboros.model.front.ServerAddress;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.function.Function;

/**
 * Probes that ask the servers themselves, wherever the table leads this node's clients.
 *
 * @param credentials who we are
 */
public record ServerProbes(ServerProbe.Credentials credentials, SourcePorts ports, InstantSource clock)
        implements Function<ServerAddress, RemoteProbe> {
    public ServerProbes(ServerProbe.Credentials credentials, InstantSource clock) {
        this(credentials, SourcePorts.between(BalancerTable.FIRST_PROBE_PORT, BalancerTable.LAST_PROBE_PORT), clock);
    }

    @Override
    public RemoteProbe apply(ServerAddress server) {
        ServerProbe probe =
                ServerProbe.ofMany(new InetSocketAddress(server.address(), server.port()), ports, credentials, clock);
        InetSocketAddress etcd = new InetSocketAddress(server.address(), Component.ETCD.port());
        return new RemoteProbe() {
            @Override
            public RemoteHealth ask(Health before) throws ApiException {
                try (PresenceCheck ofEtcd = PresenceCheck.begin(etcd, ports, () -> {})) {
                    Evidence<Health> health = Evidence.known(probe.probe(before));
                    return new RemoteHealth(health, probe.isAway(), probe.isAway() && ofEtcd.awaitNobody());
                }
            }

            @Override
            public void close() {
                probe.close();
            }
        };
    }
}
