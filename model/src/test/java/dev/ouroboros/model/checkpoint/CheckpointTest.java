package dev.ouroboros.model.checkpoint;

import static dev.ouroboros.model.json.YamlFixture.yaml;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.version.KubernetesVersion;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class CheckpointTest {
    private static final ComponentName NAME = new ComponentName("kube-system", "kube-apiserver");

    static SavedFile file(String path, int mode, int group, String content) {
        return new SavedFile("v", path, mode, group, Content.of(content.getBytes(StandardCharsets.UTF_8)));
    }

    private static Checkpoint of(String pod, SavedFile... files) {
        return new Checkpoint(NAME, Role.API_SERVER, (Json.Fields) yaml(pod), List.of(files));
    }

    @Test
    void hasTheSameRevisionInAnyOrder() {
        assertThat(of("{a: 1, b: {c: 2, d: [x]}}", file("a", 1, 0, "x"), file("b", 1, 0, "y"))
                        .revision())
                .isEqualTo(of("{b: {d: [x], c: 2}, a: 1}", file("b", 1, 0, "y"), file("a", 1, 0, "x"))
                        .revision());
    }

    @Test
    void hasAnotherRevisionWhenAnythingDiffers() {
        assertThat(List.of(
                        of("{a: 1}").revision(),
                        of("{a: 2}").revision(),
                        of("{a: [1, 2]}").revision(),
                        of("{a: [2, 1]}").revision(),
                        of("{a: 1}", file("a", 0600, 0, "x")).revision(),
                        of("{a: 1}", file("a", 0600, 0, "y")).revision(),
                        of("{a: 1}", file("b", 0600, 0, "x")).revision(),
                        of("{a: 1}", file("a", 0601, 0, "x")).revision(),
                        of("{a: 1}", file("a", 0600, 1, "x")).revision(),
                        of("{a: 1}", file("ax", 0600, 0, "")).revision(),
                        of("{a: 1}", file("a", 0600, 0, "x"), file("b", 0600, 0, "x"))
                                .revision(),
                        of("{a: 1}", new SavedFile("w", "a", 0600, 0, Content.of(new byte[] {'x'})))
                                .revision()))
                .doesNotHaveDuplicates();
    }

    @Test
    void keepsItsRevisionFromReleaseToRelease() {
        assertThat(of("{a: 1}", file("a", 0600, 5, "x")).revision().digest())
                .isEqualTo("5991a19e7c83c03238ef62be636e4a54dd4475a82bcfe89f972cfe5d3fc90f33");
    }

    @Test
    void refusesTwoFilesInOnePlace() {
        assertThatThrownBy(() -> of("{}", file("a", 1, 0, "x"), file("a", 1, 0, "y")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("v/a");
    }

    @Test
    void namesTheImagesOfAllContainersOnce() {
        assertThat(of("""
                        spec:
                          initContainers: [{name: i, image: b}]
                          containers: [{name: c, image: a}, {name: d, image: b}, {name: e}]
                        """).images()).containsExactly("a", "b");
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "host:5000/kube-apiserver:v1.20.2@sha256:00,1.20.2",
                "kube-apiserver:1.36.3,1.36.3",
                "host:5000/kube-apiserver,-",
                "kube-apiserver:latest,-",
                "kube-apiserver@sha256:00,-"
            })
    void readsTheVersionFromTheTag(String image, String version) {
        assertThat(of("spec: {containers: [{name: other, image: 'x:v1.1.1'}, {name: kube-apiserver, image: '" + image
                                + "'}]}")
                        .version()
                        .map(KubernetesVersion::number))
                .isEqualTo(java.util.Optional.ofNullable(version));
    }

    @Test
    void knowsNoVersionOfSomebodysPod() {
        assertThat(new Checkpoint(
                                NAME,
                                Role.OTHER,
                                (Json.Fields) yaml("spec: {containers: [{name: kube-apiserver, image: 'x:v1.20.2'}]}"),
                                List.of())
                        .version())
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/a", "a/", "a//b", ".", "..", "a/../b", "a/./b", "a\0b"})
    void takesNoPathThatLeavesTheVolume(String path) {
        assertThatThrownBy(() -> file(path, 0600, 0, "x")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void takesOnlyNumbersThatAreModesAndGroups() {
        assertThatThrownBy(() -> file("a", 01000, 0, "")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> file("a", -1, 0, "")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> file("a", 0, -1, "")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new SavedFile("a/b", "a", 0, 0, Content.of(new byte[0])))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(file("a/..b/c", 0777, 0, "").path()).isEqualTo("a/..b/c");
        assertThat(file("a", 0, 0, "").mode()).isZero();
    }

    @Test
    void showsNoContent() {
        Content content = Content.of("secret".getBytes(StandardCharsets.UTF_8));

        assertThat(content.toString()).doesNotContain("secret").startsWith("6 bytes, sha256:2bb80d53");
        assertThat(content)
                .isEqualTo(Content.of("secret".getBytes(StandardCharsets.UTF_8)))
                .hasSameHashCodeAs(Content.of("secret".getBytes(StandardCharsets.UTF_8)))
                .isNotEqualTo(Content.of(new byte[0]));
        assertThat(content.hashCode()).isNotEqualTo(Content.of(new byte[0]).hashCode());
    }

    @Test
    void cannotBeChangedThroughItsBytes() {
        byte[] bytes = {1};
        Content content = Content.of(bytes);
        bytes[0] = 2;
        content.bytes()[0] = 3;

        assertThat(content.bytes()).containsExactly(1);
    }
}
