package dev.ouroboros.bootstrap;

import dev.ouroboros.bootstrap.decide.Handover;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.front.FrontSpec;
import dev.ouroboros.model.front.ServiceAddress;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.render.understudy.TemporaryPod;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Where clients reach the API server of this node. */
public sealed interface ApiAddress {
    /** This machine's address that clients dial. */
    InetAddress node();

    int port();

    Handover handover();

    /** @param front what stands before both API servers */
    record BehindFront(InetAddress node, FrontSpec front) implements ApiAddress {
        @Override
        public int port() {
            return front.principalPort();
        }

        @Override
        public Handover handover() {
            return Handover.FRONT;
        }
    }

    /** A loopback address, which the front never maps: an API server dials itself there. */
    record OnLoopback(InetAddress node, int port) implements ApiAddress {
        @Override
        public Handover handover() {
            return Handover.OUTAGE;
        }
    }

    /**
     * Finds the address: the one of the API endpoint's addresses that is this machine's, or what the options say.
     *
     * @throws ProblemException INVALID_ASSET_DIRECTORY when the endpoint is a loopback address and no outage is allowed, or when
     *     no address of it is this machine's
     */
    static ApiAddress of(Endpoint api, StartOptions options, StartAssets assets) {
        List<InetAddress> candidates = options.nodeAddress().map(List::of).orElseGet(() -> resolve(api, assets));
        Optional<InetAddress> loopback =
                candidates.stream().filter(InetAddress::isLoopbackAddress).findFirst();
        if (loopback.isPresent()) {
            requireOutageAllowed(api, options, assets);
            return new OnLoopback(loopback.get(), api.port());
        }
        InetAddress node = candidates.stream()
                .filter(ApiAddress::isLocal)
                .findFirst()
                .or(() -> options.nodeAddress().isPresent()
                        ? Optional.empty()
                        : options.preparedAddress().filter(ApiAddress::isLocal))
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.INVALID_ASSET_DIRECTORY,
                        assets.adminKubeconfigFile().toString(),
                        "the API endpoint " + api.server() + " leads to " + candidates
                                + ", none of which is this machine's",
                        "an address of this machine",
                        "say this machine's address with --node-address"));
        return new BehindFront(node, front(api, node, assets));
    }

    private static FrontSpec front(Endpoint api, InetAddress node, StartAssets assets) {
        Optional<InetAddress> clusterIp = TemporaryPod.flag(
                        assets.temporaryPod(Component.API_SERVER), Component.API_SERVER, "service-cluster-ip-range")
                .map(ranges -> beforeFirst(ranges, ","))
                .map(range -> firstAddress(range, assets))
                // Kubernetes serves the Service in the first range's family.
                .filter(address -> address.getClass() == node.getClass());
        try {
            List<ServiceAddress> services = clusterIp.stream()
                    .map(address -> new ServiceAddress(address, 443))
                    .toList();
            return new FrontSpec(api.port(), Component.API_SERVER.understudyPort(), List.of(node), services);
        } catch (IllegalArgumentException e) {
            throw new ProblemException(
                    new Problem(
                            ErrorCode.INVALID_ASSET_DIRECTORY,
                            assets.adminKubeconfigFile().toString(),
                            "the API endpoint " + api.server() + " cannot be behind a front: " + e.getMessage(),
                            "a port other than " + Component.API_SERVER.understudyPort()
                                    + " and an address of this machine's network",
                            "say another address of this machine with --node-address, or render with other --api-servers"),
                    e);
        }
    }

    private static void requireOutageAllowed(Endpoint api, StartOptions options, StartAssets assets) {
        if (options.outageAllowed()) {
            return;
        }
        throw ProblemException.of(
                ErrorCode.INVALID_ASSET_DIRECTORY,
                assets.adminKubeconfigFile().toString(),
                "the API endpoint " + api.server()
                        + " is a loopback address: clients that use it cannot be moved from one API server to another"
                        + " without failed requests",
                "an address of this machine's network",
                "render with --api-servers=https://ADDRESS:6443, or take an outage of some seconds with --allow-outage");
    }

    private static List<InetAddress> resolve(Endpoint api, StartAssets assets) {
        try {
            return Arrays.asList(InetAddress.getAllByName(api.host()));
        } catch (UnknownHostException e) {
            throw new ProblemException(
                    new Problem(
                            ErrorCode.INVALID_ASSET_DIRECTORY,
                            assets.adminKubeconfigFile().toString(),
                            "the API endpoint's name " + api.host() + " cannot be resolved",
                            "a name that leads to this machine",
                            "add it to DNS or /etc/hosts, or say this machine's address with --node-address"),
                    e);
        }
    }

    private static String beforeFirst(String text, String separator) {
        int end = text.indexOf(separator);
        return end < 0 ? text : text.substring(0, end);
    }

    private static boolean isLocal(InetAddress address) {
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            throw new ProblemException(
                    new Problem(
                            ErrorCode.PROCESS_FAILED,
                            "network interfaces",
                            "cannot be read: " + e.getMessage(),
                            "",
                            "say this machine's address with --node-address"),
                    e);
        }
    }

    /** The kubernetes Service always gets the first address of the range. */
    private static InetAddress firstAddress(String range, StartAssets assets) {
        try {
            byte[] network = InetAddress.ofLiteral(beforeFirst(range, "/")).getAddress();
            byte[] next = new BigInteger(1, network).add(BigInteger.ONE).toByteArray();
            byte[] address = new byte[network.length];
            int length = Math.min(next.length, address.length);
            System.arraycopy(next, next.length - length, address, address.length - length, length);
            return InetAddress.getByAddress(address);
        } catch (IllegalArgumentException | UnknownHostException e) {
            throw new ProblemException(
                    new Problem(
                            ErrorCode.INVALID_ASSET_DIRECTORY,
                            assets.root() + ": --service-cluster-ip-range",
                            range + " is not an address range",
                            "such as 10.3.0.0/24",
                            "render the assets again"),
                    e);
        }
    }
}
