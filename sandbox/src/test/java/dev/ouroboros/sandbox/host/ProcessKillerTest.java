package dev.ouroboros.sandbox.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.Waiting;
import dev.ouroboros.sandbox.host.CgroupTree.Leaf;
import dev.ouroboros.sandbox.testing.Leaping;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On ordinary directories: the files that the kernel adds to a group are written by the test. */
final class ProcessKillerTest {
    @TempDir
    private Path hierarchy = Path.of("");

    @Test
    void whoeverIsAmongThoseThatAreToBeKilledKillsNobody() throws IOException {
        CgroupTree cgroups = new CgroupTree(new LocalDisk(), List.of(hierarchy), "ouroboros-a");
        cgroups.create(EnumSet.of(Leaf.NODE));
        Process namespace = new ProcessBuilder(List.of(
                        "unshare", "--user", "--pid", "--fork", "--kill-child", "sh", "-c", "echo ready; read -r _"))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            assertThat(namespace.inputReader().readLine()).isEqualTo("ready");
            ProcessHandle first = namespace.children().findFirst().orElseThrow();
            assertThat(new ProcessTable().isFirstOfNamespace(first.pid())).isTrue();
            for (Path group : cgroups.groups()) {
                Files.writeString(
                        group.resolve("cgroup.procs"),
                        first.pid() + "\n" + ProcessHandle.current().pid() + "\n");
            }

            Refusal.of(
                    () -> new ProcessKiller(new ProcessTable(), new Waiting(new Leaping())).kill(cgroups),
                    ErrorCode.BAD_USAGE,
                    "sandbox",
                    "a node cannot take itself down",
                    "run this command outside of the node");
            assertThat(new ProcessTable().isFirstOfNamespace(first.pid()))
                    .as("nobody has killed it")
                    .isTrue();
        } finally {
            namespace.destroyForcibly().onExit().join();
        }
    }
}
