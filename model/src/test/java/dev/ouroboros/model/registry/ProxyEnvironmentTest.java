package dev.ouroboros.model.registry;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ProxyEnvironmentTest {
    private static final ProxyEnvironment PROXY = ProxyEnvironment.of(Map.of(
            "https_proxy",
            "proxy:3128",
            "HTTP_PROXY",
            "http://plain:80",
            "NO_PROXY",
            "corp.example, .only.example,10.0.0.0/8"));

    @ParameterizedTest
    @CsvSource({
        "https://registry.example/v2/, http://proxy:3128",
        "http://registry.example/, http://plain:80",
        "https://notcorp.example/, http://proxy:3128",
        "https://only.example/, http://proxy:3128",
        "https://11.0.0.1/, http://proxy:3128",
    })
    void aProxyIsAskedForItsScheme(URI address, URI proxy) {
        assertThat(PROXY.proxyFor(address)).contains(proxy);
    }

    @ParameterizedTest
    @CsvSource({"https://corp.example/", "https://a.corp.example/", "https://a.only.example/", "https://10.1.2.3:6443/"
    })
    void whatIsExceptedIsAskedDirectly(URI address) {
        assertThat(PROXY.proxyFor(address)).isEmpty();
    }

    @Test
    void aClustersOwnAddressesAreAddedToTheExceptions() {
        assertThat(PROXY.asksDirectly(List.of("10.3.0.0/24", ".svc")).variables())
                .containsEntry("HTTPS_PROXY", "proxy:3128")
                .containsEntry("https_proxy", "proxy:3128")
                .containsEntry(
                        "NO_PROXY", "corp.example,.only.example,10.0.0.0/8,localhost,127.0.0.1,::1,10.3.0.0/24,.svc");
    }

    @Test
    void withoutAProxyNothingIsSaid() {
        ProxyEnvironment none = ProxyEnvironment.of(Map.of("NO_PROXY", "a", "HTTPS_PROXY", " "));
        assertThat(none.isEmpty()).isTrue();
        assertThat(none.asksDirectly(List.of("b")).variables()).isEmpty();
        assertThat(none.proxyFor(URI.create("https://a.example"))).isEmpty();
    }
}
