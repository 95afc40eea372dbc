package dev.ouroboros.upgrade.merge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ThreeWayTest {
    @Test
    void aFlagOfTheUserSurvivesAChangeOfAnother() {
        Merged merged = merge(
                pod("'kube-apiserver', '--a=1', '--b=1'"),
                pod("'kube-apiserver', '--a=1', '--b=1', '--audit-log-path=-'"),
                pod("'kube-apiserver', '--a=2', '--b=1', '--c=1'"));
        assertThat(words(merged)).containsExactly("kube-apiserver", "--a=2", "--b=1", "--c=1", "--audit-log-path=-");
        assertThat(merged.kept()).containsExactly("spec.template.spec.containers[main].command --audit-log-path");
        assertThat(merged.conflicts()).isEmpty();
    }

    @Test
    void aFlagThatTheUserRemovedStaysRemoved() {
        Merged merged = merge(pod("'x', '--a=1', '--b=1'"), pod("'x', '--b=1'"), pod("'x', '--a=1', '--b=2'"));
        assertThat(words(merged)).containsExactly("x", "--b=2");
    }

    @Test
    void aFlagThatTheTargetRemovesGoes() {
        Merged merged = merge(
                pod("'x', '--insecure-port=0', '--b=1'"),
                pod("'x', '--insecure-port', '0', '--b=1', '--c'"),
                pod("'x', '--b=1'"));
        assertThat(words(merged)).containsExactly("x", "--b=1", "--c");
        assertThat(merged.conflicts()).isEmpty();
    }

    @Test
    void aFlagThatBothChangedIsAConflictAndNeverOverwritten() {
        Merged merged = merge(pod("'x', '--v=1'"), pod("'x', '--v=4'"), pod("'x', '--v=2'"));
        assertThat(words(merged)).containsExactly("x", "--v=4");
        assertThat(merged.conflicts())
                .containsExactly(new Conflict(
                        "spec.template.spec.containers[main].command --v",
                        Json.text("1"),
                        Json.text("4"),
                        Json.text("2")));
    }

    @Test
    void theTargetStandsThereWhenItIsPreferred() {
        Merged merged = ThreeWay.merge(
                pod("'x', '--v=1'"), pod("'x', '--v=4', '--w=1'"), pod("'x', '--v=2'"), Preference.TARGET);
        assertThat(words(merged)).containsExactly("x", "--v=2", "--w=1");
        assertThat(merged.conflicts()).hasSize(1);
    }

    /** Seen on 1.20: the token that the controller manager makes for a ServiceAccount is nobody's change, and stays. */
    @Test
    void theTokenOfAServiceAccountIsTheControllers() {
        String account = "{'kind': 'ServiceAccount', 'metadata': {'name': 'x'}";
        Merged merged = merge(
                json(account + "}"),
                json(account + ", 'secrets': [{'name': 'x-token-1'}]}"),
                json(account + ", 'automountServiceAccountToken': false}"));
        assertThat(merged.kept()).isEmpty();
        assertThat(merged.conflicts()).isEmpty();
        assertThat(merged.result())
                .isEqualTo(
                        json(account + ", 'secrets': [{'name': 'x-token-1'}], 'automountServiceAccountToken': false}"));
    }

    @Test
    void featureGatesAreMergedOneByOne() {
        Merged merged = merge(
                pod("'x', '--feature-gates=A=true,B=true'"),
                pod("'x', '--feature-gates=A=true,B=true,Mine=true'"),
                pod("'x', '--feature-gates=A=false'"));
        assertThat(words(merged)).containsExactly("x", "--feature-gates=A=false,Mine=true");
        assertThat(merged.kept()).containsExactly("spec.template.spec.containers[main].command --feature-gates[Mine]");
    }

    @Test
    void admissionPluginsOfBothAreOn() {
        Merged merged = merge(
                pod("'x', '--enable-admission-plugins=A'"),
                pod("'x', '--enable-admission-plugins=A,Mine'"),
                pod("'x', '--enable-admission-plugins=A,New'"));
        assertThat(words(merged)).containsExactly("x", "--enable-admission-plugins=A,Mine,New");
    }

    @Test
    void aFlagThatIsGivenSeveralTimesIsAGroup() {
        Merged merged = merge(
                pod("'x', '--service-account-key-file=a'"),
                pod("'x', '--service-account-key-file=a', '--service-account-key-file=mine'"),
                pod("'x', '--service-account-key-file=b', '--service-account-key-file=c'"));
        assertThat(words(merged))
                .containsExactly(
                        "x",
                        "--service-account-key-file=mine",
                        "--service-account-key-file=b",
                        "--service-account-key-file=c");
        assertThat(merged.conflicts()).isEmpty();
    }

    /** The last use of most flags wins: beside the target's it would be lost without a word. */
    @Test
    void aFlagThatOnlyTheClusterHasTwiceIsAConflict() {
        Merged merged = merge(pod("'x', '--v=2'"), pod("'x', '--v=2', '--v=5'"), pod("'x', '--v=3'"));
        assertThat(words(merged)).containsExactly("x", "--v=2", "--v=5");
        assertThat(merged.conflicts())
                .containsExactly(new Conflict(
                        "spec.template.spec.containers[main].command --v",
                        Json.text("2"),
                        Json.text("2 5"),
                        Json.text("3")));
    }

    @Test
    void aShellsTextIsOneValue() {
        Merged merged = merge(
                pod("'sh', '-c', 'exec x --a=1'"),
                pod("'sh', '-c', 'exec x --a=1 --mine'"),
                pod("'sh', '-c', 'exec x --a=2'"));
        assertThat(merged.conflicts())
                .extracting(Conflict::path)
                .containsExactly("spec.template.spec.containers[main].command");
    }

    @Test
    void aVolumeOfTheUserStaysBesideOneOfTheTarget() {
        Merged merged = merge(
                json("{'volumes': [{'name': 'a', 'emptyDir': {}}]}"),
                json("{'volumes': [{'name': 'a', 'emptyDir': {}}, {'name': 'mine', 'hostPath': {'path': '/m'}}]}"),
                json(
                        "{'volumes': [{'name': 'new', 'emptyDir': {}}, {'name': 'a', 'emptyDir': {'medium': 'Memory'}}]}"));
        assertThat(merged.result())
                .isEqualTo(json(
                        "{'volumes': [{'name': 'new', 'emptyDir': {}}, {'name': 'a', 'emptyDir': {'medium': 'Memory'}},"
                                + " {'name': 'mine', 'hostPath': {'path': '/m'}}]}"));
    }

    @Test
    void aContainerThatTheUserEditedIsNotRemovedSilently() {
        Merged merged = merge(
                json("{'containers': [{'name': 'a', 'image': 'a:1'}, {'name': 'b', 'image': 'b:1'}]}"),
                json("{'containers': [{'name': 'a', 'image': 'a:1'}, {'name': 'b', 'image': 'b:mine'}]}"),
                json("{'containers': [{'name': 'a', 'image': 'a:2'}]}"));
        assertThat(merged.conflicts()).extracting(Conflict::path).containsExactly("containers[b]");
        assertThat(merged.result())
                .isEqualTo(json("{'containers': [{'name': 'a', 'image': 'a:2'}, {'name': 'b', 'image': 'b:mine'}]}"));
    }

    @Test
    void aPortIsTheSameWithAndWithoutItsDefaultProtocol() {
        Merged merged = merge(
                json("{'containers': [{'name': 'a', 'ports': [{'containerPort': 1}]}]}"),
                json("{'containers': [{'name': 'a', 'ports': [{'containerPort': 1, 'protocol': 'TCP'}]}]}"),
                json("{'containers': [{'name': 'a', 'ports': [{'containerPort': 1, 'name': 'https'}]}]}"));
        assertThat(merged.conflicts()).isEmpty();
        assertThat(merged.result())
                .isEqualTo(
                        json(
                                "{'containers': [{'name': 'a', 'ports': [{'containerPort': 1, 'protocol': 'TCP', 'name': 'https'}]}]}"));
    }

    @Test
    void theOrderThatTheUserGaveIsKept() {
        Merged merged = merge(
                json("{'initContainers': [{'name': 'a'}, {'name': 'b'}]}"),
                json("{'initContainers': [{'name': 'b'}, {'name': 'a'}]}"),
                json("{'initContainers': [{'name': 'a'}, {'name': 'b'}, {'name': 'c'}]}"));
        assertThat(merged.result())
                .isEqualTo(json("{'initContainers': [{'name': 'b'}, {'name': 'c'}, {'name': 'a'}]}"));
        assertThat(merged.conflicts()).isEmpty();
    }

    @Test
    void whatOnlyAServerWritesIsTheServers() {
        Merged merged = merge(
                json("{'metadata': {'name': 'a', 'generation': 1}, 'spec': 1}"),
                json("{'metadata': {'name': 'a', 'uid': 'u', 'resourceVersion': '7', 'generation': 3, 'annotations':"
                        + " {'deployment.kubernetes.io/revision': '3'}}, 'spec': 1, 'status': {'ready': 1}}"),
                json("{'metadata': {'name': 'a', 'generation': 2}, 'spec': 2}"));
        assertThat(merged.result())
                .isEqualTo(json(
                        "{'metadata': {'name': 'a', 'uid': 'u', 'resourceVersion': '7', 'generation': 3, 'annotations':"
                                + " {'deployment.kubernetes.io/revision': '3'}}, 'spec': 2, 'status': {'ready': 1}}"));
        assertThat(merged.kept()).isEmpty();
    }

    @Test
    void labelsOfTheUserStayWhenTheTargetHasNone() {
        Merged merged =
                merge(json("{'labels': {'a': '1'}}"), json("{'labels': {'a': '1', 'mine': '1'}}"), json("{'x': 1}"));
        assertThat(merged.result()).isEqualTo(json("{'labels': {'mine': '1'}, 'x': 1}"));
    }

    @Test
    void aStructureThatTheUserChangedIsNotLeftInHalves() {
        Merged merged = merge(
                json("{'hostPath': {'path': '/a'}}"),
                json("{'hostPath': {'path': '/a', 'type': 'File'}}"),
                json("{'emptyDir': {}}"));
        assertThat(merged.conflicts()).extracting(Conflict::path).containsExactly("hostPath");
    }

    @Test
    void tolerationsOfBothAreTolerated() {
        Merged merged = merge(
                json("{'tolerations': [{'key': 'a'}]}"),
                json("{'tolerations': [{'key': 'a'}, {'key': 'mine'}]}"),
                json("{'tolerations': [{'key': 'new'}]}"));
        assertThat(merged.result()).isEqualTo(json("{'tolerations': [{'key': 'mine'}, {'key': 'new'}]}"));
    }

    private static Merged merge(Json base, Json live, Json target) {
        return ThreeWay.merge(base, live, target, Preference.LIVE);
    }

    private static List<String> words(Merged merged) {
        return merged
                .result()
                .at("spec", "template", "spec", "containers")
                .items()
                .getFirst()
                .at("command")
                .items()
                .stream()
                .flatMap(word -> word.text().stream())
                .toList();
    }

    private static Json pod(String command) {
        return json(
                "{'spec': {'template': {'spec': {'containers': [{'name': 'main', 'command': [" + command + "]}]}}}}");
    }

    static Json json(String text) {
        try {
            return JsonText.read(text.replace('\'', '"'));
        } catch (MalformedJson e) {
            throw new AssertionError(e);
        }
    }
}
