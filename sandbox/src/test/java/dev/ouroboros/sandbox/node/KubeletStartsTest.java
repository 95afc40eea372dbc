package dev.ouroboros.sandbox.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.process.Waiting;
import dev.ouroboros.node.testing.ModelDisk;
import dev.ouroboros.sandbox.NodePaths;
import dev.ouroboros.sandbox.SandboxName;
import dev.ouroboros.sandbox.SandboxPaths;
import dev.ouroboros.sandbox.testing.Leaping;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

final class KubeletStartsTest {
    private static final SandboxPaths SANDBOX = new SandboxPaths(Path.of("/sandboxes"), new SandboxName("one"));
    private static final RunningNode NODE = new RunningNode(1, SANDBOX, List.of());

    private final ModelDisk disk = new ModelDisk();
    private final NodePaths paths = new NodePaths(SANDBOX, "two");
    private final KubeletStarts starts = new KubeletStarts(disk, new Waiting(new Leaping()), paths);

    private void has(Path file, String content) {
        disk.tamper(NODE.file(file), content, Disk.OWNER_ONLY_FILE);
    }

    @Test
    void aNodeWithoutAKubeletHasNone() {
        assertThat(starts.await(NODE)).isEmpty();
    }

    @Test
    void theFirstIsTheOneAfterTheBoot() {
        has(NodeLayout.KUBELET_SERVICE, "exec kubelet");
        has(NodeLayout.KUBELET_STARTS, "2026-11-21T10:00:00Z\n2026-11-21T11:00:00Z\n");

        assertThat(starts.await(NODE)).contains(Instant.parse("2026-11-21T10:00:00Z"));
    }

    @Test
    void oneThatIsNotStartedIsNamedWithItsLogs() {
        has(NodeLayout.KUBELET_SERVICE, "exec kubelet");

        Refusal.of(
                () -> starts.await(NODE),
                ErrorCode.COMPONENT_FAILED,
                "kubelet of node " + paths.node(),
                "was not started 120 s after the node was booted",
                "see " + paths.logs());
    }

    @Test
    void whatOthersWroteInItsPlaceIsNamed() {
        has(NodeLayout.KUBELET_SERVICE, "exec kubelet");
        has(NodeLayout.KUBELET_STARTS, "yesterday\n");

        Refusal.of(
                () -> starts.await(NODE),
                ErrorCode.FOREIGN_FILE,
                "/run/ouroboros/kubelet.starts",
                "is not ours: Text 'yesterday' could not be parsed",
                "take the sandbox down (ouro down --name one) and make it again");
    }
}
