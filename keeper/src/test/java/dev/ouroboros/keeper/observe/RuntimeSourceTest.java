package dev.ouroboros.keeper.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.decide.Running;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.runtime.cri.CriRuntime;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The real client of the runtime on sockets that do not answer. */
@Timeout(30)
final class RuntimeSourceTest {
    private static final ComponentName SERVER = new ComponentName("kube-system", "kube-apiserver");

    @TempDir
    private Path directory = Path.of("");

    private RuntimeSource source() {
        return new RuntimeSource(
                new CriRuntime(directory.resolve("cri.sock"), Duration.ofMillis(300)),
                "node-1",
                new Signal(InstantSource.system()));
    }

    @Test
    void knowsNothingWhileTheSocketHangs() throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(directory.resolve("cri.sock")));
            RuntimeSource source = source();

            source.refresh();

            assertThat(source.principal(SERVER, Set.of())).isInstanceOf(Evidence.Unknown.class);
            assertThat(source.understudy(SERVER, Role.API_SERVER, Set.of(), Optional.empty()))
                    .isInstanceOf(Evidence.Unknown.class);
            assertThat(source.value()).isInstanceOf(Evidence.Unknown.class);
        }
    }

    @Test
    void knowsNothingWithoutASocket() {
        RuntimeSource source = source();

        source.refresh();

        Evidence<Running> principal = source.principal(SERVER, Set.of());
        assertThat(principal).isInstanceOf(Evidence.Unknown.class);
        assertThat(principal.is(running -> running != Running.RUNNING)).isFalse();
    }
}
