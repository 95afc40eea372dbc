package dev.ouroboros.cluster;

import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.problem.ProblemException;
import io.fabric8.kubernetes.api.model.Endpoints;
import io.fabric8.kubernetes.api.model.EndpointsBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.List;
import java.util.Map;

/**
 * Endpoints and EndpointSlice of the {@code kubernetes} Service. API servers write them themselves unless they run with
 * {@code --endpoint-reconciler-type=none}, as ours do: a reconciler takes the address out when its server stops, although
 * another one stands behind the same address.
 */
public final class KubernetesServiceEndpoints {
    private static final String NAMESPACE = "default";
    private static final String NAME = "kubernetes";
    private static final String PORT_NAME = "https";
    private static final String SLICE_GROUP = "discovery.k8s.io";

    private final ClusterClient client;
    private final String address;
    private final int port;

    /**
     * @param address the node's IPv4 or IPv6 address
     * @param port the API port of the node, which the front watches over
     */
    public KubernetesServiceEndpoints(ClusterClient client, String address, int port) {
        this.client = client;
        this.address = address;
        this.port = port;
    }

    /** Whether both objects lead to the node and nowhere else. */
    public Evidence<Boolean> observe() {
        try {
            Endpoints endpoints = client.api()
                    .endpoints()
                    .inNamespace(NAMESPACE)
                    .withName(NAME)
                    .get();
            boolean endpointsRight = endpoints != null
                    && endpoints.getSubsets() != null
                    && endpoints.getSubsets().equals(endpoints().getSubsets());
            GenericKubernetesResource slice = client.api().resource(slice()).get();
            return Evidence.known(endpointsRight && slice != null && leadsTo(slice, address, port));
        } catch (KubernetesClientException e) {
            return Evidence.unknown(
                    client.problem("Endpoints " + NAMESPACE + "/" + NAME, e).describe());
        }
    }

    /**
     * Tells when somebody writes one of both objects.
     *
     * @throws ProblemException API_UNAVAILABLE when no API server says which version of EndpointSlice it serves
     */
    public InformerWatch watch(Runnable changed) {
        GenericKubernetesResource slice = client.asking("find the version of EndpointSlice", this::slice);
        return new InformerWatch(
                ChangeNotifier.start(
                        client.api()
                                .endpoints()
                                .inNamespace(NAMESPACE)
                                .withName(NAME)
                                .runnableInformer(0),
                        changed,
                        Endpoints::getSubsets),
                ChangeNotifier.start(
                        client.api()
                                .genericKubernetesResources(slice.getApiVersion(), slice.getKind())
                                .inNamespace(NAMESPACE)
                                .withName(NAME)
                                .runnableInformer(0),
                        changed));
    }

    /** Whether a slice has this one address and this one port, and nothing else. */
    static boolean leadsTo(GenericKubernetesResource slice, String address, int port) {
        return sliceEndpoints(address).equals(slice.get("endpoints"))
                && slicePorts(port).equals(slice.get("ports"));
    }

    public void write() {
        client.asking(
                "write Endpoints " + NAMESPACE + "/" + NAME,
                () -> client.api()
                        .resource(endpoints())
                        .fieldManager(ClusterClient.FIELD_MANAGER)
                        .forceConflicts()
                        .serverSideApply());
        client.asking(
                "write EndpointSlice " + NAMESPACE + "/" + NAME,
                () -> client.api()
                        .resource(slice())
                        .fieldManager(ClusterClient.FIELD_MANAGER)
                        .forceConflicts()
                        .serverSideApply());
    }

    private Endpoints endpoints() {
        return new EndpointsBuilder()
                .withNewMetadata()
                .withName(NAME)
                .withNamespace(NAMESPACE)
                // As the API server's own reconciler does: the controller manager must not mirror it into a second
                // slice.
                .addToLabels("endpointslice.kubernetes.io/skip-mirror", "true")
                .endMetadata()
                .addNewSubset()
                .addNewAddress()
                .withIp(address)
                .endAddress()
                .addNewPort()
                .withName(PORT_NAME)
                .withPort(port)
                .withProtocol("TCP")
                .endPort()
                .endSubset()
                .build();
    }

    private GenericKubernetesResource slice() {
        return new GenericKubernetesResourceBuilder()
                .withApiVersion(sliceApiVersion())
                .withKind("EndpointSlice")
                .withNewMetadata()
                .withName(NAME)
                .withNamespace(NAMESPACE)
                .addToLabels("kubernetes.io/service-name", NAME)
                .endMetadata()
                .addToAdditionalProperties("addressType", address.contains(":") ? "IPv6" : "IPv4")
                .addToAdditionalProperties("endpoints", sliceEndpoints(address))
                .addToAdditionalProperties("ports", slicePorts(port))
                .build();
    }

    private static List<Map<String, Object>> sliceEndpoints(String address) {
        return List.of(Map.of("addresses", List.of(address), "conditions", Map.of("ready", true)));
    }

    private static List<Map<String, Object>> slicePorts(int port) {
        return List.of(Map.of("name", PORT_NAME, "port", port, "protocol", "TCP"));
    }

    /** The newest version that this server serves: v1 since 1.21, v1beta1 until 1.25. */
    private String sliceApiVersion() {
        return client.api().getApiGroup(SLICE_GROUP).getPreferredVersion().getGroupVersion();
    }
}
