package dev.ouroboros.node.port;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.evidence.Evidence;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ListenersTest {
    private static final String HEADER =
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt uid" + " timeout inode\n";

    @TempDir
    private Path proc = Path.of("");

    @Test
    void findsOurselvesOnAPortOfThisMachine() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Evidence<List<Listener>> found = Listeners.ofThisMachine().on(socket.getLocalPort());

            assertThat(found.orElse(List.of()))
                    .extracting(Listener::process)
                    .containsExactly(ProcessHandle.current().pid());
        }
    }

    @Test
    void findsNobodyOnAPortThatWasGivenBack() throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }

        assertThat(Listeners.ofThisMachine().on(port)).isEqualTo(Evidence.known(List.of()));
    }

    @Test
    void tellsThePodOfAProcessByItsControlGroup() throws IOException {
        listening("tcp6", 6443, 77);
        process(12, 77, "kube-apiserver\0--secure-port=6443\0", "4:memory:/kubepods/burstable/pod" + UID + "/0a1b\n");

        assertThat(new Listeners(proc).on(6443))
                .isEqualTo(Evidence.known(
                        List.of(new Listener(12, "kube-apiserver --secure-port=6443", Optional.of(UID)))));
    }

    @Test
    void readsControlGroupsThatSystemdMadeAndThoseOfStaticPods() throws IOException {
        listening("tcp", 6443, 77);
        process(12, 77, "a\0", "0::/kubepods.slice/kubepods-pod" + UID.replace('-', '_') + ".slice/cri-containerd-1\n");
        process(13, 77, "b\0", "0::/kubepods/pod0123456789abcdef0123456789abcdef/1\n");

        assertThat(new Listeners(proc).on(6443).orElse(List.of()))
                .extracting(Listener::podUid)
                .containsExactlyInAnyOrder(Optional.of(UID), Optional.of("0123456789abcdef0123456789abcdef"));
    }

    @Test
    void aProcessThatIsNoPodsBelongsToNone() throws IOException {
        listening("tcp", 6443, 77);
        process(12, 77, "nginx\0", "0::/system.slice/nginx.service\n");

        assertThat(new Listeners(proc).on(6443).orElse(List.of()))
                .extracting(Listener::podUid)
                .containsExactly(Optional.empty());
    }

    @Test
    void aListenerWhoseProcessCannotBeSeenIsNotTakenForNobody() throws IOException {
        listening("tcp", 6443, 77);

        assertThat(new Listeners(proc).on(6443)).isInstanceOf(Evidence.Unknown.class);
    }

    @Test
    void connectionsOnThePortAreNoListeners() throws IOException {
        Files.createDirectories(proc.resolve("net"));
        Files.writeString(
                proc.resolve("net/tcp"),
                HEADER + "   0: 0100007F:192B 0100007F:A001 01 0:0 0:0 0 0 0 78 1 0 20 4 30\n");

        assertThat(new Listeners(proc).on(6443)).isEqualTo(Evidence.known(List.of()));
    }

    private static final String UID = "6f2a3b1c-0d4e-4f5a-8b6c-7d8e9f0a1b2c";

    private void listening(String table, int port, int inode) throws IOException {
        Files.createDirectories(proc.resolve("net"));
        String address = table.equals("tcp") ? "00000000" : "0".repeat(32);
        Files.writeString(
                proc.resolve("net").resolve(table),
                HEADER
                        + "   0: %s:%04X %s:0000 0A 0:0 0:0 0 0 0 %d 1 0 100 0 0 10 0\n"
                                .formatted(address, port, address, inode));
    }

    private void process(int id, int inode, String command, String cgroup) throws IOException {
        Path process = proc.resolve(Integer.toString(id));
        Files.createDirectories(process.resolve("fd"));
        Files.createSymbolicLink(process.resolve("fd/3"), Path.of("socket:[" + inode + "]"));
        Files.writeString(process.resolve("cmdline"), command);
        Files.writeString(process.resolve("cgroup"), cgroup);
    }
}
