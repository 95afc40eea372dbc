package dev.ouroboros.keeper.balancer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.balancer.decide.OwnServer;
import dev.ouroboros.keeper.balancer.decide.RemoteHealth;
import dev.ouroboros.keeper.observe.Lookouts;
import dev.ouroboros.keeper.observe.TableMonitor;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.front.BalancerState;
import dev.ouroboros.model.front.Deal;
import dev.ouroboros.model.front.Server;
import dev.ouroboros.model.front.ServerAddress;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.front.Balancer;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.node.testing.ModelDisk;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class NodeBalancerTest {
    private static final Path DIRECTORY = Path.of("/var/lib/ouroboros/keeper");
    private static final Path FILE = DIRECTORY.resolve("servers.json");
    private static final ServerAddress A = at("10.77.0.2", 6443);
    private static final ServerAddress B = at("10.77.0.3", 6443);
    private static final ServerAddress SERVICE = at("10.3.0.1", 443);

    private final ModelDisk disk = new ModelDisk();
    private final Turns turns = new Turns();
    private final Kernel kernel = new Kernel();
    private final Map<ServerAddress, Health> health = new TreeMap<>();
    private final Set<ServerAddress> away = new TreeSet<>();
    private final List<ServerAddress> closed = new ArrayList<>();
    private Instant now = Instant.parse("2026-11-26T12:00:00Z");
    private Evidence<SortedSet<ServerAddress>> named = Evidence.unknown("no API server answers");
    private Optional<OwnServer> own = Optional.empty();
    private int reconnected;

    private static ServerAddress at(String address, int port) {
        return new ServerAddress(InetAddress.ofLiteral(address), port);
    }

    /** Gives the turns of sources by hand. */
    private static final class Turns implements Lookouts {
        private final List<Supplier<Duration>> looks = new ArrayList<>();

        @Override
        public void repeat(String name, Supplier<Duration> look) {
            looks.add(look);
        }

        @Override
        public void repeatAndWhenRestEnds(String name, Supplier<Duration> look) {
            looks.add(look);
        }

        /** Those too that begin meanwhile: they look at once. */
        void takeAll() {
            for (int next = 0; next < looks.size(); next++) {
                assertThat(looks.get(next).get()).isPositive();
            }
        }

        @Override
        public void follow(String name, Runnable look) {}

        @Override
        public void close() {}
    }

    /** Holds what it is told, as long as nobody takes it away. */
    private static final class Kernel implements Balancer {
        private final List<Deal> deals = new ArrayList<>();
        private final List<ServerAddress> ended = new ArrayList<>();
        private boolean refuses;
        private BalancerState state = new BalancerState.NotInstalled();

        @Override
        public void deal(Deal deal, Duration lease) {
            if (state instanceof BalancerState.Foreign) {
                throw ProblemException.of(ErrorCode.FOREIGN_TABLE, "table", "is another's", "ours", "rename it");
            }
            state = new BalancerState.Installed();
            deals.add(deal);
        }

        @Override
        public void endConnections(ServerAddress address) {
            if (refuses) {
                throw ProblemException.of(ErrorCode.PROCESS_FAILED, "connections", "cannot be ended", "", "try again");
            }
            ended.add(address);
        }

        @Override
        public BalancerState read() {
            return state;
        }

        @Override
        public void install() {
            deal(Deal.none(), Duration.ofSeconds(1));
            deals.removeLast();
        }

        @Override
        public void remove() {
            state = new BalancerState.NotInstalled();
        }
    }

    @BeforeEach
    void directory() {
        disk.createDirectories(DIRECTORY, Disk.OWNER_ONLY_DIRECTORY);
    }

    private NodeBalancer started(ServerAddress... seeds) {
        NodeBalancer balancer = new NodeBalancer(
                kernel,
                new KnownServers(disk, FILE, those(seeds), () -> now),
                server -> new RemoteProbe() {
                    @Override
                    public RemoteHealth ask(Health before) {
                        Health said = health.getOrDefault(server, new Health.NotListening());
                        return new RemoteHealth(Evidence.known(said), away.contains(server), away.contains(server));
                    }

                    @Override
                    public void close() {
                        closed.add(server);
                    }
                },
                new NodeBalancer.Surroundings(() -> own, () -> named, those(SERVICE), () -> reconnected++),
                () -> now);
        balancer.start(turns, new TableMonitor(new LocalProcesses(), List.of()));
        return balancer;
    }

    private static SortedSet<ServerAddress> those(ServerAddress... servers) {
        return new TreeSet<>(Arrays.asList(servers));
    }

    private void after(Duration time) {
        now = now.plus(time);
        turns.takeAll();
        turns.takeAll();
    }

    private void isReady(ServerAddress server) {
        health.put(server, new Health.Ready(now));
    }

    @Test
    void dealsBeforeItHasAskedAnybody() {
        started(A).look();

        assertThat(kernel.deals).containsExactly(Deal.of(List.of(A, SERVICE), List.of(A), List.of()));
    }

    @Test
    void followsWhatTheApiNames() {
        started(A);
        isReady(A);
        isReady(B);
        named = Evidence.known(those(A, B));
        after(Duration.ofSeconds(1));

        assertThat(kernel.deals.getLast()).isEqualTo(Deal.of(List.of(A, B, SERVICE), List.of(A, B), List.of()));

        named = Evidence.known(those(B));
        after(Duration.ofSeconds(1));
        assertThat(kernel.deals.getLast())
                .as("who dials a server that left still gets to one")
                .isEqualTo(Deal.of(List.of(A, B, SERVICE), List.of(B), List.of()));
        assertThat(closed).containsExactly(A);
    }

    /** Each turn wakes the processor once a second. */
    @Test
    void hasATurnForEachServerAndNoneWhereThereIsNoOther() {
        started();
        int own = turns.looks.size();
        after(Duration.ofSeconds(1));
        assertThat(turns.looks).hasSize(own);

        named = Evidence.known(those(A, B));
        after(Duration.ofSeconds(1));
        after(Duration.ofSeconds(1));
        assertThat(turns.looks).hasSize(own + 2);
    }

    @Test
    void aServerThatIsLostCutsItsOwnConnections() {
        started();
        isReady(A);
        isReady(B);
        named = Evidence.known(those(A, B));
        after(Duration.ofSeconds(1));
        after(Duration.ofSeconds(1));
        int before = reconnected;

        health.put(A, new Health.NotReady("says nothing", Optional.of(now)));
        after(Duration.ofSeconds(1));

        assertThat(kernel.deals.getLast()).isEqualTo(Deal.of(List.of(A, B, SERVICE), List.of(B), List.of(A)));
        assertThat(reconnected).isEqualTo(before + 1);
    }

    @Test
    void theEtcdOfANodeThatIsAwayLosesItsClientsOnce() {
        own = Optional.of(new OwnServer(
                B,
                at("10.77.0.3", 26443),
                Evidence.known(new Health.Ready(now)),
                Evidence.known(new Health.NotListening()),
                Server.PRINCIPAL));
        started();
        isReady(A);
        named = Evidence.known(those(A, B));
        after(Duration.ofSeconds(1));
        away.add(A);
        health.put(A, new Health.NotReady("cannot be reached", Optional.of(now)));
        kernel.refuses = true;
        after(Duration.ofSeconds(1));
        assertThat(kernel.ended).isEmpty();
        kernel.refuses = false;
        after(Duration.ofSeconds(1));
        after(Duration.ofSeconds(20));

        assertThat(kernel.ended).containsExactly(at("10.77.0.2", 2379));
    }

    @Test
    void aDealIsRenewedLongBeforeItRunsOut() {
        started(A);
        isReady(A);
        after(Duration.ofSeconds(1));
        int before = kernel.deals.size();
        for (int second = 0; second < 60; second++) {
            after(Duration.ofSeconds(1));
        }
        assertThat(kernel.deals.size() - before).isBetween(5, 7);
    }

    @Test
    void aTableThatIsGoneIsMadeAgain() {
        started(A);
        isReady(A);
        after(Duration.ofSeconds(1));
        int before = kernel.deals.size();
        kernel.remove();

        after(Duration.ofSeconds(31));

        assertThat(kernel.state).isEqualTo(new BalancerState.Installed());
        assertThat(kernel.deals).hasSizeGreaterThan(before);
    }

    @Test
    void aTableOfSomebodyElseIsLeftAloneAndSaid() {
        kernel.state = new BalancerState.Foreign("another's");
        NodeBalancer balancer = started(A);
        after(Duration.ofSeconds(1));

        assertThat(kernel.deals).isEmpty();
        assertThat(balancer.trouble())
                .hasValueSatisfying(trouble -> assertThat(trouble).contains("is another's"));
    }

    @Test
    void theOnlyControlPlaneNodeHasNoTable() {
        own = Optional.of(new OwnServer(
                A, at("10.77.0.2", 26443), Evidence.unknown("begins"), Evidence.unknown("begins"), Server.PRINCIPAL));
        started(A);
        named = Evidence.known(those(A));
        after(Duration.ofSeconds(1));

        assertThat(kernel.deals).isEmpty();
        assertThat(kernel.state).isEqualTo(new BalancerState.NotInstalled());
    }

    /** On that a node gives its checkpoints up, and another one gets its label back. */
    @Test
    void countsOthersOnlyOnWhatTheySayThemselves() {
        own = Optional.of(new OwnServer(
                B,
                at("10.77.0.3", 26443),
                Evidence.known(new Health.Ready(now)),
                Evidence.known(new Health.NotListening()),
                Server.PRINCIPAL));
        NodeBalancer balancer = started(B);
        assertThat(balancer.readyOthers()).as("not looked yet").isInstanceOf(Evidence.Unknown.class);
        balancer.look();
        assertThat(balancer.readyOthers()).as("nobody has named any").isInstanceOf(Evidence.Unknown.class);

        named = Evidence.known(those(B));
        balancer.look();
        assertThat(balancer.readyOthers()).isEqualTo(Evidence.known(0));

        named = Evidence.known(those(A, B));
        balancer.look();
        assertThat(balancer.readyOthers()).as("not asked yet").isInstanceOf(Evidence.Unknown.class);
        isReady(A);
        after(Duration.ofSeconds(1));
        assertThat(balancer.readyOthers()).isEqualTo(Evidence.known(1));
        health.put(A, new Health.NotReady("[-]etcd failed"));
        after(Duration.ofSeconds(1));
        assertThat(balancer.readyOthers()).as("etcd elects").isInstanceOf(Evidence.Unknown.class);
        after(Duration.ofSeconds(13));
        assertThat(balancer.readyOthers()).isInstanceOf(Evidence.Unknown.class);
        after(Duration.ofSeconds(2));
        assertThat(balancer.readyOthers())
                .as("it has said so for longer than an election takes, beside one that is ready")
                .isEqualTo(Evidence.known(0));
        isReady(A);
        after(Duration.ofSeconds(2));
        assertThat(balancer.readyOthers()).isEqualTo(Evidence.known(1));
        health.put(A, new Health.NotListening());
        after(Duration.ofSeconds(1));
        assertThat(balancer.readyOthers()).isEqualTo(Evidence.known(0));
    }

    /** It has no part in the cluster, as where somebody edited the Endpoints for a moment. */
    @Test
    void goesBackToWhereTheControlPlaneWasWhenWhatIsNamedIsNoServerOfIt() {
        started();
        isReady(A);
        named = Evidence.known(those(A));
        after(Duration.ofSeconds(1));
        ServerAddress strange = at("10.77.0.9", 443);
        health.put(strange, new Health.NotReady("404"));
        named = Evidence.known(those(strange));
        after(Duration.ofSeconds(1));
        named = Evidence.unknown("no API server answers");
        after(Duration.ofSeconds(1));
        assertThat(kernel.deals.getLast().servers()).containsExactly(strange);

        after(Duration.ofSeconds(15));
        after(Duration.ofSeconds(1));

        assertThat(kernel.deals.getLast().servers()).containsExactly(A);
    }

    /** The Service leads to such a server no more, if the cluster has not heard of its node either. */
    @Test
    void saysWhoHasBeenAwayForAMinute() {
        NodeBalancer balancer = started(B);
        isReady(A);
        named = Evidence.known(those(A, B));
        after(Duration.ofSeconds(1));
        away.add(A);
        health.put(A, new Health.NotReady("cannot be reached", Optional.of(now)));
        after(Duration.ofSeconds(1));
        after(Duration.ofSeconds(59));
        assertThat(balancer.awayOthers()).isEmpty();
        after(Duration.ofSeconds(2));
        assertThat(balancer.awayOthers()).containsExactly("10.77.0.2");

        away.clear();
        after(Duration.ofSeconds(1));
        assertThat(balancer.awayOthers())
                .as("it answers, be it that it is not ready")
                .isEmpty();
        away.add(A);
        after(Duration.ofSeconds(59));
        assertThat(balancer.awayOthers()).as("the minute begins anew").isEmpty();
    }

    @Test
    void saysWhenItDoesNotLookAnyMore() {
        NodeBalancer balancer = started(A);
        balancer.look();
        assertThat(balancer.stuck()).isEmpty();
        now = now.plusSeconds(61);
        assertThat(balancer.stuck()).isPresent();
    }
}
