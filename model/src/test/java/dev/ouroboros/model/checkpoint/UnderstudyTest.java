package dev.ouroboros.model.checkpoint;

import static dev.ouroboros.model.json.YamlFixture.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.json.Json;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class UnderstudyTest {
    private final PodFixture world = new PodFixture().secret("keys", "a", "1");

    private static Json principal(String name, String metadata, String spec) {
        return yaml("""
                metadata:
                  name: NAME-abcde
                  namespace: kube-system
                  labels: {app: x}
                  ownerReferences: [{kind: DaemonSet, name: NAME, controller: true}]
                """.replace("NAME", name) + metadata.indent(2) + "spec:\n" + spec.indent(2));
    }

    private Json understudy(Json principal) {
        return Understudy.of(world.saved(principal), "/files");
    }

    private static Json first(Json pod) {
        return pod.at("spec", "containers").items().getFirst();
    }

    private static List<String> texts(Json array) {
        return array.items().stream().map(item -> item.text().orElseThrow()).toList();
    }

    @Test
    void isWholeForAnApiServer() {
        Json principal = principal("kube-apiserver", "", """
                hostNetwork: true
                dnsPolicy: Default
                nodeName: node-1
                priority: 5
                terminationGracePeriodSeconds: 90
                securityContext: {runAsUser: 65534, fsGroup: 65534}
                containers:
                - name: kube-apiserver
                  image: api:v1.36.3
                  imagePullPolicy: Always
                  command: [kube-apiserver, --secure-port=6443, --shutdown-delay-duration=5s]
                  args: [--etcd-servers=https://e]
                  ports: [{containerPort: 6443, hostPort: 6443}]
                  livenessProbe: {httpGet: {path: /livez, port: 6443}}
                  readinessProbe: {httpGet: {path: /readyz, port: 6443}}
                  startupProbe: {httpGet: {path: /livez, port: 6443}}
                  resources: {requests: {cpu: 250m, memory: 256Mi}, limits: {memory: 1Gi}}
                  securityContext: {readOnlyRootFilesystem: true}
                  volumeMounts: [{name: secrets, mountPath: /s, readOnly: true}]
                volumes:
                - {name: secrets, secret: {secretName: keys}}
                - {name: certs, hostPath: {path: /etc/ssl}}
                """);
        Checkpoint saved = world.saved(principal);

        assertThat(Understudy.of(saved, "/store/files"))
                .isEqualTo(yaml("""
                apiVersion: v1
                kind: Pod
                metadata:
                  name: understudy-kube-apiserver
                  namespace: kube-system
                  labels: {ouroboros.dev/understudy: kube-apiserver}
                  annotations:
                    ouroboros.dev/component: kube-system/kube-apiserver
                    ouroboros.dev/owner: keeper
                    ouroboros.dev/revision: REVISION
                spec:
                  automountServiceAccountToken: false
                  containers:
                  - name: kube-apiserver
                    image: api:v1.36.3
                    imagePullPolicy: IfNotPresent
                    command: [kube-apiserver, --etcd-servers=https://e, --secure-port=26443,
                      --endpoint-reconciler-type=none, --shutdown-delay-duration=0s]
                    livenessProbe: {httpGet: {path: /livez, port: 26443}}
                    startupProbe: {httpGet: {path: /livez, port: 26443}}
                    resources: {requests: {cpu: 100m, memory: 16Mi}, limits: {memory: 1Gi}}
                    securityContext: {readOnlyRootFilesystem: true}
                    volumeMounts: [{name: secrets, mountPath: /s, readOnly: true}]
                  dnsPolicy: Default
                  enableServiceLinks: false
                  hostNetwork: true
                  priority: 2000001000
                  priorityClassName: system-node-critical
                  restartPolicy: Always
                  securityContext: {runAsUser: 65534, fsGroup: 65534}
                  terminationGracePeriodSeconds: 15
                  tolerations: [{operator: Exists}]
                  volumes:
                  - {name: secrets, hostPath: {path: /store/files/secrets, type: Directory}}
                  - {name: certs, hostPath: {path: /etc/ssl}}
                """.replace("REVISION", saved.revision().digest())));
    }

    /** Nothing else restarts an understudy that hangs. */
    @Test
    void keepsAProbeThatNamesItsPort() {
        Json container = first(understudy(principal("kube-apiserver", "", """
                hostNetwork: true
                containers:
                - name: kube-apiserver
                  command: [kube-apiserver, --secure-port=6443]
                  ports: [{name: metrics, containerPort: 9}, {name: https, containerPort: 6443}]
                  livenessProbe: {httpGet: {path: /livez, port: https}}
                  startupProbe: {httpGet: {path: /livez, port: metrics}}
                """)));

        assertThat(container.at("livenessProbe", "httpGet", "port")).isEqualTo(Json.number(26443));
        assertThat(container.at("startupProbe").isNull()).as("of another port").isTrue();
    }

    @Test
    void asksNoRegistryForAnImageVolume() {
        Json understudy = understudy(principal("kube-scheduler", "", """
                containers: [{name: kube-scheduler, command: [kube-scheduler]}]
                volumes: [{name: plugin, image: {reference: 'r/plugin:latest', pullPolicy: Always}}]
                """));

        assertThat(understudy.at("spec", "volumes").items().getFirst().at("image", "pullPolicy"))
                .isEqualTo(Json.text("IfNotPresent"));
    }

    @Test
    void hasTheHostsNameOnTheHostsNetwork() {
        Json understudy = understudy(principal("kube-scheduler", "", """
                hostnameOverride: other
                containers: [{name: kube-scheduler, command: [kube-scheduler]}]
                """));

        assertThat(understudy.at("spec", "hostnameOverride").isNull()).isTrue();
    }

    @Test
    void takesTheHostsNetworkForAControllerManager() {
        Json understudy = understudy(principal(
                "kube-controller-manager",
                "",
                "containers: [{name: kube-controller-manager, command: [kube-controller-manager]}]"));

        assertThat(understudy.at("spec", "hostNetwork").isTrue()).isTrue();
        assertThat(understudy.at("spec", "terminationGracePeriodSeconds").isNull())
                .isTrue();
        assertThat(texts(first(understudy).at("command"))).contains("--secure-port=26257", "--bind-address=127.0.0.1");
    }

    @Test
    void addsToTheArgumentsOfAnImageWithItsOwnEntryPoint() {
        Json container = first(
                understudy(principal("kube-scheduler", "", "containers: [{name: kube-scheduler, args: [--v=2]}]")));

        assertThat(container.at("command").isNull()).isTrue();
        assertThat(texts(container.at("args"))).startsWith("--v=2", "--secure-port=26259");
    }

    @Test
    void isTheSamePodForTheKeeper() {
        Json principal = principal("ouroboros-keeper", "", """
                hostNetwork: true
                containers:
                - {name: ouroboros-keeper, args: [--node-name=$(NODE_NAME)], ports: [{containerPort: 26445}]}
                - {name: helper, command: [help]}
                """);
        Json understudy = understudy(principal);

        assertThat(understudy.at("metadata", "name").text()).contains("ouroboros-keeper");
        assertThat(texts(first(understudy).at("args"))).containsExactly("--node-name=$(NODE_NAME)");
        assertThat(understudy.at("spec", "containers").items().getLast().at("command"))
                .isEqualTo(yaml("[help]"));
        assertThat(Understudy.fileName(new ComponentName("kube-system", "ouroboros-keeper"), Role.KEEPER))
                .isEqualTo("ouroboros-keeper.json");
    }

    @Test
    void letsNobodyWriteIntoSavedFiles() {
        Json understudy = understudy(principal("x", "", """
                containers:
                - name: x
                  volumeMounts: [{name: s, mountPath: /s}, {name: h, mountPath: /h}, {name: e, mountPath: /e, readOnly: true}]
                volumes:
                - {name: s, secret: {secretName: keys}}
                - {name: h, hostPath: {path: /h}}
                - {name: e, emptyDir: {}}
                """));

        assertThat(first(understudy).at("volumeMounts")).isEqualTo(yaml("""
                - {name: s, mountPath: /s, readOnly: true}
                - {name: h, mountPath: /h}
                - {name: e, mountPath: /e, readOnly: true}
                """));
    }

    @Test
    void leavesSomebodysPodInItsOwnNetworkWithItsProbes() {
        Json principal = principal("dns", "", """
                terminationGracePeriodSeconds: 40
                containers:
                - {name: dns, ports: [{containerPort: 53}], livenessProbe: {tcpSocket: {port: 53}}, command: [dns]}
                """);
        Json understudy = understudy(principal);

        assertThat(understudy.at("spec", "hostNetwork").isNull()).isTrue();
        assertThat(understudy.at("spec", "terminationGracePeriodSeconds")).isEqualTo(Json.number(40));
        assertThat(first(understudy).at("livenessProbe", "tcpSocket", "port")).isEqualTo(Json.number(53));
        assertThat(first(understudy).at("ports").items()).hasSize(1);
    }

    @Test
    void followsTheAnnotationWithPorts() {
        Json principal = principal(
                "proxy", "annotations: {ouroboros.dev/understudy-ports: 'metrics=20249, --health=20256'}", """
                hostNetwork: true
                initContainers: [{name: i, command: [i, --other=1]}]
                containers:
                - {name: proxy, command: [proxy, '--metrics=127.0.0.1:10249'], args: [--health, '10256', --keep=1],
                   ports: [{containerPort: 10249}], readinessProbe: {tcpSocket: {port: 10249}}}
                """);
        Json understudy = understudy(principal);

        assertThat(texts(first(understudy).at("command")))
                .containsExactly("proxy", "--keep=1", "--metrics=127.0.0.1:20249", "--health=20256");
        assertThat(first(understudy).at("args").isNull()).isTrue();
        assertThat(first(understudy).at("ports").isNull()).isTrue();
        assertThat(first(understudy).at("readinessProbe").isNull()).isTrue();
        assertThat(texts(understudy
                        .at("spec", "initContainers")
                        .items()
                        .getFirst()
                        .at("command")))
                .containsExactly("i", "--other=1");
        assertThat(understudy
                        .at("metadata", "annotations", "ouroboros.dev/understudy-ports")
                        .text())
                .contains("metrics=20249, --health=20256");
    }

    @ParameterizedTest
    @CsvSource({
        "'{}', 100m, 16Mi",
        "'{requests: {cpu: 10m, memory: 8Mi}}', 10m, 8Mi",
        "'{requests: {cpu: 2, memory: 8Gi}}', 100m, 16Mi",
        "'{limits: {cpu: 50m, memory: 4Mi}}', 50m, 4Mi",
        "'{requests: {cpu: odd, memory: 8Mi}}', odd, 8Mi",
        "'{limits: {cpu: 4, memory: 8Gi}}', 100m, 16Mi"
    })
    void asksForLittle(String resources, String cpu, String memory) {
        Json requests = first(understudy(principal("x", "", "containers: [{name: x, resources: " + resources + "}]")))
                .at("resources", "requests");

        assertThat(requests.at("cpu").text()).contains(cpu);
        assertThat(requests.at("memory").text()).contains(memory);
    }

    @Test
    void keepsRequestsForDevices() {
        Json resources = first(understudy(principal(
                        "x",
                        "",
                        "containers: [{name: x, resources: {requests: {example/gpu: 1}, limits: {example/gpu: 1}}}]")))
                .at("resources");

        assertThat(resources)
                .isEqualTo(yaml("{requests: {cpu: 100m, example/gpu: 1, memory: 16Mi}, limits: {example/gpu: 1}}"));
    }

    @Test
    void neverSharesAFileWithAnotherComponent() {
        assertThat(Understudy.fileName(new ComponentName("kube-system", "kube-apiserver"), Role.API_SERVER))
                .isEqualTo("understudy-kube-apiserver.json");
        assertThat(Understudy.fileName(new ComponentName("web", "front.end"), Role.OTHER))
                .isEqualTo("understudy-web.front.end.json");
        assertThat(Understudy.fileName(new ComponentName("kube-system", "web.front.end"), Role.OTHER))
                .isEqualTo("understudy-kube-system.web.front.end.json");
    }

    @Test
    void hasALabelOfALengthThatLabelsMayHave() {
        ComponentName component = new ComponentName("n", "a".repeat(62) + "." + "b".repeat(10));
        Checkpoint checkpoint = new Checkpoint(component, Role.OTHER, Json.object(), List.of());

        assertThat(Understudy.of(checkpoint, "/f")
                        .at("metadata", "labels", Understudy.LABEL)
                        .text())
                .contains("a".repeat(62));
        assertThat(Understudy.of(checkpoint, "/f").at("metadata", "name").text())
                .contains("understudy-" + component.name());
    }

    /** The kubelet makes the uid of a static pod of its content. */
    @Test
    void isAnotherPodAtEachStartAndTheSameOtherwise() {
        Json.Fields manifest = (Json.Fields) understudy(principal("x", "", "containers: [{name: x}]"));
        Json.Fields first = Understudy.startedAt(manifest, Instant.parse("2026-11-21T08:00:00Z"));
        Json.Fields second = Understudy.startedAt(manifest, Instant.parse("2026-11-21T08:00:00.000000001Z"));

        assertThat(first).isNotEqualTo(second);
        assertThat(first.without("metadata")).isEqualTo(manifest.without("metadata"));
        for (String annotation :
                List.of(Understudy.OWNER_ANNOTATION, Understudy.REVISION_ANNOTATION, Understudy.COMPONENT_ANNOTATION)) {
            assertThat(first.at("metadata", "annotations", annotation))
                    .isEqualTo(manifest.at("metadata", "annotations", annotation));
        }
    }
}
