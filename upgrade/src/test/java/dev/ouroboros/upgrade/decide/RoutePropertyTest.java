package dev.ouroboros.upgrade.decide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.longs;

import dev.ouroboros.facts.SkewPolicy;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.version.KubernetesVersion;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.quicktheories.core.Gen;

/** What holds for the route of every cluster. The policy is written down here a second time, as sentences and not as data. */
final class RoutePropertyTest {
    private static final int EXAMPLES = 3000;
    private static final SkewPolicy POLICY = SkewPolicy.load();
    private static final Set<Component> ALL = EnumSet.of(
            Component.API_SERVER,
            Component.CONTROLLER_MANAGER,
            Component.SCHEDULER,
            Component.PROXY,
            Component.KUBELET);

    /** A cluster somewhere between a sound and an impossible one, and where it is to go. */
    private record World(List<ClusterMember> members, KubernetesVersion target) {
        static World of(long seed) {
            Random random = new Random(seed);
            int minor = 20 + random.nextInt(17);
            int nodes = 1 + random.nextInt(4);
            List<ClusterMember> members = new ArrayList<>();
            for (int node = 0; node < nodes; node++) {
                String name = "node-" + node;
                if (node < 3 && (node == 0 || random.nextBoolean())) {
                    members.add(new ClusterMember(Component.API_SERVER, name, version(minor + oneIn(random, 6))));
                    members.add(
                            new ClusterMember(Component.CONTROLLER_MANAGER, name, version(minor - oneIn(random, 6))));
                    members.add(new ClusterMember(Component.SCHEDULER, name, version(minor - oneIn(random, 6))));
                }
                members.add(new ClusterMember(
                        Component.KUBELET, name, version(minor + oneIn(random, 20) - random.nextInt(4))));
                members.add(new ClusterMember(Component.PROXY, name, version(minor - oneIn(random, 3))));
            }
            return new World(List.copyOf(members), version(minor - oneIn(random, 9) + random.nextInt(4)));
        }

        private static int oneIn(Random random, int chances) {
            return random.nextInt(chances) == 0 ? 1 : 0;
        }

        Route route() {
            return Route.of(members, target, ALL, false, POLICY);
        }
    }

    private static Gen<World> worlds() {
        return longs().all().map(World::of);
    }

    private static KubernetesVersion version(int minor) {
        return KubernetesVersion.of(1, minor);
    }

    @Test
    void neverPassesThroughAForbiddenPair() {
        qt().withExamples(EXAMPLES).forAll(worlds()).checkAssert(world -> {
            List<ClusterMember> members = new ArrayList<>(world.members());
            for (PlanStep step : world.route().steps()) {
                for (ClusterMember member : touched(step, members)) {
                    members.remove(member);
                    members.add(member.at(world.target()));
                    assertThat(isSupported(members))
                            .as("%s after %s", members, step.what())
                            .isTrue();
                }
                assertThat(step.pairs()).allMatch(SkewPair::isAllowed);
            }
        });
    }

    @Test
    void endsEarlyOnlyWithAReason() {
        qt().withExamples(EXAMPLES).forAll(worlds()).checkAssert(world -> {
            Route route = world.route();
            if (route.refusal().isEmpty() && route.forbidden().isEmpty()) {
                List<ClusterMember> members = new ArrayList<>(world.members());
                for (PlanStep step : route.steps()) {
                    for (ClusterMember member : touched(step, members)) {
                        members.remove(member);
                        members.add(member.at(world.target()));
                    }
                }
                assertThat(members).allMatch(member -> member.version().compareTo(world.target()) >= 0);
            } else {
                assertThat(route.forbidden()).noneMatch(SkewPair::isAllowed);
            }
        });
    }

    /** Whatever the policy supports at both ends, it supports on the way. */
    @Test
    void findsTheWayOfEveryClusterThatHasOne() {
        qt().withExamples(EXAMPLES).forAll(worlds()).checkAssert(world -> {
            List<ClusterMember> servers = world.members().stream()
                    .filter(member -> member.component() == Component.API_SERVER)
                    .toList();
            boolean isNext = servers.stream().allMatch(server -> {
                int minors = world.target().minor() - server.version().minor();
                return minors == 0 || minors == 1;
            });
            List<ClusterMember> then = world.members().stream()
                    .map(member -> member.component() == Component.KUBELET ? member : member.at(world.target()))
                    .toList();
            List<ClusterMember> serversFirst = world.members().stream()
                    .map(member -> member.component() == Component.API_SERVER ? member.at(world.target()) : member)
                    .toList();
            if (isNext && isSupported(world.members()) && isSupported(serversFirst) && isSupported(then)) {
                assertThat(world.route().forbidden()).isEmpty();
                assertThat(world.route().refusal()).isEmpty();
                assertThat(world.route().steps()).isNotEmpty();
            }
        });
    }

    @Test
    void neverSkipsAMinorVersionAndNeverGoesBack() {
        qt().withExamples(EXAMPLES).forAll(worlds()).checkAssert(world -> {
            boolean isJump = world.members().stream()
                    .filter(member -> member.component() == Component.API_SERVER)
                    .anyMatch(
                            server -> world.target().minor() - server.version().minor() > 1
                                    || world.target().minor() < server.version().minor());
            assertThat(world.route().refusal().isPresent()).isEqualTo(isJump);
            if (isJump) {
                assertThat(world.route().steps()).isEmpty();
            }
        });
    }

    private static List<ClusterMember> touched(PlanStep step, List<ClusterMember> members) {
        return Stream.of(Component.values())
                .filter(component -> component.name().equals(step.kind().name()))
                .flatMap(component -> members.stream().filter(member -> member.component() == component))
                .filter(member -> step.place().isEmpty() || step.place().equals(member.place()))
                .sorted()
                .toList();
    }

    /** The policy, in the words of its page. */
    private static boolean isSupported(Collection<ClusterMember> members) {
        for (ClusterMember server : members) {
            if (server.component() == Component.API_SERVER) {
                for (ClusterMember other : members) {
                    if (!isSupported(other, server)) {
                        return false;
                    }
                }
            }
        }
        return members.stream()
                .filter(member -> member.component() == Component.PROXY)
                .allMatch(proxy -> members.stream()
                        .filter(member -> member.component() == Component.KUBELET
                                && member.place().equals(proxy.place()))
                        .allMatch(kubelet -> Math.abs(proxy.version().minor()
                                        - kubelet.version().minor())
                                <= (proxy.version().minor() < 25 ? 2 : 3)));
    }

    private static boolean isSupported(ClusterMember member, ClusterMember server) {
        int older = server.version().minor() - member.version().minor();
        int most = member.version().minor() < 25 ? 2 : 3;
        return switch (member.component()) {
            case API_SERVER -> Math.abs(older) <= 1;
            case CONTROLLER_MANAGER, SCHEDULER -> older >= 0 && older <= 1;
            case KUBELET, PROXY -> older >= 0 && older <= most;
            case ETCD, KEEPER, NODE_AGENT, DNS, STEWARD -> true;
        };
    }

    @Test
    void whatIsPlannedComesInTheOrderInWhichItIsCarriedOut() {
        KubernetesVersion from = version(30);
        List<ClusterMember> members = Stream.of(Component.values())
                .map(component -> new ClusterMember(component, "one", from))
                .toList();

        Route route = Route.of(members, version(31), EnumSet.allOf(Component.class), false, POLICY);

        List<String> stages =
                Stream.of(UpgradeStage.values()).map(UpgradeStage::name).toList();
        List<String> planned = route.steps().stream()
                .map(step -> step.kind() == PlanStep.Kind.SHARED_OBJECTS
                        ? "SHARED"
                        : step.kind().name())
                .filter(stages::contains)
                .toList();
        assertThat(planned)
                .isEqualTo(UpgradeStage.order(Direction.FORWARD).stream()
                        .map(UpgradeStage::name)
                        .toList());
    }
}
