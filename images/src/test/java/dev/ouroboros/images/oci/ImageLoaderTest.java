package dev.ouroboros.images.oci;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

final class ImageLoaderTest {
    private static final ContainerImage ETCD =
            new ContainerImage(Component.ETCD, "3.5.30", "aaa", "a test", Path.of("/images/etcd.tar"), 1);
    private static final ContainerImage PAUSE =
            new ContainerImage(Component.PAUSE, "1", "bbb", "a test", Path.of("/images/pause.tar"), 1);

    private final FakeContainerd containerd = new FakeContainerd();

    @Test
    void loadsWhatIsNotThereThroughThePrefix() {
        containerd.lists("localhost/ouroboros/pause:1 sha256:1", "localhost/ouroboros/pause:1-bbb sha256:1");

        assertThat(loader().load(List.of(ETCD, PAUSE), line -> {})).containsExactly(ETCD);
        assertThat(containerd.commands)
                .containsExactly(
                        "nsenter -t 1 ctr --address /c.sock --namespace k8s.io images ls",
                        "nsenter -t 1 ctr --address /c.sock --namespace k8s.io images import /images/etcd.tar");
    }

    @Test
    void loadsAgainWhenTheSameVersionHasOtherContent() {
        containerd.lists("localhost/ouroboros/pause:1 sha256:1", "localhost/ouroboros/pause:1-ccc sha256:1");

        assertThat(loader().load(List.of(PAUSE), line -> {})).containsExactly(PAUSE);
    }

    @Test
    void movesTheNameBackToContentThatIsThere() {
        containerd.lists(
                "localhost/ouroboros/pause:1 sha256:2",
                "localhost/ouroboros/pause:1-bbb sha256:1",
                "localhost/ouroboros/pause:1-ccc sha256:2");

        assertThat(loader().load(List.of(PAUSE), line -> {})).isEmpty();
        assertThat(containerd.commands.getLast())
                .endsWith("images tag --force localhost/ouroboros/pause:1-bbb localhost/ouroboros/pause:1");
    }

    private ImageLoader loader() {
        return new ImageLoader(containerd, List.of("nsenter", "-t", "1"), Path.of("/c.sock"));
    }

    /** Prints the table that {@code ctr images ls} prints. */
    private static final class FakeContainerd implements Processes {
        private final List<String> commands = new ArrayList<>();
        private final StringBuilder table = new StringBuilder("REF TYPE DIGEST SIZE PLATFORMS LABELS\n");

        void lists(String... namesAndDigests) {
            for (String row : namesAndDigests) {
                table.append(row.replace(" ", "   application/vnd.docker.distribution.manifest.v2+json "))
                        .append(" 1.0 MiB linux/amd64 -\n");
            }
        }

        @Override
        public Result run(Command command) {
            commands.add(command.describe());
            return new Result(command.describe(), 0, command.describe().endsWith(" ls") ? table.toString() : "", "");
        }

        @Override
        public Result stream(Command command, Consumer<String> line) {
            throw new AssertionError("not used");
        }

        @Override
        public int attach(Command command) {
            throw new AssertionError("not used");
        }
    }
}
