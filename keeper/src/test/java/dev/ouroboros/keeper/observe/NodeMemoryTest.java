package dev.ouroboros.keeper.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.keeper.testing.FailingDisk;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.node.disk.LocalDisk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class NodeMemoryTest {
    @TempDir
    private Path directory = Path.of("");

    private final FailingDisk disk = new FailingDisk(new LocalDisk());
    private Path file = Path.of("");
    private NodeMemory memory = new NodeMemory(disk.disk(), file);

    @BeforeEach
    void begin() {
        file = directory.resolve("state.json");
        memory = new NodeMemory(disk.disk(), file);
    }

    /** What the next keeper of this node knows. */
    private NodeMemory next() {
        return new NodeMemory(disk.disk(), file);
    }

    private static KubernetesVersion version(String tag) {
        return KubernetesVersion.parse(tag).orElseThrow();
    }

    @Test
    void theNextKeeperKnowsWhatThisOneSaw() {
        memory.adopt("cluster-1");
        memory.served("v1.20.2");
        memory.kubelet("v1.20.4");
        memory.podCheckpointer(true);

        assertThat(next().clusterId()).contains("cluster-1");
        assertThat(next().newestServed()).contains(version("v1.20.2"));
        assertThat(next().kubelet()).isEqualTo(Evidence.known(version("v1.20.4")));
        assertThat(next().podCheckpointer()).isEqualTo(Evidence.known(true));
    }

    @Test
    void knowsNothingOfANewNode() {
        assertThat(memory.clusterId()).isEmpty();
        assertThat(memory.newestServed()).isEmpty();
        assertThat(memory.newestGroups()).isEmpty();
        assertThat(memory.standIn()).isEmpty();
        assertThat(memory.kubelet()).isInstanceOf(Evidence.Unknown.class);
        assertThat(memory.podCheckpointer()).isInstanceOf(Evidence.Unknown.class);
        assertThat(file).doesNotExist();
    }

    @Test
    void aPodCheckpointerThatWasRemovedIsForgotten() {
        memory.podCheckpointer(true);
        memory.podCheckpointer(false);

        assertThat(next().podCheckpointer()).isEqualTo(Evidence.known(false));
    }

    @Test
    void theNewestVersionThatServedStaysSo() {
        memory.served("v1.21.0");
        memory.served("v1.20.9");
        memory.served("not a version");

        assertThat(next().newestServed()).contains(version("v1.21.0"));
    }

    @Test
    void groupsAreThoseOfTheNewestVersion() {
        memory.served("v1.20.2");
        memory.newestGroups(version("v1.20.2"), new TreeSet<>(List.of("apps/v1")));
        assertThat(next().newestGroups()).containsExactly("apps/v1");

        memory.served("v1.21.0");
        assertThat(memory.newestGroups()).isEmpty();

        memory.newestGroups(version("v1.20.2"), new TreeSet<>(List.of("old/v1")));
        assertThat(memory.newestGroups()).isEmpty();
    }

    @Test
    void anOlderServerIsRememberedUntilTheNewerOneIsVerified() {
        memory.standsIn(version("v1.20.2"));
        assertThat(next().standIn()).contains("v1.20.2");

        memory.verified();
        assertThat(next().standIn()).isEmpty();
    }

    @Test
    void writesOnlyWhatIsNew() throws Exception {
        memory.kubelet("v1.20.2");
        Object first = Files.getAttribute(file, "unix:ino");
        memory.kubelet("v1.20.2");

        assertThat(Files.getAttribute(file, "unix:ino")).isEqualTo(first);
    }

    @Test
    void knowsWhatAFullDiskDidNotTakeAndWritesItWhenItCan() {
        disk.full(true);
        memory.served("v1.21.0");
        memory.kubelet("v1.20.2");
        assertThat(memory.newestServed()).contains(version("v1.21.0"));
        assertThat(next().newestServed()).isEmpty();

        disk.full(false);
        memory.kubelet("v1.20.2");

        assertThat(next().newestServed()).contains(version("v1.21.0"));
        assertThat(next().kubelet()).isEqualTo(Evidence.known(version("v1.20.2")));
    }

    @Test
    void believesNoClusterThatItCannotWriteDown() {
        disk.full(true);

        assertThatThrownBy(() -> memory.adopt("cluster-1")).isInstanceOf(ProblemException.class);

        assertThat(memory.clusterId()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{\"apiVersion\":\"ouroboros.dev/v1alpha1\",\"kind\":\"KeeperSt",
                "{\"apiVersion\":\"ouroboros.dev/v2\",\"kind\":\"KeeperState\",\"clusterId\":\"cluster-1\"}",
                "{\"apiVersion\":\"ouroboros.dev/v1alpha1\",\"kind\":\"Journal\",\"clusterId\":\"cluster-1\"}",
                "[]"
            })
    void aFileThatIsNotUnderstoodIsLeftAloneAndTellsNothing(String text) throws Exception {
        Files.writeString(file, text);

        assertThatThrownBy(memory::clusterId).isInstanceOf(ProblemException.class);
        assertThatThrownBy(() -> memory.adopt("cluster-2")).isInstanceOf(ProblemException.class);
        assertThat(memory.kubelet()).isInstanceOf(Evidence.Unknown.class);
        assertThat(memory.podCheckpointer()).isInstanceOf(Evidence.Unknown.class);
        assertThat(file).hasContent(text);
    }
}
