package dev.ouroboros.model.component;

import static dev.ouroboros.model.json.YamlFixture.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.json.Json;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ComponentContainerTest {
    private static Optional<Component> of(String yaml) {
        return ComponentContainer.of(yaml(yaml));
    }

    @ParameterizedTest
    @EnumSource(Component.class)
    void isNamedByItsProgramItsNameOrItsImage(Component component) {
        String id = component.id();

        assertThat(of("{name: x, command: [/usr/local/bin/%s, --v=2]}".formatted(id)))
                .contains(component);
        assertThat(of("{name: x, args: [%s, --v=2]}".formatted(id))).contains(component);
        assertThat(of("{name: %s, command: [/entry.sh]}".formatted(id))).contains(component);
        assertThat(of("{name: x, image: 'r:5000/a/%s:v1@sha256:0', args: [--v=2]}".formatted(id)))
                .contains(component);
        assertThat(ComponentContainer.of("x", "example/" + id + ":1")).contains(component);
    }

    /** As bootkube, hyperkube, kops and hand-written units start them. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "API_SERVER | [/hyperkube, apiserver, --secure-port=6443]",
                "API_SERVER | [./hyperkube, kube-apiserver]",
                "API_SERVER | [/usr/bin/flock, --exclusive, --timeout=30, /var/lock/api-server.lock, /hyperkube, apiserver]",
                "API_SERVER | [/usr/bin/flock, -w, '30', /var/lock/etcd, kube-apiserver, --v=2]",
                "API_SERVER | [/go-runner, --log-file=/var/log/x.log, kube-apiserver]",
                "API_SERVER | [/bin/sh, -c, 'mkdir -p /var/log/etcd && exec kube-apiserver --v=2 2>&1']",
                "API_SERVER | [/bin/sh, -ec, \"A=b exec /usr/local/bin/kube-apiserver \\\\\\n --v=2\"]",
                "API_SERVER | [/bin/sh, /opt/kube-apiserver, --v=2]",
                "CONTROLLER_MANAGER | [nice, -n, '5', /hyperkube, controller-manager]",
                "SCHEDULER | [env, GOMAXPROCS=1, timeout, -k, '1', 1h, kube-scheduler]",
                "PROXY | [/hyperkube, proxy]",
                "ETCD | [sh, -c, 'if true; then exec etcd --data-dir=/var/lib/etcd; fi']"
            })
    void isTheProgramBehindThoseThatOnlyStartOne(Component component, String words) {
        assertThat(of("{name: x, command: %s}".formatted(words))).contains(component);
    }

    /** Operands, sidecars and tools are no components, whatever image or directory they use. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{name: backup, image: example/etcd:3.4, command: [etcdctl, snapshot, save, /backup/etcd]}",
                "{name: clean, command: [sh, -c, 'rm -rf /var/lib/etcd; echo kube-apiserver']}",
                "{name: logs, command: [tail, -F, /var/log/kube-apiserver]}",
                "{name: x, command: [/bin/sh, /entry.sh, kube-apiserver]}",
                "{name: x, command: [/hyperkube, kubectl]}",
                "{name: x, command: [/hyperkube]}",
                "{name: x, command: [timeout]}",
                "{name: x}"
            })
    void isNoneOtherwise(String container) {
        assertThat(of(container)).isEmpty();
    }

    @Test
    void believesTheProgramBeforeTheName() {
        assertThat(of("{name: etcd, command: [kube-apiserver]}")).contains(Component.API_SERVER);
    }

    @Test
    void findsTheContainerThatRunsOne() {
        Json spec =
                yaml("{containers: [{name: side, image: kube-proxy, command: [sh]}, {name: main, command: [etcd]}]}");

        assertThat(ComponentContainer.in(spec, Component.ETCD))
                .contains(spec.at("containers").items().get(1));
        assertThat(ComponentContainer.in(spec, Component.PROXY)).isEmpty();
    }

    @Test
    void noTwoComponentsShareAPortOfTheNode() {
        assertThat(IntStream.concat(
                        IntStream.concat(
                                Component.KUBERNETES.stream().mapToInt(Component::port),
                                IntStream.of(Component.ETCD.port(), Component.ETCD_PEER_PORT, Component.KEEPER.port())),
                        Component.WITH_UNDERSTUDY.stream().mapToInt(Component::understudyPort)))
                .doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @CsvSource({"kubeApiserver, API_SERVER", "kubeControllerManager, CONTROLLER_MANAGER", "kubelet, KUBELET"})
    void hasAFieldInADocument(String field, Component component) {
        assertThat(component.field()).isEqualTo(field);
        assertThat(Component.ofField(field)).contains(component);
        assertThat(Component.ofField("ouroborosKeeper")).isEmpty();
    }
}
