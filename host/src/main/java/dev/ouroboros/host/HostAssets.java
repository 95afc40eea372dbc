package dev.ouroboros.host;

import dev.ouroboros.host.decide.HostFiles;
import dev.ouroboros.host.decide.NodePool;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.Manifest;
import dev.ouroboros.model.net.Cidr;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.render.cluster.ClusterSpec;
import dev.ouroboros.render.cluster.ClusterSpec.Network;
import dev.ouroboros.render.cluster.ImageNames;
import dev.ouroboros.render.lint.ManifestFile;
import dev.ouroboros.render.pki.Pem;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** What an asset directory says of its cluster to a host. Problems are collected. */
final class HostAssets implements NodeCluster {
    private final Disk disk;
    private final Path directory;
    private final Map<String, String> texts = new LinkedHashMap<>();
    private final List<Problem> problems;

    HostAssets(Disk disk, Path directory, List<Problem> problems) {
        this.disk = disk;
        this.directory = directory;
        this.problems = problems;
        for (String path : HostFiles.neededAssets()) {
            disk.readText(directory.resolve(path))
                    .ifPresentOrElse(text -> texts.put(path, text), () -> problems.add(missing(path)));
        }
    }

    /** Images of the manifests that no registry has. */
    NavigableSet<String> localImages() {
        NavigableSet<String> images = new TreeSet<>();
        for (String name : disk.list(directory.resolve(AssetLayout.MANIFESTS))) {
            if (name.endsWith(".yaml")) {
                String path = AssetLayout.MANIFESTS + "/" + name;
                disk.readText(directory.resolve(path))
                        .ifPresent(text -> objects(path, text)
                                .flatMap(object -> new Manifest(path, object).images().stream())
                                .filter(ImageNames::isLocal)
                                .forEach(images::add));
            }
        }
        return images;
    }

    /** Certificates of the authorities that the cluster's kubelets trust. */
    List<X509Certificate> authorities() {
        return Pem.certificates(texts.getOrDefault(AssetLayout.CA_CERTIFICATE, ""))
                .toList();
    }

    /** Version of the API server, by its image's tag; empty where that is no version. */
    Optional<KubernetesVersion> kubernetesVersion() {
        return objects(AssetLayout.API_SERVER)
                .flatMap(object -> new Manifest(AssetLayout.API_SERVER, object).images().stream())
                .map(image -> image.replaceFirst("@.*", ""))
                .flatMap(image -> KubernetesVersion.parse(image.substring(image.lastIndexOf(':') + 1)).stream())
                .findFirst();
    }

    @Override
    public Map<String, String> texts() {
        return texts;
    }

    @Override
    public Optional<InetAddress> clusterDns() {
        return flag(AssetLayout.API_SERVER, Component.API_SERVER, "service-cluster-ip-range")
                .flatMap(ranges -> read(
                        AssetLayout.API_SERVER,
                        "--service-cluster-ip-range " + ranges,
                        () -> Network.dnsAddressIn(Cidr.parse(first(ranges)))));
    }

    @Override
    public List<String> clusterBlocks() {
        return Stream.concat(
                        flag(AssetLayout.CONTROLLER_MANAGER, Component.CONTROLLER_MANAGER, "cluster-cidr").stream(),
                        flag(AssetLayout.API_SERVER, Component.API_SERVER, "service-cluster-ip-range").stream())
                .flatMap(ranges -> Stream.of(ranges.split(",", -1)))
                .toList();
    }

    /** Whether the controller manager gives each Node a block of addresses for its pods. */
    boolean givesNodesPodAddresses() {
        return flag(AssetLayout.CONTROLLER_MANAGER, Component.CONTROLLER_MANAGER, "allocate-node-cidrs")
                        .filter("true"::equals)
                        .isPresent()
                && flag(AssetLayout.CONTROLLER_MANAGER, Component.CONTROLLER_MANAGER, "cluster-cidr")
                        .isPresent();
    }

    @Override
    public Optional<URI> server() {
        return objects(AssetLayout.KUBELET_KUBECONFIG)
                .flatMap(kubeconfig -> kubeconfig.at("clusters").items().stream())
                .flatMap(cluster -> cluster.at("cluster", "server").text().stream())
                .flatMap(text -> read(AssetLayout.KUBELET_KUBECONFIG, "server " + text, () -> server(text)).stream())
                .findFirst();
    }

    @Override
    public String clusterDomain() {
        return ClusterSpec.CLUSTER_DOMAIN;
    }

    @Override
    public NodePool pool() {
        return NodePool.NONE;
    }

    /** Parses a value that somebody may have edited: one that does not parse is noted as a problem of its file. */
    private <T> Optional<T> read(String asset, String value, Supplier<T> parser) {
        try {
            return Optional.of(parser.get());
        } catch (IllegalArgumentException e) {
            problems.add(new Problem(
                    ErrorCode.INVALID_ASSET_DIRECTORY,
                    directory.resolve(asset).toString(),
                    value + " cannot be read",
                    String.valueOf(e.getMessage()),
                    "mend it there, or render the directory again"));
            return Optional.empty();
        }
    }

    private static URI server(String text) {
        URI server = URI.create(text);
        if (server.getHost() == null || server.getPort() > 65535) {
            throw new IllegalArgumentException("a URL as https://HOST:PORT");
        }
        return server;
    }

    /** A flag of the program that the asset's pods run. */
    private Optional<String> flag(String asset, Component component, String name) {
        return objects(asset)
                .flatMap(object -> new Manifest(asset, object).commandLine(component).value(name).stream())
                .findFirst();
    }

    private Stream<Json> objects(String asset) {
        return objects(asset, texts.getOrDefault(asset, ""));
    }

    private Stream<Json> objects(String asset, String text) {
        try {
            return ManifestFile.manifests(text, directory.resolve(asset).toString()).stream();
        } catch (ProblemException e) {
            problems.addAll(e.problems());
            return Stream.of();
        }
    }

    /** The first of the ranges: in a dual-stack cluster that of the primary family. */
    private static String first(String ranges) {
        return ranges.replaceFirst(",.*", "");
    }

    private Problem missing(String path) {
        return new Problem(
                ErrorCode.INVALID_ASSET_DIRECTORY,
                directory.resolve(path).toString(),
                "is missing",
                "",
                "render the directory, with etcd's certificates left to be made: ouro render --asset-dir " + directory);
    }
}
