package dev.ouroboros.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.api.ApiException.Kind;
import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.endpoint.testing.TestAuthority;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Everything that the authority has certified, as each kubelet is, could else take an API server's place. */
final class ServerNamesTest {
    private static final ApiPath VERSION = new ApiPath("/version");

    @Test
    void aCommandTalksOnlyToAServerThatIsCertifiedForItsAddress() throws Exception {
        try (FakeApiServer server = new FakeApiServer(new TestAuthority())) {
            ApiClient.Limits limits = ApiClient.Limits.ofACommand(Duration.ofSeconds(10));
            try (ApiClient right = new ApiClient(at(server, "127.0.0.1"), limits, "test");
                    ApiClient wrong = new ApiClient(at(server, "localhost"), limits, "test");
                    ApiClient keeper = new ApiClient(at(server, "localhost"), ApiClient.Limits.OF_A_NODE, "test")) {
                assertThat(right.get(VERSION).at("gitVersion").text()).contains("v1.20.2");
                assertThat(keeper.get(VERSION).at("gitVersion").text()).contains("v1.20.2");
                assertThatThrownBy(() -> wrong.get(VERSION))
                        .isInstanceOfSatisfying(
                                ApiException.class,
                                failure -> assertThat(failure.kind()).isEqualTo(Kind.UNREACHABLE))
                        .hasMessageContaining("localhost");
            }
        }
    }

    private static Endpoint at(FakeApiServer server, String host) {
        return Endpoint.of(
                URI.create("https://" + host + ":" + server.port()),
                List.of(server.authority().certificate()),
                Optional.empty(),
                Optional.empty());
    }
}
