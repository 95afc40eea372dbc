package dev.ouroboros.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;

final class KubernetesServiceEndpointsTest {
    private static GenericKubernetesResource slice(String endpoints, String ports) {
        String slice = """
                apiVersion: discovery.k8s.io/v1
                kind: EndpointSlice
                metadata: {name: kubernetes, namespace: default}
                addressType: IPv4
                endpoints: %s
                ports: %s
                """.formatted(endpoints, ports);
        return Serialization.unmarshal(slice, GenericKubernetesResource.class);
    }

    @Test
    void aSliceLeadsToTheNodeOnlyWithItsAddressAndItsPort() {
        String here = "[{addresses: [10.0.0.1], conditions: {ready: true}}]";
        String ours = "[{name: https, port: 6443, protocol: TCP}]";

        assertThat(leads(here, ours)).isTrue();
        assertThat(leads("[{addresses: [10.0.0.2], conditions: {ready: true}}]", ours))
                .isFalse();
        assertThat(leads("[{addresses: [10.0.0.1], conditions: {ready: false}}]", ours))
                .isFalse();
        assertThat(leads("[]", ours)).isFalse();
        assertThat(leads(here, "[{name: https, port: 26443, protocol: TCP}]")).isFalse();
        assertThat(leads(here, "[]")).isFalse();
        assertThat(leads(here, "[{name: https, port: 6443, protocol: TCP}, {name: other, port: 1, protocol: TCP}]"))
                .isFalse();
    }

    private static boolean leads(String endpoints, String ports) {
        return KubernetesServiceEndpoints.leadsTo(slice(endpoints, ports), "10.0.0.1", 6443);
    }
}
