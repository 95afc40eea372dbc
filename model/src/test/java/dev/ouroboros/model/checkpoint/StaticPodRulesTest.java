package dev.ouroboros.model.checkpoint;

import static dev.ouroboros.model.checkpoint.PodFixture.NEW;
import static dev.ouroboros.model.checkpoint.PodFixture.OLD;
import static dev.ouroboros.model.checkpoint.PodFixture.RULES;
import static dev.ouroboros.model.checkpoint.PodFixture.pod;
import static dev.ouroboros.model.json.YamlFixture.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.checkpoint.PodFields.Part;
import dev.ouroboros.model.checkpoint.StaticPodRule.Level;
import dev.ouroboros.model.checkpoint.StaticPodRule.Subject;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.version.KubernetesVersion;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvFromSource;
import io.fabric8.kubernetes.api.model.EnvVarSource;
import io.fabric8.kubernetes.api.model.Lifecycle;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeProjection;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class StaticPodRulesTest {
    private static final String MAIN = "containers: [{name: main}]\n";
    private static final String API_SERVER = "containers: [{name: kube-apiserver";

    /** rule, subject, a pod that breaks it, and the fields that must be named. */
    static List<Arguments> broken() {
        List<Arguments> cases = new ArrayList<>();
        cases.addAll(refusedEverywhere());
        cases.addAll(refusedInAPrincipal());
        cases.addAll(refusedInAStaticPod());
        return cases;
    }

    private static List<Arguments> refusedEverywhere() {
        return Stream.of(Subject.PRINCIPAL, Subject.STATIC)
                .flatMap(subject -> Stream.of(
                        projected(
                                "service-account-token",
                                subject,
                                "serviceAccountToken: {path: t}",
                                "serviceAccountToken"),
                        projected(
                                "cluster-trust-bundle", subject, "clusterTrustBundle: {path: t}", "clusterTrustBundle"),
                        projected("pod-certificate", subject, "podCertificate: {keyType: X}", "podCertificate"),
                        volume("claimed-volume", subject, "persistentVolumeClaim", "{claimName: x}"),
                        volume("claimed-volume", subject, "ephemeral", "{}"),
                        volume("csi-volume", subject, "csi", "{driver: x}"),
                        volume("azure-file", subject, "azureFile", "{shareName: x}"),
                        volume("glusterfs", subject, "glusterfs", "{path: x}"),
                        volume("attached-volume", subject, "awsElasticBlockStore", "{}"),
                        volume("attached-volume", subject, "azureDisk", "{}"),
                        volume("attached-volume", subject, "cinder", "{}"),
                        volume("attached-volume", subject, "fc", "{}"),
                        volume("attached-volume", subject, "gcePersistentDisk", "{}"),
                        volume("attached-volume", subject, "iscsi", "{}"),
                        volume("attached-volume", subject, "portworxVolume", "{}"),
                        volume("attached-volume", subject, "rbd", "{}"),
                        volume("attached-volume", subject, "vsphereVolume", "{}"),
                        volume("rare-volume", subject, "flocker", "{}"),
                        volume("rare-volume", subject, "gitRepo", "{}"),
                        volume("rare-volume", subject, "photonPersistentDisk", "{}"),
                        volume("rare-volume", subject, "quobyte", "{}"),
                        secretRef(subject, "cephfs"),
                        secretRef(subject, "flexVolume"),
                        secretRef(subject, "scaleIO"),
                        secretRef(subject, "storageos"),
                        one("resource-claim", subject, MAIN + "resourceClaims: [{name: x}]", "spec.resourceClaims[0]"),
                        one(
                                "resource-claim",
                                subject,
                                "initContainers: [{name: i, resources: {claims: [{name: x}]}}]",
                                "spec.initContainers[0].resources.claims[0]"),
                        one("runtime-class", subject, MAIN + "runtimeClassName: x", "spec.runtimeClassName"),
                        one(
                                "relative-host-path",
                                subject,
                                MAIN + "volumes: [{name: v, hostPath: {path: keys}}]",
                                "spec.volumes[0].hostPath.path"),
                        one("unknown-field", subject, MAIN + "newField: 1", "spec.newField"),
                        one("unknown-field", subject, "containers: [{name: a, new: 1}]", "spec.containers[0].new"),
                        one("unknown-field", subject, "volumes: [{name: v, new: {}}]", "spec.volumes[0].new"),
                        projected("unknown-field", subject, "new: {}", "new"),
                        one(
                                "unknown-field",
                                subject,
                                "containers: [{name: a, env: [{name: A, valueFrom: {new: {}}}]}]",
                                "spec.containers[0].env[0].valueFrom.new"),
                        one(
                                "unknown-field",
                                subject,
                                "containers: [{name: a, envFrom: [{new: {}}]}]",
                                "spec.containers[0].envFrom[0].new"),
                        one(
                                "unknown-field",
                                subject,
                                "containers: [{name: a, lifecycle: {new: {}}}]",
                                "spec.containers[0].lifecycle.new")))
                .toList();
    }

    private static List<Arguments> refusedInAPrincipal() {
        Subject subject = Subject.PRINCIPAL;
        String labels = "items: [{path: l, fieldRef: {fieldPath: metadata.labels}}]";
        return List.of(
                one(
                        "own-labels",
                        subject,
                        "volumes: [{name: v, downwardAPI: {" + labels + "}}]",
                        "spec.volumes[0].downwardAPI.items[0].fieldRef.fieldPath"),
                one(
                        "own-labels",
                        subject,
                        "volumes: [{name: v, projected: {sources: [{downwardAPI: {" + labels + "}}]}}]",
                        "spec.volumes[0].projected.sources[0].downwardAPI.items[0].fieldRef.fieldPath"),
                one(
                        "mixed-projection",
                        subject,
                        "volumes: [{name: v, projected: {sources: [{downwardAPI: {}}, {configMap: {name: c}}]}}]",
                        "spec.volumes[0].projected.sources[0].downwardAPI"),
                one(
                        "mixed-projection",
                        subject,
                        "volumes: [{name: v, projected: {sources: [{secret: {name: c}}, {downwardAPI: {}}]}}]",
                        "spec.volumes[0].projected.sources[1].downwardAPI"),
                one("restart-policy", subject, MAIN + "restartPolicy: OnFailure", "spec.restartPolicy"),
                one("host-port", subject, MAIN + "hostNetwork: true", "spec.hostNetwork"),
                one(
                        "host-port",
                        subject,
                        "containers: [{name: a, ports: [{containerPort: 1}, {hostPort: 2}, {hostPort: 0}]}]",
                        "spec.containers[0].ports[1].hostPort"),
                one(
                        "host-port",
                        subject,
                        API_SERVER + ", ports: [{containerPort: 1}]}, {name: side, ports: [{containerPort: 2}]}]",
                        "spec.containers[1].ports[0]"),
                one("shell", subject, API_SERVER + ", command: [sh, -c, x]}]", "spec.containers[0].command"),
                one(
                        "lifecycle-port",
                        subject,
                        API_SERVER
                                + ", lifecycle: {preStop: {httpGet: {port: 1}}, postStart: {tcpSocket: {port: 1}}}}]",
                        "spec.containers[0].lifecycle.postStart.tcpSocket",
                        "spec.containers[0].lifecycle.preStop.httpGet"),
                one("user-namespace", subject, API_SERVER + "}]\nhostUsers: false", "spec.hostUsers"),
                one("pull-secret", subject, MAIN + "imagePullSecrets: [{name: a}]", "spec.imagePullSecrets[0]"));
    }

    private static List<Arguments> refusedInAStaticPod() {
        Subject subject = Subject.STATIC;
        return List.of(
                one("service-account", subject, MAIN + "serviceAccountName: x", "spec.serviceAccountName"),
                one("service-account", subject, MAIN + "serviceAccount: x", "spec.serviceAccount"),
                one("secret", subject, MAIN + "imagePullSecrets: [{name: a}]", "spec.imagePullSecrets[0]"),
                one("secret", subject, "volumes: [{name: v, secret: {}}]", "spec.volumes[0].secret"),
                projected("secret", subject, "secret: {}", "secret"),
                one(
                        "secret",
                        subject,
                        "initContainers: [{name: a, envFrom: [{secretRef: {name: x}}]}]",
                        "spec.initContainers[0].envFrom[0].secretRef"),
                one(
                        "secret",
                        subject,
                        "containers: [{name: a, env: [{name: A, valueFrom: {secretKeyRef: {}}}]}]",
                        "spec.containers[0].env[0].valueFrom.secretKeyRef"),
                one("config-map", subject, "volumes: [{name: v, configMap: {}}]", "spec.volumes[0].configMap"),
                projected("config-map", subject, "configMap: {}", "configMap"),
                one(
                        "config-map",
                        subject,
                        "containers: [{name: a, envFrom: [{configMapRef: {}}]}]",
                        "spec.containers[0].envFrom[0].configMapRef"),
                one(
                        "config-map",
                        subject,
                        "initContainers: [{name: a, env: [{name: A, valueFrom: {configMapKeyRef: {}}}]}]",
                        "spec.initContainers[0].env[0].valueFrom.configMapKeyRef"),
                one("ephemeral-container", subject, "ephemeralContainers: [{name: a}]", "spec.ephemeralContainers[0]"));
    }

    private static Arguments one(String rule, Subject subject, String spec, String... fields) {
        return Arguments.of(rule, subject, spec, List.of(fields));
    }

    private static Arguments volume(String rule, Subject subject, String kind, String value) {
        return one(rule, subject, "volumes: [{name: v, " + kind + ": " + value + "}]", "spec.volumes[0]." + kind);
    }

    private static Arguments secretRef(Subject subject, String kind) {
        return one(
                "storage-secret",
                subject,
                "volumes: [{name: v, " + kind + ": {secretRef: {name: s}}}]",
                "spec.volumes[0]." + kind + ".secretRef");
    }

    private static Arguments projected(String rule, Subject subject, String source, String field) {
        return one(
                rule,
                subject,
                "volumes: [{name: v, projected: {sources: [{" + source + "}]}}]",
                "spec.volumes[0].projected.sources[0]." + field);
    }

    @ParameterizedTest(name = "{0} of {1}: {3}")
    @MethodSource("broken")
    void namesTheFields(String rule, Subject subject, String spec, List<String> fields) {
        List<StaticPodFinding> findings = RULES.judge(pod(spec), subject, NEW);

        assertThat(findings).extracting(finding -> finding.rule().id()).containsOnly(rule);
        assertThat(findings).extracting(StaticPodFinding::field).containsExactlyElementsOf(fields);
    }

    @Test
    void hasATestOfEveryRule() {
        TreeSet<String> tested = new TreeSet<>(List.of("token-will-be-mounted", "understudy-ports"));
        broken().forEach(arguments -> tested.add((String) arguments.get()[0]));

        assertThat(RULES.all())
                .extracting(StaticPodRule::id)
                .doesNotHaveDuplicates()
                .containsExactlyInAnyOrderElementsOf(tested);
    }

    @Test
    void findsNothingWrongWithWhatIsFine() {
        Json fine = pod("""
                hostNetwork: true
                containers:
                - {name: kube-apiserver, command: [kube-apiserver], ports: [{hostPort: 6443}],
                   lifecycle: {preStop: {exec: {command: [x]}}}}
                - {name: side}
                hostUsers: true
                restartPolicy: Always
                volumes:
                - {name: a, hostPath: {path: /x}}
                - {name: b, secret: {secretName: s}}
                - {name: c, projected: {sources: [{downwardAPI: {items: [{path: p, fieldRef: {fieldPath: metadata.name}}]}}]}}
                """);

        assertThat(RULES.judge(fine, Subject.PRINCIPAL, NEW)).isEmpty();
        assertThat(RULES.judge(pod(MAIN + "serviceAccountName: ''"), Subject.STATIC, NEW))
                .isEmpty();
    }

    @Test
    void letsAPodOfItsOwnNetworkHaveAUserNamespaceAndHooks() {
        String spec = "containers: [{name: a, lifecycle: {preStop: {httpGet: {port: 1}}}}]\nhostUsers: false";

        assertThat(RULES.judge(pod(spec), Subject.PRINCIPAL, NEW)).isEmpty();
    }

    @Test
    void leavesTheKeepersPortsAlone() {
        String spec = "hostNetwork: true\ncontainers: [{name: ouroboros-keeper, ports: [{hostPort: 26445}]}]";

        assertThat(RULES.judge(pod(spec), Subject.PRINCIPAL, NEW)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("annotations")
    void followsOnlyPortsThatSomeFlagTakes(String annotation, boolean isFine) {
        Json pod = yaml("""
                metadata: {name: p, namespace: n, annotations: {ouroboros.dev/understudy-ports: "ANNOTATION"}}
                spec:
                  hostNetwork: true
                  containers: [{name: a, args: ['--web=:80', --metrics=9000, '--name=x']}, {name: b, args: [--health, '1']}]
                """.replace("ANNOTATION", annotation));

        assertThat(RULES.judge(pod, Subject.PRINCIPAL, NEW))
                .extracting(StaticPodFinding::field)
                .isEqualTo(isFine ? List.of() : List.of("metadata.annotations[ouroboros.dev/understudy-ports]"));
    }

    static List<Arguments> annotations() {
        return List.of(
                Arguments.of("web=8080", true),
                Arguments.of("--web=65535 , metrics=1,health=3", true),
                Arguments.of("web=0", false),
                Arguments.of("web=65536", false),
                Arguments.of("web=8080,", false),
                Arguments.of("", false),
                Arguments.of("web", false),
                Arguments.of("other=8080", false),
                Arguments.of("web=1,other=8080", false),
                Arguments.of("name=8080", false));
    }

    @Test
    void saysThatATemplateWillGetAToken() {
        KubernetesVersion kubelet = NEW;

        assertThat(RULES.judge(pod(MAIN), Subject.TEMPLATE, kubelet))
                .extracting(StaticPodFinding::field)
                .containsExactly("spec.automountServiceAccountToken");
        assertThat(RULES.judge(pod(MAIN + "automountServiceAccountToken: true"), Subject.TEMPLATE, kubelet))
                .hasSize(1);
        assertThat(RULES.judge(pod(MAIN + "automountServiceAccountToken: false"), Subject.TEMPLATE, kubelet))
                .isEmpty();
    }

    @Test
    void saysWhetherTheKubeletItselfRefuses() {
        StaticPodFinding token = RULES.judge(
                        pod("volumes: [{name: v, projected: {sources: [{serviceAccountToken: {}}]}}]"),
                        Subject.PRINCIPAL,
                        NEW)
                .getFirst();

        assertThat(token.what(NEW)).endsWith("; a kubelet of 1.36 refuses it in a static pod");
        assertThat(token.what(KubernetesVersion.of(1, 34))).endsWith("of 1.34 refuses it in a static pod");
        assertThat(token.what(KubernetesVersion.of(1, 33))).doesNotContain("refuses");
        assertThat(token.problem(OLD).code()).isEqualTo(ErrorCode.CANNOT_BE_STATIC);
        assertThat(token.problem(OLD).where()).isEqualTo(token.field());
        assertThat(token.problem(OLD).next()).contains("automountServiceAccountToken");
    }

    @Test
    void warnsOfPullSecretsOnlyWhereTheKubeletVerifiesThem() {
        Json pod = pod(MAIN + "imagePullSecrets: [{name: a}]");

        assertThat(RULES.judge(pod, Subject.PRINCIPAL, KubernetesVersion.of(1, 34)))
                .isEmpty();
        assertThat(RULES.judge(pod, Subject.PRINCIPAL, KubernetesVersion.of(1, 35)))
                .extracting(finding -> finding.rule().level())
                .containsExactly(Level.WARNING);
    }

    @Test
    void hasASourceAndARemedyForEveryRule() {
        assertThat(RULES.all()).allSatisfy(rule -> {
            assertThat(rule.what()).isNotBlank();
            assertThat(rule.next()).isNotBlank();
            assertThat(rule.source()).isNotBlank();
        });
    }

    /** The model of the Kubernetes client is a second list of the API's fields: ours must not lack any of them. */
    @Test
    void knowsEveryFieldOfTheApi() {
        Map<Part, Class<?>> types = Map.of(
                Part.POD, PodSpec.class,
                Part.CONTAINER, Container.class,
                Part.VOLUME, Volume.class,
                Part.PROJECTION, VolumeProjection.class,
                Part.ENV_SOURCE, EnvVarSource.class,
                Part.ENV_FROM_SOURCE, EnvFromSource.class,
                Part.LIFECYCLE, Lifecycle.class);

        types.forEach((part, type) -> assertThat(Arrays.stream(type.getDeclaredFields())
                        .map(Field::getName)
                        .filter(field -> !field.equals("additionalProperties") && !field.equals("serialVersionUID"))
                        .filter(field -> !RULES.fieldsOf(part).knows(field)))
                .as(part.key())
                .isEmpty());
    }
}
