package dev.ouroboros.dns.testing;

import dev.ouroboros.dns.zone.ClusterView;
import dev.ouroboros.dns.zone.ServiceObjects;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/** The objects that the examples of the specification are about, and those that show its corners, as the API tells them. */
public final class ExampleCluster {
    /** Of Services. */
    public static final List<Json.Fields> SERVICES = List.of(
            service("default", "kubernetes", """
                    {"clusterIP": "10.3.0.1", "ports": [{"name": "https", "port": 443, "protocol": "TCP"}]}"""),
            service("kube-system", "kube-dns", """
                    {"clusterIP": "10.3.0.10", "clusterIPs": ["10.3.0.10"], "ports": [
                        {"name": "dns", "port": 53, "protocol": "UDP"}, {"name": "dns-tcp", "port": 53, "protocol": "TCP"}]}"""),
            service("default", "headless", """
                    {"clusterIP": "None", "ports": [{"name": "https", "port": 443}]}"""),
            service("default", "empty", """
                    {"clusterIP": "None", "ports": [{"name": "https", "port": 443}]}"""),
            service("default", "foo", """
                    {"type": "ExternalName", "externalName": "www.example.com"}"""),
            service("default", "bar", """
                    {"type": "ExternalName", "externalName": "kubernetes.default.svc.cluster.local."}"""),
            service("default", "circle", """
                    {"type": "ExternalName", "externalName": "circle.default.svc.cluster.local"}"""),
            service("default", "dual", """
                    {"clusterIP": "10.3.0.20", "clusterIPs": ["10.3.0.20", "fd00:10:3::20"], "ports": [{"port": 80}]}"""),
            service("default", "pending", """
                    {"ports": [{"port": 80}]}"""));

    /** Of EndpointSlices. */
    public static final List<Json.Fields> SLICES = List.of(
            slice("default", "headless-1", "headless", """
                    {"addressType": "IPv4", "ports": [{"name": "https", "port": 443, "protocol": "TCP"}], "endpoints": [
                        {"addresses": ["10.2.0.100"], "hostname": "my-pet", "conditions": {"ready": true}},
                        {"addresses": ["10.2.0.101"], "hostname": "my-pet-2", "conditions": {}},
                        {"addresses": ["10.2.0.102"]},
                        {"addresses": ["10.2.0.103"], "hostname": "sick", "conditions": {"ready": false}}]}"""),
            slice("default", "headless-2", "headless", """
                    {"addressType": "IPv6", "ports": [{"name": "https", "port": 443, "protocol": "TCP"}], "endpoints": [
                        {"addresses": ["fd00:10:2::100"], "hostname": "my-pet", "conditions": {"ready": true}}]}"""),
            slice("default", "empty-1", "empty", """
                    {"addressType": "IPv4", "ports": [{"name": "https", "port": 443}], "endpoints": [
                        {"addresses": ["10.2.0.110"], "conditions": {"ready": false}}]}"""),
            slice("default", "dual-1", "dual", """
                    {"addressType": "IPv4", "ports": [{"port": 8080}], "endpoints": [
                        {"addresses": ["10.2.0.120"], "hostname": "pod-0", "conditions": {"ready": true}}]}"""),
            slice("default", "fqdn-1", "pending", """
                    {"addressType": "FQDN", "endpoints": [{"addresses": ["www.example.com"]}]}"""));

    private ExampleCluster() {}

    public static ClusterView view() {
        return view(SERVICES.stream(), SLICES.stream());
    }

    public static ClusterView view(Stream<Json.Fields> services, Stream<Json.Fields> slices) {
        return new ClusterView(
                services.map(ServiceObjects::service).toList(),
                slices.map(ServiceObjects::slice).toList());
    }

    public static Json.Fields service(String namespace, String name, String spec) {
        return object("v1", "Service", namespace, name, Json.object()).with("spec", read(spec));
    }

    /** @param content what stands beside the metadata */
    public static Json.Fields slice(String namespace, String name, String service, String content) {
        Json.Fields labels = Json.object().with("kubernetes.io/service-name", Json.text(service));
        Json.Fields slice = object("discovery.k8s.io/v1", "EndpointSlice", namespace, name, labels);
        for (var field : read(content).fields().entrySet()) {
            slice = slice.with(field.getKey(), field.getValue());
        }
        return slice;
    }

    private static Json.Fields object(String version, String kind, String namespace, String name, Json.Fields labels) {
        return Json.object()
                .with("apiVersion", Json.text(version))
                .with("kind", Json.text(kind))
                .with(
                        "metadata",
                        Json.object()
                                .with("name", Json.text(name))
                                .with("namespace", Json.text(namespace))
                                .with("labels", labels));
    }

    private static Json read(String text) {
        try {
            return JsonText.read(text);
        } catch (IOException e) {
            throw new IllegalStateException(text, e);
        }
    }
}
