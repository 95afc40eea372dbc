package dev.ouroboros.keeper.observe;

import static java.util.Objects.requireNonNull;

import dev.ouroboros.api.ApiClient;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ServerProbe;
import dev.ouroboros.keeper.decide.Proof;
import dev.ouroboros.keeper.observe.ServerExam.Expected;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.front.FrontSpec;
import dev.ouroboros.model.front.Server;
import dev.ouroboros.model.front.ServiceAddress;
import dev.ouroboros.node.port.PortProbe;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The servers of this node through its sockets. */
public final class LoopbackServers implements LocalServers {
    private final InstantSource clock;
    private final Map<Server, ServerProbe> probes = new EnumMap<>(Server.class);
    private final Map<Server, ServerExam> exams = new EnumMap<>(Server.class);

    /** @param cluster UID of kube-system, when it is known */
    public LoopbackServers(FrontSpec front, ApiClient client, Supplier<Optional<String>> cluster, InstantSource clock) {
        this.clock = clock;
        CertifiedAddresses addresses = new CertifiedAddresses(
                written(front.services().stream().map(ServiceAddress::clusterIp)),
                written(front.nodeAddresses().stream()));
        ServerProbe.Credentials credentials = client::endpoint;
        for (Server server : Server.values()) {
            InetSocketAddress address = at(front.portOf(server));
            probes.put(server, ServerProbe.of(address, credentials, clock));
            Consumer<Set<String>> passed = server == Server.PRINCIPAL ? addresses::principalPassedWith : _ -> {};
            exams.put(server, new ServerExam(address, credentials, new Expected(cluster, addresses, passed), clock));
        }
    }

    private static Set<String> written(Stream<InetAddress> addresses) {
        return addresses.map(InetAddress::getHostAddress).collect(Collectors.toSet());
    }

    @Override
    public Health probe(Server server, Health previous) throws ApiException {
        return requireNonNull(probes.get(server)).probe(previous);
    }

    @Override
    public Proof examine(Server server, Optional<Proof> before) throws ApiException {
        return requireNonNull(exams.get(server)).ask(before);
    }

    @Override
    public Health listens(Component component, Health before) {
        return PortProbe.probe(component.understudyPort(), before, clock);
    }

    private static InetSocketAddress at(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }
}
