package dev.ouroboros.etcd.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.etcd.NoContainers;
import dev.ouroboros.etcd.decide.EtcdMemberPod;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.net.Cidr;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.render.manifest.EtcdStaticPod;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NodeMemberTest {
    @TempDir
    private Path directory = Path.of("");

    private Path manifest = Path.of("");
    private Path data = Path.of("");
    private Path keys = Path.of("");

    @SuppressWarnings("NullAway.Init") // made before each test
    private NodeMember member;

    @BeforeEach
    void node() throws Exception {
        manifest = Files.createDirectory(directory.resolve("manifests")).resolve("etcd.yaml");
        data = directory.resolve("etcd");
        keys = directory.resolve("tls");
        EtcdStaticPod pod = new EtcdStaticPod(
                "node-2",
                "registry.example/etcd:3.4.23",
                Cidr.address("10.77.0.3").orElseThrow(),
                new TreeMap<>(),
                data.toString(),
                keys.toString(),
                new TreeMap<>());
        member = new NodeMember(new LocalDisk(), new NoContainers(), EtcdMemberPod.of("granted", pod.yaml()), manifest);
    }

    private void install() {
        member.install("key", "certificate", "authority", "peers");
    }

    @Test
    void everythingIsThereBeforeTheManifest() throws Exception {
        assertThat(member.left()).isEqualTo(Evidence.known(Optional.empty()));
        install();
        assertThat(keys.resolve("server.key")).hasContent("key");
        assertThat(keys.resolve("peer.key")).hasContent("key");
        assertThat(keys.resolve("server.crt")).hasContent("certificate");
        assertThat(keys.resolve("server-ca.crt")).hasContent("authority");
        assertThat(keys.resolve("peer-ca.crt")).hasContent("peers");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(keys.resolve("peer.key"))))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data)))
                .as("the kubelet would make it for everybody to read")
                .isEqualTo("rwx------");
        assertThat(manifest).hasContent(member.pod().text());
    }

    @Test
    void anotherAuthorityIsLeftAlone() throws Exception {
        Files.createDirectory(keys);
        Files.writeString(keys.resolve("peer-ca.crt"), "somebody else's");
        Refusal.of(
                this::install,
                ErrorCode.FOREIGN_FILE,
                keys.resolve("peer-ca.crt").toString(),
                "is another authority than that of the members that run",
                "move it away");
        assertThat(manifest).doesNotExist();
        assertThat(keys.resolve("server.key")).doesNotExist();
    }

    @Test
    void whatIsDiscardedIsWhatAMemberWrites() throws Exception {
        install();
        Files.createDirectories(data.resolve("member/wal"));
        Files.writeString(data.resolve("other"), "not etcd's");
        member.stop();
        assertThat(member.left())
                .isEqualTo(Evidence.known(Optional.of(data.resolve("member").toString())));
        member.discard();
        assertThat(member.left()).isEqualTo(Evidence.known(Optional.empty()));
        assertThat(manifest).doesNotExist();
        assertThat(data.resolve("other")).exists();
        assertThat(keys.resolve("server.crt")).exists();
    }

    @Test
    void dataAreKeptUnderANameThatIsFree() throws Exception {
        install();
        for (String name : new String[] {"member.removed-1f", "member.removed-1f-2"}) {
            Files.createDirectories(data.resolve("member"));
            assertThat(member.setAside("1f")).isEqualTo(data.resolve(name)).isDirectory();
        }
        assertThat(member.hasData()).isEqualTo(Evidence.known(false));
        assertThat(member.hasKeys()).isEqualTo(Evidence.known(true));
        member.removeKeys();
        assertThat(member.hasKeys()).isEqualTo(Evidence.known(false));
    }
}
