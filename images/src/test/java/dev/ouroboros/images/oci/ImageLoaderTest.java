package dev.ouroboros.images.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.images.archive.NamedImage;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

final class ImageLoaderTest {
    private static final ContainerImage ETCD =
            new ContainerImage(BuiltImage.ETCD, "3.5.30", "aaa", "a test", Path.of("/images/etcd.tar"), 1);
    private static final ContainerImage PAUSE =
            new ContainerImage(BuiltImage.PAUSE, "1", "bbb", "a test", Path.of("/images/pause.tar"), 1);

    private static final String SYNCED = "ouroboros.dev/synced=true";
    private static final String PINNED = SYNCED + " io.cri-containerd.pinned=pinned";
    private static final NamedImage APP = new NamedImage(
            List.of("docker.io/library/app:1", "docker.io/library/app:latest"), "sha256:9", Path.of("/images/app.tar"));
    private static final String CTR = "nsenter -t 1 ctr --address /c.sock --namespace k8s.io ";

    private final FakeContainerd containerd = new FakeContainerd();

    @Test
    void loadsWhatIsNotThereThroughThePrefixAndThenSyncs() {
        containerd.lists("localhost/ouroboros/pause:1 sha256:1", "localhost/ouroboros/pause:1-bbb sha256:1 " + SYNCED);

        assertThat(loader().load(List.of(ETCD, PAUSE), line -> {})).containsExactly(ETCD);
        assertThat(containerd.commands)
                .containsExactly(
                        CTR + "images ls",
                        CTR + "images import /images/etcd.tar",
                        "nsenter -t 1 sync --file-system /store",
                        CTR + "images label localhost/ouroboros/etcd:3.5.30-aaa " + SYNCED);
    }

    @Test
    void loadsAgainWhenTheSameVersionHasOtherContent() {
        containerd.lists("localhost/ouroboros/pause:1 sha256:1", "localhost/ouroboros/pause:1-ccc sha256:1 " + SYNCED);

        assertThat(loader().load(List.of(PAUSE), line -> {})).containsExactly(PAUSE);
        assertThat(containerd.commands).noneMatch(command -> command.contains("delete"));
    }

    @Test
    void removesAndLoadsAgainWhatAPowerCutMayHaveTorn() {
        containerd.lists(
                "localhost/ouroboros/etcd:3.5.30-aaa sha256:7 " + SYNCED,
                "localhost/ouroboros/pause:1 sha256:1",
                "localhost/ouroboros/pause:1-bbb sha256:1",
                "sha256:99 sha256:1");

        assertThat(loader().load(List.of(PAUSE), line -> {})).containsExactly(PAUSE);
        assertThat(containerd.commands)
                .contains(CTR
                        + "images delete --sync localhost/ouroboros/pause:1 localhost/ouroboros/pause:1-bbb sha256:99")
                .contains(CTR + "images import /images/pause.tar");
    }

    @Test
    void movesTheNameBackToContentThatIsThere() {
        containerd.lists(
                "localhost/ouroboros/pause:1 sha256:2",
                "localhost/ouroboros/pause:1-bbb sha256:1 " + SYNCED,
                "localhost/ouroboros/pause:1-ccc sha256:2 " + SYNCED);

        assertThat(loader().load(List.of(PAUSE), line -> {})).isEmpty();
        assertThat(containerd.commands.getLast())
                .endsWith("images tag --force localhost/ouroboros/pause:1-bbb localhost/ouroboros/pause:1");
    }

    @Test
    void syncsEverythingWhenItIsNotKnownWhereImagesAreKept() {
        containerd.lists();
        ImageLoader loader = new ImageLoader(containerd, List.of(), Path.of("/c.sock"), Optional.empty());

        loader.load(List.of(PAUSE), line -> {});

        assertThat(containerd.commands).contains("sync");
    }

    @Test
    void anImageOfOnesOwnIsLoadedSyncedAndThenPinned() {
        containerd.lists("docker.io/library/app:1 sha256:1");

        assertThat(loader().load(APP, line -> {})).isTrue();
        assertThat(containerd.commands)
                .containsExactly(
                        CTR + "images ls",
                        CTR + "images import /images/app.tar",
                        "nsenter -t 1 sync --file-system /store",
                        CTR + "images label docker.io/library/app:1 " + PINNED,
                        CTR + "images label docker.io/library/app:latest " + PINNED);
    }

    @Test
    void anImageThatWasPulledIsLoadedAgainAndKeepsItsOtherNames() {
        containerd.lists("quay.io/app:1 sha256:9", "sha256:88 sha256:9", "docker.io/library/app:1 sha256:9");

        assertThat(loader().load(APP, line -> {})).isTrue();
        assertThat(containerd.commands)
                .containsSubsequence(
                        CTR + "images delete --sync quay.io/app:1 sha256:88 docker.io/library/app:1",
                        CTR + "images import /images/app.tar",
                        CTR + "images tag --force docker.io/library/app:1 quay.io/app:1");
    }

    @Test
    void anImageOfOnesOwnThatIsThereOnlyGetsItsNames() {
        containerd.lists("docker.io/library/app:1 sha256:9 " + SYNCED, "docker.io/library/app:latest sha256:1");

        assertThat(loader().load(APP, line -> {})).isTrue();
        assertThat(containerd.commands)
                .noneMatch(command -> command.contains("import"))
                .contains(CTR + "images tag --force docker.io/library/app:1 docker.io/library/app:latest");
    }

    @Test
    void anImageThatIsThereUnderAllOfItsNamesIsLeftAlone() {
        containerd.lists(
                "docker.io/library/app:1 sha256:9 " + SYNCED, "docker.io/library/app:latest sha256:9 " + SYNCED);

        assertThat(loader().load(APP, line -> {})).isFalse();
        assertThat(containerd.commands)
                .noneMatch(command ->
                        command.contains("import") || command.contains(" tag ") || command.contains("delete"));
    }

    /** Seen with 1.6.20: the name is there before the content. */
    @Test
    void whatADiskHadNoRoomForIsNotLeftThereByName() {
        containerd.lists("docker.io/library/app:1 sha256:1");
        containerd.importSays = "ctr: write /x: no space left on device";
        containerd.afterImport = "docker.io/library/app:latest sha256:9";

        assertThatThrownBy(() -> loader().load(APP, line -> {}))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        failure ->
                                assertThat(failure.problems().getFirst().code()).isEqualTo(ErrorCode.DISK))
                .hasMessageContaining("no room");
        assertThat(containerd.commands.getLast()).endsWith("images delete --sync docker.io/library/app:latest");
    }

    @Test
    void whatAnotherContainerdHasIsCopiedAndWhatAPowerCutMayHaveTornIsRemovedBefore() {
        FakeContainerd first = new FakeContainerd();
        first.lists(
                "localhost/etcd:1 sha256:1 " + SYNCED,
                "localhost/app:1 sha256:2",
                "localhost/torn:1 sha256:3",
                "sha256:99 sha256:3");
        containerd.lists(
                "localhost/etcd:1 sha256:1 " + SYNCED, "localhost/torn:1 sha256:3", "localhost/app:1 sha256:8");
        ImageLoader other = new ImageLoader(first, List.of(), Path.of("/first.sock"), Optional.empty());

        assertThat(loader().loadFrom(other, _ -> {})).containsExactly("localhost/app:1", "localhost/torn:1");

        assertThat(containerd.commands)
                .containsSubsequence(
                        CTR + "images delete --sync localhost/torn:1",
                        "nsenter -t 1 sync --file-system /store",
                        CTR + "images label localhost/app:1 " + PINNED)
                .anySatisfy(command -> assertThat(command)
                        .contains("export -", "import -")
                        .endsWith("copy /first.sock /c.sock localhost/app:1 localhost/torn:1"));
    }

    @Test
    void nothingIsCopiedOfWhatIsThere() {
        FakeContainerd first = new FakeContainerd();
        first.lists("localhost/etcd:1 sha256:1");
        containerd.lists("localhost/etcd:1 sha256:1 " + SYNCED);
        ImageLoader other = new ImageLoader(first, List.of(), Path.of("/first.sock"), Optional.empty());

        assertThat(loader().loadFrom(other, _ -> {})).isEmpty();
        assertThat(containerd.commands).containsExactly(CTR + "images ls");
    }

    private ImageLoader loader() {
        return new ImageLoader(
                containerd, List.of("nsenter", "-t", "1"), Path.of("/c.sock"), Optional.of(Path.of("/store")));
    }

    /** Prints the table that {@code ctr images ls} prints. */
    private static final class FakeContainerd implements Processes {
        private final List<String> commands = new ArrayList<>();
        private final StringBuilder table = new StringBuilder("REF TYPE DIGEST SIZE PLATFORMS LABELS\n");
        private String importSays = "";
        private String afterImport = "";

        /** Rows of a name, a digest and perhaps a label. */
        void lists(String... rows) {
            for (String row : rows) {
                List<String> columns = List.of(row.split(" ", -1));
                table.append(columns.getFirst())
                        .append("   application/vnd.docker.distribution.manifest.v2+json ")
                        .append(columns.get(1))
                        .append(" 1.0 MiB linux/amd64 io.cri-containerd.image=managed")
                        .append(columns.size() > 2 ? "," + columns.get(2) : "")
                        .append('\n');
            }
        }

        @Override
        public Result run(Command command) {
            commands.add(command.describe());
            if (!importSays.isEmpty() && command.describe().contains(" import ")) {
                lists(afterImport);
                return new Result(command.describe(), 1, "", importSays);
            }
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
