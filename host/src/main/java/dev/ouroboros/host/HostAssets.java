package dev.ouroboros.host;

import dev.ouroboros.core.asset.AssetLayout;
import dev.ouroboros.core.host.HostFiles;
import dev.ouroboros.core.host.HostSettings.Role;
import dev.ouroboros.core.net.Cidr;
import dev.ouroboros.core.net.NodeCidrs;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.Problem;
import dev.ouroboros.node.disk.Disk;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.URI;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What an asset directory says of its cluster to a host. Problems are collected. */
final class HostAssets {
    /** Where render, as everybody else, puts the cluster's DNS in the Services' range. */
    private static final int DNS_OFFSET = 10;

    private static final Pattern SERVER = Pattern.compile("(?m)^\\s*server: \"?(https://[^\\s\"]+)");

    private final Path directory;
    private final Map<String, String> texts = new LinkedHashMap<>();
    private final List<Problem> problems;

    HostAssets(Disk disk, Path directory, Role role, List<Problem> problems) {
        this.directory = directory;
        this.problems = problems;
        for (String path : HostFiles.assetsFor(role)) {
            disk.readText(directory.resolve(path))
                    .ifPresentOrElse(text -> texts.put(path, text), () -> problems.add(missing(path, role)));
        }
    }

    Map<String, String> texts() {
        return texts;
    }

    Optional<InetAddress> clusterDns() {
        return flag(AssetLayout.API_SERVER, "service-cluster-ip-range")
                .map(ranges -> Cidr.parse(first(ranges)).at(DNS_OFFSET));
    }

    /** What {@code start} gives to the first node. */
    Optional<Cidr> firstPodCidr() {
        return flag(AssetLayout.CONTROLLER_MANAGER, "cluster-cidr")
                .flatMap(ranges -> NodeCidrs.parse(
                                first(ranges),
                                flag(AssetLayout.CONTROLLER_MANAGER, "node-cidr-mask-size")
                                        .map(Integer::valueOf),
                                Optional.empty(),
                                Optional.empty())
                        .next(List.of()))
                .map(List::getFirst);
    }

    /** The address from which this machine reaches the API server. Connecting a datagram socket sends nothing. */
    Optional<InetAddress> ownAddress() {
        Optional<URI> server = Optional.ofNullable(texts.get(AssetLayout.KUBELET_KUBECONFIG))
                .map(SERVER::matcher)
                .filter(Matcher::find)
                .map(found -> URI.create(found.group(1)));
        if (server.isEmpty()) {
            return Optional.empty();
        }
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(new InetSocketAddress(
                    server.get().getHost(), Math.max(1, server.get().getPort())));
            return Optional.of(socket.getLocalAddress())
                    .filter(address -> !address.isLoopbackAddress() && !address.isAnyLocalAddress());
        } catch (SocketException | UncheckedIOException e) {
            problems.add(new Problem(
                    ErrorCode.BAD_USAGE,
                    "--node-address",
                    "this machine has no way to the API server " + server.get() + ": " + e.getMessage(),
                    "an address of this machine",
                    "say it with --node-address"));
            return Optional.empty();
        }
    }

    private Optional<String> flag(String asset, String name) {
        return Optional.ofNullable(texts.get(asset)).flatMap(text -> {
            Matcher found = Pattern.compile("--" + name + "=([^\\s\"',]+(?:,[^\\s\"',]+)*)")
                    .matcher(text);
            if (found.find()) {
                return Optional.of(found.group(1));
            }
            return Optional.empty();
        });
    }

    /** Of two ranges, for two families, the first is the cluster's own. */
    private static String first(String ranges) {
        return ranges.replaceFirst(",.*", "");
    }

    private Problem missing(String path, Role role) {
        return new Problem(
                ErrorCode.INVALID_ASSET_DIRECTORY,
                directory.resolve(path).toString(),
                "is missing",
                "",
                role == Role.WORKER
                        ? "copy " + String.join(", ", HostFiles.assetsFor(role))
                                + " of the control plane's directory here"
                        : "render the directory, with etcd's certificates left to be made: ouro render --asset-dir "
                                + directory);
    }
}
