package dev.ouroboros.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ouroboros.bootstrap.decide.PivotSettings;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.LocalDisk;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Assets that do not fit the machine, which a start says before it changes anything. */
final class StartPlanTest {
    @TempDir
    private Path directory = Path.of("");

    @SuppressWarnings("NullAway.Init") // made before each test
    private SmallAssets assets;

    @BeforeEach
    void write() throws Exception {
        assets = new SmallAssets(new LocalDisk(), directory.resolve("assets"));
        kubeconfig("https://127.0.0.1:6443");
    }

    private void kubeconfig(String server) throws Exception {
        String authority = TestAuthority.pem(new TestAuthority().certificate());
        assets.write(AssetLayout.ADMIN_KUBECONFIG, """
                apiVersion: v1
                kind: Config
                current-context: admin
                contexts: [{name: admin, context: {cluster: some, user: admin}}]
                clusters: [{name: some, cluster: {server: "%s", certificate-authority-data: %s}}]
                users: [{name: admin, user: {token: secret}}]
                """.formatted(
                        server, Base64.getEncoder().encodeToString(authority.getBytes(StandardCharsets.UTF_8))));
    }

    private StartPlan plan(Optional<InetAddress> node, boolean ipv6) {
        return plan(node, Optional.empty(), ipv6);
    }

    private StartPlan plan(Optional<InetAddress> node, Optional<InetAddress> prepared, boolean ipv6) {
        StartOptions options = new StartOptions(
                directory.resolve("assets"),
                directory.resolve("manifests"),
                directory.resolve("state"),
                "node",
                node,
                prepared,
                Optional.empty(),
                true,
                false,
                false,
                Set.of(),
                PivotSettings.DEFAULT,
                Optional.empty());
        return StartPlan.of(new LocalDisk(), options, ipv6, Instant.EPOCH);
    }

    @Test
    void anIpv6AddressIsRefusedWhereTheKernelHasNone() {
        assets.pod(Component.API_SERVER, "--bind-address=::");
        assertThat(plan(Optional.empty(), true).endpoint()).isEqualTo("127.0.0.1:6443");

        Refusal.of(
                () -> plan(Optional.empty(), false),
                ErrorCode.INVALID_ASSET_DIRECTORY,
                assets.file(AssetLayout.bootstrapManifest(Component.API_SERVER)) + ": --bind-address",
                ":: is IPv6, which this machine does not have",
                "render again with extraArgs.kubeApiserver.bind-address: 0.0.0.0");
    }

    /** As a load balancer's; {@code host prepare} has been told this machine's. */
    @Test
    void anEndpointThatLeadsElsewhereNeedsNoAddressOnAMachineThatWasPrepared() throws Exception {
        Optional<InetAddress> own = ownAddress(Inet4Address.class::isInstance);
        assumeTrue(own.isPresent(), "no network on this machine");
        kubeconfig("https://" + TestAuthority.NODE + ":6443");
        assets.pod(Component.API_SERVER, "--secure-port=6443");

        assertThat(plan(Optional.empty(), own, false).endpoint())
                .isEqualTo(own.get().getHostAddress() + ":6443");
        Refusal.of(
                () -> plan(Optional.of(InetAddress.ofLiteral(TestAuthority.NODE)), own, false),
                ErrorCode.INVALID_ASSET_DIRECTORY,
                assets.file(AssetLayout.ADMIN_KUBECONFIG).toString(),
                "none of which is this machine's",
                "say this machine's address with --node-address");
    }

    @Test
    void aServiceRangeThatIsNoneIsRefused() throws SocketException {
        Optional<InetAddress> node = ownAddress(Inet4Address.class::isInstance);
        assumeTrue(node.isPresent(), "no network on this machine");
        for (String range : List.of("nonsense", "10.3.0.0.0/24", "services,10.3.0.0/24")) {
            assets.pod(Component.API_SERVER, "--service-cluster-ip-range=" + range);
            Refusal.of(
                    () -> plan(node, true),
                    ErrorCode.INVALID_ASSET_DIRECTORY,
                    directory.resolve("assets") + ": --service-cluster-ip-range",
                    range.replaceFirst(",.*", "") + " is not an address range",
                    "render the assets again");
        }
    }

    @Test
    void anAddressAndAPortThatNoFrontCanHaveAreRefused() throws Exception {
        Optional<InetAddress> node = ownAddress(Inet4Address.class::isInstance);
        assumeTrue(node.isPresent(), "no network on this machine");
        kubeconfig("https://127.0.0.1:26443");
        assertNoFront(node, "26443", "principal and understudy cannot share port 26443");

        Optional<InetAddress> linkLocal = ownAddress(InetAddress::isLinkLocalAddress);
        assumeTrue(linkLocal.isPresent(), "no IPv6 on this machine");
        kubeconfig("https://127.0.0.1:6443");
        assertNoFront(linkLocal, "6443", "a node address must be an address that others can reach, not fe80:");
    }

    private void assertNoFront(Optional<InetAddress> node, String port, String why) {
        Refusal.of(
                () -> plan(node, true),
                ErrorCode.INVALID_ASSET_DIRECTORY,
                assets.file(AssetLayout.ADMIN_KUBECONFIG).toString(),
                "the API endpoint https://127.0.0.1:" + port + " cannot be behind a front: " + why,
                "say another address of this machine with --node-address, or render with other --api-servers");
    }

    private static Optional<InetAddress> ownAddress(Predicate<InetAddress> wanted) throws SocketException {
        return NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> !address.isLoopbackAddress())
                .filter(wanted)
                .findFirst();
    }
}
