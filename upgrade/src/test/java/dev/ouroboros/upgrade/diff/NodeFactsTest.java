package dev.ouroboros.upgrade.diff;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.node.disk.LocalDisk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NodeFactsTest {
    @TempDir
    private Path root;

    @Test
    void theWordsOfAProcessAreThoseOfItsCommandLine() throws Exception {
        process(7, "/usr/bin/kube-apiserver\0--secure-port=26443\0");
        process(8, "/usr/bin/kube-apiserver\0--v=1\0");
        process(9, "");
        assertThat(facts().process("kube-apiserver"))
                .isEqualTo(Evidence.known(Optional.of(List.of("/usr/bin/kube-apiserver", "--v=1"))));
        assertThat(facts().process("kube-proxy")).isEqualTo(Evidence.known(Optional.empty()));
    }

    @Test
    void theKeeperIsKnownBehindItsJava() throws Exception {
        process(7, "/usr/bin/flock\0--no-fork\0/lock\0/java/bin/java\0dev.ouroboros.keeper.KeeperMain\0--waits\0");
        process(8, "/java/bin/java\0-Xmx1m\0-cp\0/a.jar\0dev.ouroboros.keeper.KeeperMain\0--node-name=n\0");
        assertThat(facts().process("ouroboros-keeper"))
                .isEqualTo(Evidence.known(Optional.of(List.of("ouroboros-keeper", "--node-name=n"))));
    }

    @Test
    void aNodeWithoutCheckpointsHasNone() {
        assertThat(facts().checkpoint(new ComponentName("kube-system", "kube-apiserver")))
                .isEqualTo(Evidence.known(Optional.empty()));
    }

    @Test
    void processesThatCannotBeListedAreUnknown() {
        assertThat(facts().process("kube-proxy")).isInstanceOf(Evidence.Unknown.class);
    }

    private NodeFacts facts() {
        return new NodeFacts(new LocalDisk(), root);
    }

    private void process(int id, String commandLine) throws Exception {
        Path directory = Files.createDirectories(root.resolve("proc").resolve(Integer.toString(id)));
        Files.writeString(directory.resolve("cmdline"), commandLine);
    }
}
