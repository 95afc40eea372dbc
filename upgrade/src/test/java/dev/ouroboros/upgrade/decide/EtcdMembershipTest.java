package dev.ouroboros.upgrade.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.manifest.Manifest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class EtcdMembershipTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "https://10.0.0.1:2379|1",
                "https://10.0.0.1:2379,https://10.0.0.1:22379|1",
                "https://10.0.0.1:2379, https://10.0.0.2:2379,https://10.0.0.3:2379|3",
                "https://[fd00::1]:2379,https://[fd00::1]:22379/,https://[fd00::2]:2379|2",
            })
    void twoPortsOfAHostAreTwoDoorsToOneMember(String urls, int members) throws Exception {
        Json daemonSet = JsonText.read(("{\"apiVersion\":\"apps/v1\",\"kind\":\"DaemonSet\","
                        + "\"metadata\":{\"name\":\"kube-apiserver\",\"namespace\":\"kube-system\"},"
                        + "\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"kube-apiserver\","
                        + "\"command\":[\"kube-apiserver\",\"--etcd-servers=" + urls + "\"]}]}}}}")
                .getBytes(StandardCharsets.UTF_8));
        assertThat(EtcdMembership.count(List.of(new Manifest("kube-apiserver.yaml", daemonSet))))
                .isEqualTo(members);
    }
}
