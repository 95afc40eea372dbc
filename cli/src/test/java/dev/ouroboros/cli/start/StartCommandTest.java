package dev.ouroboros.cli.start;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.host.decide.CgroupDriver;
import dev.ouroboros.host.decide.HostRecord;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.kubelet.NodeName;
import dev.ouroboros.node.testing.ModelDisk;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which Node {@code ouro start} takes this machine for. */
final class StartCommandTest {
    private final ModelDisk disk = new ModelDisk();

    private void has(String file, String content) {
        disk.tamper(Path.of(file), content, Disk.OWNER_ONLY_FILE);
    }

    private String nodeName(Optional<String> said) {
        return StartCommand.nodeName(said, StartCommand.prepared(said, disk), disk);
    }

    /** The command that prepare prints names none, and its kubelet is told another name than the host has. */
    @Test
    void whatTheMachineWasPreparedAsCountsUnlessSomethingElseIsSaid() {
        has(NodeName.FILE, "machine\n");
        has(
                HostRecord.FILE,
                new String(
                        HostRecord.empty()
                                .withNode(new HostRecord.Node(
                                        "one", InetAddress.ofLiteral("10.0.0.6"), CgroupDriver.SYSTEMD))
                                .json(),
                        StandardCharsets.UTF_8));

        assertThat(nodeName(Optional.empty())).isEqualTo("one");
        assertThat(StartCommand.prepared(Optional.empty(), disk).map(HostRecord.Node::address))
                .contains(InetAddress.ofLiteral("10.0.0.6"));
        assertThat(nodeName(Optional.of("two"))).isEqualTo("two");
        assertThat(StartCommand.prepared(Optional.of("two"), disk)).isEmpty();
    }

    @Test
    void aNameIsTakenAsAKubeletTakesIt() {
        has(NodeName.FILE, "Machine\n");

        assertThat(nodeName(Optional.empty())).isEqualTo("machine");
        assertThat(nodeName(Optional.of("One.Example"))).isEqualTo("one.example");
        Refusal.of(() -> nodeName(Optional.of("my_host")), ErrorCode.BAD_USAGE)
                .where("--node-name")
                .whatStartsWith("'my_host' is no name of a Node")
                .next("say another with --node-name");
    }
}
