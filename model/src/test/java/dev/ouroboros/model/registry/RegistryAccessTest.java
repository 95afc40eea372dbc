package dev.ouroboros.model.registry;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RegistryAccessTest {
    @ParameterizedTest
    @CsvSource({
        "http://mirror:5000, docker.io, http://mirror:5000",
        "https://mirror.example/, docker.io, https://mirror.example",
        "quay.io=https://m/v2/quay, quay.io, https://m/v2/quay",
        "registry.example:5000=https://m, registry.example:5000, https://m",
        "*=https://m, _default, https://m",
        "_default=https://m, _default, https://m",
        "https://m/a=b, docker.io, https://m/a=b",
    })
    void aMirrorIsOfDockersRegistryUnlessItSaysAnother(String text, String registry, URI server) {
        assertThat(RegistryMirror.parse(text)).contains(new RegistryMirror(registry, server));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "mirror",
                "ftp://m",
                "quay.io=",
                "=https://m",
                "../x=https://m",
                "a b=https://m",
                "https://",
                "https://u:p@m",
                "https://m?x=1",
                "quay.io=m:5000",
                "https://m/\"]"
            })
    void whatIsNoMirrorIsNone(String text) {
        assertThat(RegistryMirror.parse(text)).isEmpty();
    }

    @Test
    void mirrorsAreAskedInTheirOrderAndThenTheRegistryItself() {
        RegistryAccess access = new RegistryAccess(
                List.of(
                        new RegistryMirror("docker.io", URI.create("http://one:5000")),
                        new RegistryMirror("docker.io", URI.create("https://two/v2/hub"))),
                Optional.empty(),
                ProxyEnvironment.none());

        assertThat(access.files()).containsOnlyKeys("/etc/containerd/certs.d/docker.io/hosts.toml");
        assertThat(access.files().values()).singleElement().isEqualTo(RegistryAccess.HEAD + """


                [host."http://one:5000"]
                  capabilities = ["pull", "resolve"]

                [host."https://two/v2/hub"]
                  capabilities = ["pull", "resolve"]
                  override_path = true
                """);
    }

    @Test
    void anAuthorityIsTrustedForMirrorsAndForEveryRegistry() {
        RegistryAccess access = new RegistryAccess(
                List.of(new RegistryMirror("quay.io", URI.create("https://m"))),
                Optional.of("certificate"),
                ProxyEnvironment.none());

        assertThat(access.files())
                .containsOnlyKeys(RegistryAccess.AUTHORITY, "/etc/containerd/certs.d/quay.io/hosts.toml")
                .containsEntry("/etc/containerd/certs.d/_default/ouroboros-registry-ca.crt", "certificate");
        assertThat(access.files().get("/etc/containerd/certs.d/quay.io/hosts.toml"))
                .containsSubsequence("ca = ", "[host.\"https://m\"]", "  ca = ");
    }

    @Test
    void withoutAnythingSaidThereAreNoFiles() {
        assertThat(RegistryAccess.direct().files()).isEmpty();
        assertThat(RegistryAccess.direct().namesRegistries()).isFalse();
    }
}
