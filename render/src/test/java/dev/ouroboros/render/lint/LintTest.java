package dev.ouroboros.render.lint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.ouroboros.model.checkpoint.StaticPodRules;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.render.lint.Lint.Scope;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class LintTest {
    private static final KubernetesVersion KUBELET = KubernetesVersion.of(1, 36);

    private static Lint lint(Scope scope, String text) {
        Lint lint = new Lint(StaticPodRules.load(), KUBELET, scope);
        lint.add("a.yaml", text);
        return lint;
    }

    @Test
    void namesFileLineObjectAndField() {
        Lint lint = lint(Scope.ASKING, """
                # a comment
                kind: ConfigMap
                ---
                kind: DaemonSet
                metadata: {name: web, namespace: infra}
                spec:
                  template:
                    metadata:
                      annotations:
                        ouroboros.dev/checkpoint: "true"
                        ouroboros.dev/understudy-ports: "oops"
                    spec:
                      hostNetwork: true
                      containers:
                      - name: web
                      volumes:
                      - name: a
                        hostPath: {path: /x}
                      - name: b
                        persistentVolumeClaim:
                          claimName: c
                """);

        assertThat(lint.pods()).isEqualTo(1);
        assertThat(lint.findings())
                .extracting(
                        LintFinding::file,
                        LintFinding::line,
                        LintFinding::object,
                        LintFinding::field,
                        found -> found.finding().rule().id())
                .containsExactly(
                        tuple(
                                "a.yaml",
                                11,
                                "DaemonSet infra/web",
                                "spec.template.metadata.annotations[ouroboros.dev/understudy-ports]",
                                "understudy-ports"),
                        tuple(
                                "a.yaml",
                                12,
                                "DaemonSet infra/web",
                                "spec.template.spec.automountServiceAccountToken",
                                "token-will-be-mounted"),
                        tuple(
                                "a.yaml",
                                20,
                                "DaemonSet infra/web",
                                "spec.template.spec.volumes[1].persistentVolumeClaim",
                                "claimed-volume"));
    }

    @Test
    void judgesOnlyWhatAsksUnlessToldOtherwise() {
        String text = "{kind: Pod, metadata: {name: p}, spec: {containers: [{name: a}]}}";

        assertThat(lint(Scope.ASKING, text).pods()).isZero();
        assertThat(lint(Scope.ASKING, text).findings()).isEmpty();
        assertThat(lint(Scope.ALL, text).findings())
                .extracting(LintFinding::object, LintFinding::field)
                .containsExactly(tuple("Pod default/p", "spec.automountServiceAccountToken"));
    }

    @Test
    void judgesStaticPodsAsTheKubeletDoes() {
        String text = """
                {kind: Pod, metadata: {name: p}, spec: {serviceAccountName: x, volumes: [{name: v, secret: {secretName: s}}]}}
                ---
                {kind: Deployment, metadata: {name: d}, spec: {template: {spec: {serviceAccountName: x}}}}
                """;

        assertThat(lint(Scope.STATIC, text).findings())
                .extracting(LintFinding::field)
                .containsExactlyInAnyOrder("spec.serviceAccountName", "spec.volumes[0].secret");
    }

    @ParameterizedTest
    @CsvSource({
        "Pod, '', '', ''",
        "DaemonSet, spec.template., 'spec: {template: ', '}'",
        "Deployment, spec.template., 'spec: {template: ', '}'",
        "StatefulSet, spec.template., 'spec: {template: ', '}'",
        "ReplicaSet, spec.template., 'spec: {template: ', '}'",
        "ReplicationController, spec.template., 'spec: {template: ', '}'",
        "Job, spec.template., 'spec: {template: ', '}'",
        "PodTemplate, template., 'template: ', ' '",
        "CronJob, spec.jobTemplate.spec.template., 'spec: {jobTemplate: {spec: {template: ', '}}}'"
    })
    void findsThePodInEveryKind(String kind, String prefix, String open, String close) {
        String text = open.isEmpty()
                ? "{kind: Pod, spec: {runtimeClassName: x, automountServiceAccountToken: no}}"
                : "{kind: " + kind + ", " + open + "{spec: {runtimeClassName: x, automountServiceAccountToken: no}}"
                        + close + "}";

        assertThat(lint(Scope.ALL, text).findings())
                .extracting(LintFinding::field)
                .containsExactly(prefix + "spec.runtimeClassName");
    }

    @Test
    void looksIntoLists() {
        String text = """
                kind: List
                items:
                - {kind: ConfigMap}
                - kind: Pod
                  spec:
                    automountServiceAccountToken: false
                    runtimeClassName: x
                """;

        assertThat(lint(Scope.ALL, text).findings())
                .extracting(LintFinding::line, LintFinding::field)
                .containsExactly(tuple(7, "items[1].spec.runtimeClassName"));
    }

    @Test
    void readsJsonToo() {
        String text =
                "{\n\t\"kind\": \"Pod\",\n\t\"spec\": {\"runtimeClassName\": \"x\",\n\"automountServiceAccountToken\": false}}";

        assertThat(lint(Scope.ALL, text).findings())
                .extracting(LintFinding::line, LintFinding::field)
                .containsExactly(tuple(3, "spec.runtimeClassName"));
    }

    @Test
    void takesYesForTrueAsKubernetesDoes() {
        assertThat(lint(Scope.ALL, "{kind: Pod, spec: {automountServiceAccountToken: No, hostNetwork: Yes}}")
                        .findings())
                .extracting(LintFinding::field)
                .containsExactly("spec.hostNetwork");
        assertThat(lint(Scope.ALL, "{kind: Pod, spec: {automountServiceAccountToken: false, hostNetwork: 'yes'}}")
                        .findings())
                .isEmpty();
    }

    @Test
    void ordersByFileThenLine() {
        Lint lint = new Lint(StaticPodRules.load(), KUBELET, Scope.ALL);
        String pod = "{kind: Pod, spec: {runtimeClassName: x, automountServiceAccountToken: false}}";
        lint.add("b", pod);
        lint.add("a", "---\n---\n" + pod + "\n---\n" + pod);

        assertThat(lint.findings())
                .extracting(LintFinding::file, LintFinding::line)
                .containsExactly(tuple("a", 3), tuple("a", 5), tuple("b", 1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a: [", "a: b: c", "a: 1\na: 2", "&a [*a]"})
    void namesTheLineOfWhatIsNotYaml(String text) {
        assertThatThrownBy(() -> lint(Scope.ALL, text))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("a.yaml:");
    }

    @Test
    void leavesStrangeDocumentsAlone() {
        assertThat(lint(Scope.ALL, "just text\n---\n- a\n---\n{? [a] : b, n: 1.5, t: ~}\n")
                        .findings())
                .isEmpty();
    }
}
