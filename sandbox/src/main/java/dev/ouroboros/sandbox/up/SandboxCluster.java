package dev.ouroboros.sandbox.up;

import dev.ouroboros.etcd.decide.TemporaryMember;
import dev.ouroboros.images.oci.BuiltImage;
import dev.ouroboros.images.oci.ContainerImage;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.render.manifest.Yaml;
import dev.ouroboros.sandbox.SandboxName;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The {@code Cluster} document of a sandbox.
 *
 * @param name of the sandbox and of its cluster
 * @param servers addresses of the nodes that begin as the control plane's
 * @param etcd addresses of those that run a member of etcd
 * @param kubernetesVersion without a leading {@code v}
 * @param images of the components
 * @param layers as in the document
 */
record SandboxCluster(
        SandboxName name,
        List<String> servers,
        List<String> etcd,
        String kubernetesVersion,
        List<ContainerImage> images,
        String layers) {
    static final String POD_CIDR = "10.2.0.0/16";
    static final String SERVICE_CIDR = "10.3.0.0/24";

    SandboxCluster {
        servers = List.copyOf(servers);
        etcd = List.copyOf(etcd);
        images = List.copyOf(images);
    }

    String document() {
        Map<String, Object> spec = new LinkedHashMap<>();
        spec.put("kubernetesVersion", kubernetesVersion);
        spec.put("layers", layers);
        spec.put("apiServer", Map.of("endpoints", urls(servers, Component.API_SERVER.port())));
        Map<String, Object> network = new LinkedHashMap<>();
        network.put("podCIDR", POD_CIDR);
        network.put("serviceCIDR", SERVICE_CIDR);
        spec.put("network", network);
        spec.put("etcd", Map.of("servers", etcdServers()));
        Map<String, Object> references = new LinkedHashMap<>();
        references.put("kubeApiserver", reference(BuiltImage.KUBE_APISERVER).orElseThrow());
        references.put(
                "kubeControllerManager",
                reference(BuiltImage.KUBE_CONTROLLER_MANAGER).orElseThrow());
        references.put("kubeScheduler", reference(BuiltImage.KUBE_SCHEDULER).orElseThrow());
        references.put("kubeProxy", reference(BuiltImage.KUBE_PROXY).orElse("none"));
        Optional<String> keeper = reference(BuiltImage.KEEPER);
        keeper.ifPresent(image -> references.put("keeper", image));
        Optional<String> dns = reference(BuiltImage.DNS);
        dns.ifPresent(image -> references.put("dns", image));
        references.put("steward", reference(BuiltImage.STEWARD).orElse("none"));
        spec.put("images", references);
        spec.put("keeper", Map.of("enabled", keeper.isPresent()));
        // What is pulled would need a network: a sandbox has the images that were built for it.
        spec.put("dns", Map.of("provider", dns.isPresent() ? "ouroboros" : "none"));
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("apiVersion", "ouroboros.dev/v1alpha1");
        document.put("kind", "Cluster");
        document.put("metadata", Map.of("name", name.value()));
        document.put("spec", spec);
        return new Yaml().text(document);
    }

    private static List<String> urls(List<String> addresses, int port) {
        return addresses.stream()
                .map(address -> "https://" + address + ":" + port)
                .toList();
    }

    /** With one member, that and the second door that it has while it is changed. */
    private List<String> etcdServers() {
        List<String> first = urls(etcd, Component.ETCD.port());
        return first.size() > 1
                ? first
                : Stream.concat(
                                first.stream(),
                                urls(etcd, TemporaryMember.SECOND_DOOR.port(Component.ETCD.port())).stream())
                        .toList();
    }

    Optional<String> reference(BuiltImage component) {
        return images.stream()
                .filter(image -> image.component() == component)
                .map(ContainerImage::reference)
                .findFirst();
    }
}
