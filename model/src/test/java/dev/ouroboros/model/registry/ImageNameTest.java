package dev.ouroboros.model.registry;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ImageNameTest {
    private static final String DIGEST = "@sha256:" + "0".repeat(64);

    @ParameterizedTest
    @CsvSource({
        "nginx, docker.io/library/nginx:latest",
        "nginx:1, docker.io/library/nginx:1",
        "calico/node:v3, docker.io/calico/node:v3",
        "registry.k8s.io/pause:3.9, registry.k8s.io/pause:3.9",
        "registry.k8s.io/pause, registry.k8s.io/pause:latest",
        "localhost/ouroboros/etcd:3.5.30, localhost/ouroboros/etcd:3.5.30",
        "localhost:5000/a, localhost:5000/a:latest",
        "host:5000/a/b/c:1, host:5000/a/b/c:1",
    })
    void completesShortNames(String reference, String name) {
        assertThat(ImageName.candidates(reference)).containsExactly(name);
    }

    @Test
    void aDigestDecidesOverATag() {
        assertThat(ImageName.candidates("nginx" + DIGEST)).containsExactly("docker.io/library/nginx" + DIGEST);
        assertThat(ImageName.candidates("host:5000/a:1" + DIGEST))
                .containsExactly("host:5000/a:1" + DIGEST, "host:5000/a" + DIGEST);
    }

    @ParameterizedTest
    @CsvSource({"./image.tar", "/a", "Busybox", "a b", "a:", "-a", "a@sha256:1", "a//b"})
    void aTextThatIsNoReferenceHasNoName(String text) {
        assertThat(ImageName.complete(text)).isEmpty();
    }

    @Test
    void aReferenceIsCompleted() {
        assertThat(ImageName.complete("busybox")).contains("docker.io/library/busybox:latest");
        assertThat(ImageName.complete("localhost:5000/a__b/c:V1" + DIGEST))
                .contains("localhost:5000/a__b/c:V1" + DIGEST);
    }
}
