package dev.ouroboros.cli.start;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.kubelet.NodeName;
import dev.ouroboros.node.testing.ModelDisk;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which Node {@code ouro start} takes this machine for. */
final class StartCommandTest {
    private final ModelDisk disk = new ModelDisk();

    private void has(String file, String content) {
        disk.tamper(Path.of(file), content, Disk.OWNER_ONLY_FILE);
    }

    @Test
    void aNameIsTakenAsAKubeletTakesIt() {
        has(NodeName.FILE, "Machine\n");

        assertThat(StartCommand.nodeName(Optional.empty(), disk)).isEqualTo("machine");
        assertThat(StartCommand.nodeName(Optional.of("One.Example"), disk)).isEqualTo("one.example");
        Refusal.of(() -> StartCommand.nodeName(Optional.of("my_host"), disk), ErrorCode.BAD_USAGE)
                .where("--node-name")
                .whatStartsWith("'my_host' is no name of a Node")
                .next("say another with --node-name");
    }
}
