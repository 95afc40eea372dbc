package dev.ouroboros.runtime.containerd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.images.oci.BuiltImage;
import dev.ouroboros.model.registry.ProxyEnvironment;
import dev.ouroboros.model.registry.RegistryAccess;
import dev.ouroboros.model.registry.RegistryMirror;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@link RegistryAccess} and a containerd that pulls, from a registry whose authority no machine trusts. */
@Tag("e2e")
@Timeout(120)
final class RegistryAccessOnContainerdTest {
    /** In the certificate of the registry, and reached by nobody but the proxy. */
    private static final String FAR = TestAuthority.NODE + "/team/app:1";

    @TempDir
    private Path directory = Path.of("");

    private TestContainerd containerd;
    private TestRegistry registry;
    private TestProxy proxy;
    private String authority = "";

    @BeforeEach
    void start() throws Exception {
        TestAuthority signer = new TestAuthority();
        authority = TestAuthority.pem(signer.certificate());
        Path layout = Files.createDirectories(directory.resolve("layout"));
        registry = new TestRegistry(signer.serverContext(), layout);
        proxy = new TestProxy(registry.port());
        ProxyEnvironment asked = ProxyEnvironment.of(Map.of("https_proxy", proxy.address()));
        containerd = TestContainerd.start(
                directory, asked.asksDirectly(List.of("10.0.0.0/8")).variables());
        String image = containerd.loadImage(BuiltImage.PAUSE);
        Path archive = directory.resolve("exported.tar");
        containerd.ctr("images", "export", archive.toString(), image);
        new LocalProcesses()
                .run(Command.of("tar", "--extract", "--file=" + archive, "--directory=" + layout))
                .orThrow();
    }

    @AfterEach
    void stop() throws IOException, InterruptedException {
        containerd.close();
        proxy.close();
        registry.close();
    }

    @Test
    void pullsThroughAMirrorOfDockersRegistryWithoutARestart() throws IOException {
        access(List.of(mirror("https://127.0.0.1:" + registry.port())), Optional.of(authority));

        containerd.pullImage("docker.io/team/app:1");

        assertThat(registry.asked()).contains("team/app");
        assertThat(containerd.ctr("images", "ls", "-q")).contains("docker.io/team/app:1");
        assertThat(proxy.connects()).isEmpty();
    }

    @Test
    void pullsThroughTheMirrorOfEveryRegistryBelowThePathThatItSays() throws IOException {
        access(List.of(mirror("*=https://127.0.0.1:" + registry.port() + "/v2/cache")), Optional.of(authority));

        containerd.pullImage("registry.example/app:2");

        assertThat(registry.asked()).contains("cache/app");
    }

    @Test
    void trustsAMirrorByTheAuthorityThatWasGivenAlone() throws IOException {
        access(List.of(mirror("*=https://127.0.0.1:" + registry.port())), Optional.empty());

        assertThatThrownBy(() -> containerd.pullImage(FAR)).isInstanceOf(IOException.class);

        assertThat(registry.asked()).isEmpty();
    }

    @Test
    void pullsThroughTheProxyOfItsEnvironment() throws IOException {
        access(List.of(), Optional.of(authority));

        containerd.pullImage(FAR);

        assertThat(proxy.connects()).isNotEmpty().allMatch(("CONNECT " + TestAuthority.NODE + ":443")::equals);
        assertThat(registry.asked()).contains("team/app");
    }

    @Test
    void asksTheRegistryItselfForWhatAMirrorDoesNotHaveAndTrustsItToo() throws IOException {
        access(
                List.of(mirror(TestAuthority.NODE + "=https://127.0.0.1:" + registry.port() + "/nothing")),
                Optional.of(authority));

        containerd.pullImage(FAR);

        assertThat(proxy.connects()).contains("CONNECT " + TestAuthority.NODE + ":443");
    }

    private static RegistryMirror mirror(String text) {
        return RegistryMirror.parse(text).orElseThrow();
    }

    /** As it is written on a node, below this test's own directory. */
    private void access(List<RegistryMirror> mirrors, Optional<String> certificates) throws IOException {
        String ours = directory.resolve("certs.d").toString();
        Map<String, String> files = new RegistryAccess(mirrors, certificates, ProxyEnvironment.none()).files();
        for (Map.Entry<String, String> file : files.entrySet()) {
            Path path = Path.of(file.getKey().replace(RegistryAccess.DIRECTORY, ours));
            Files.createDirectories(path.resolveSibling("."));
            Files.writeString(path, file.getValue().replace(RegistryAccess.DIRECTORY, ours));
        }
    }
}
