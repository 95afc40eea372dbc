package dev.ouroboros.snapshot.bolt;

import static dev.ouroboros.snapshot.bolt.BoltImage.bucket;
import static dev.ouroboros.snapshot.bolt.BoltImage.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.snapshot.Inspection;
import dev.ouroboros.snapshot.Selection;
import dev.ouroboros.snapshot.Snapshot;
import dev.ouroboros.snapshot.encryption.EncryptionConfiguration;
import dev.ouroboros.snapshot.etcd.EtcdFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class BoltFileTest {
    private static final int PAGE = 4096;

    @TempDir
    private Path directory = Path.of("");

    /** What could be read, and what was damaged. */
    private record Reading(List<String> entries, List<Problem> damage) {
        List<String> what() {
            return damage.stream().map(Problem::describe).toList();
        }
    }

    private Reading read(BoltImage image) throws IOException {
        Path path = Files.write(directory.resolve("image.db"), image.bytes());
        List<String> entries = new ArrayList<>();
        try (BoltFile file = BoltFile.open(path)) {
            for (Bucket bucket : file.buckets()) {
                file.walk(
                        bucket,
                        found -> entries.add(new String(found.key(), StandardCharsets.UTF_8) + "="
                                + new String(
                                        file.bytes(found.valueOffset(), (int) found.valueLength()),
                                        StandardCharsets.UTF_8)));
            }
            return new Reading(entries, file.damages().problems());
        }
    }

    /** Meta pages, then the bucket of buckets with one bucket whose root is page 3. */
    private static BoltImage image(int pageSize, int pages) {
        return new BoltImage(pageSize, pages).meta(0, 2, 7).meta(1, 2, 6).leaf(2, 0, bucket("key", 3));
    }

    @ParameterizedTest
    @ValueSource(ints = {1024, 2048, 4096, 16384, 65536})
    void readsPagesOfAnySize(int pageSize) throws IOException {
        Reading reading = read(image(pageSize, 6)
                .branch(3, List.of(4, 5))
                .leaf(4, 0, entry("a", "1"), entry("b", "2"))
                .leaf(5, 0, entry("c", "3")));
        assertThat(reading.damage()).isEmpty();
        assertThat(reading.entries()).containsExactly("a=1", "b=2", "c=3");
    }

    @ParameterizedTest
    @ValueSource(ints = {1024, 4096, 65536})
    void findsTheSecondMetaPageWhenTheFirstIsLost(int pageSize) throws IOException {
        Reading reading = read(image(pageSize, 4).leaf(3, 0, entry("a", "1")).put(16, 0));
        assertThat(reading.entries()).containsExactly("a=1");
        assertThat(reading.what()).singleElement().asString().contains("meta page at offset 0", "transaction 6");
    }

    @Test
    void takesTheMetaPageOfTheLaterTransaction() throws IOException {
        BoltImage image = new BoltImage(PAGE, 6)
                .meta(0, 2, 8)
                .meta(1, 4, 9)
                .leaf(2, 0, bucket("key", 3))
                .leaf(3, 0, entry("a", "old"))
                .leaf(4, 0, bucket("key", 5))
                .leaf(5, 0, entry("a", "new"));
        assertThat(read(image).entries()).containsExactly("a=new");
    }

    @Test
    void noticesThatSomebodyWroteMeanwhile() throws IOException {
        BoltImage image = image(PAGE, 6).leaf(3, 0, entry("a", "1"));
        Path path = Files.write(directory.resolve("image.db"), image.bytes());
        try (BoltFile file = BoltFile.open(path)) {
            file.checkUnchanged();
            Files.write(path, image.meta(1, 2, 8).bytes());
            assertThatThrownBy(file::checkUnchanged)
                    .isInstanceOfSatisfying(
                            ProblemException.class,
                            e -> assertThat(e.problems().getFirst().code()).isEqualTo(ErrorCode.FILE_CHANGED))
                    .hasMessageContaining("transaction 7 became 8")
                    .hasMessageEndingWith("ouro snapshot save FILE");
        }
    }

    @Test
    void noticesThatAFileBecameShorterMeanwhile() throws IOException {
        BoltImage image = image(PAGE, 6).leaf(3, 0, entry("a", "1"));
        Path path = Files.write(directory.resolve("image.db"), image.bytes());
        try (FileView file = FileView.open(path)) {
            Files.write(path, new byte[0]);
            assertThatThrownBy(() -> file.unsignedByte(0))
                    .isInstanceOfSatisfying(
                            ProblemException.class,
                            e -> assertThat(e.problems()).singleElement().satisfies(problem -> {
                                assertThat(problem.code()).isEqualTo(ErrorCode.FILE_CHANGED);
                                assertThat(problem.where()).isEqualTo(path.toString());
                                assertThat(problem.what()).contains("became shorter while it was read");
                                assertThat(problem.next()).endsWith("ouro snapshot save FILE");
                            }));
        }
        assertThatThrownBy(() -> FileView.open(path.resolve("below")))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problems().getFirst().code()).isEqualTo(ErrorCode.DISK));
    }

    /** It can be opened, and has a size. */
    @Test
    void saysThatADirectoryCannotBeRead() throws IOException {
        Files.writeString(directory.resolve("something"), "in it");
        try (FileView file = FileView.open(directory)) {
            assertThatThrownBy(() -> file.unsignedByte(0))
                    .isInstanceOfSatisfying(
                            ProblemException.class,
                            e -> assertThat(e.problems()).singleElement().satisfies(problem -> {
                                assertThat(problem.code()).isEqualTo(ErrorCode.DISK);
                                assertThat(problem.where()).isEqualTo(directory.toString());
                                assertThat(problem.what()).isEqualTo("cannot be read: Is a directory");
                                assertThat(problem.next()).startsWith("see what is in its place");
                            }));
        }
    }

    @Test
    void namesWhatIsInADatabaseOfAnotherProgram() throws IOException {
        BoltImage image = new BoltImage(PAGE, 5)
                .meta(0, 2, 7)
                .meta(1, 2, 6)
                .leaf(2, 0, bucket("io.containerd.snapshotter", 3), bucket("v1", 4))
                .leaf(3, 0)
                .leaf(4, 0);
        Path path = Files.write(directory.resolve("metadata.db"), image.bytes());
        assertThatThrownBy(() -> EtcdFile.open(path))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problems()).singleElement().satisfies(problem -> {
                            assertThat(problem.code()).isEqualTo(ErrorCode.NOT_A_DATABASE);
                            assertThat(problem.where()).isEqualTo(path.toString());
                            assertThat(problem.what())
                                    .contains("without etcd's bucket \"key\"")
                                    .endsWith("it has the buckets [io.containerd.snapshotter, v1]");
                            assertThat(problem.next()).isEqualTo("find the right file: ls -l DATA-DIR/member/snap");
                        }));
    }

    /** As etcd writes it when a compaction has ended: the revision, main and sub. */
    @Test
    void saysFromWhichRevisionOnItCanBeRead() throws IOException {
        byte[] revision =
                ByteBuffer.allocate(17).putLong(5).put((byte) '_').putLong(0).array();
        BoltImage image = new BoltImage(PAGE, 5)
                .meta(0, 2, 7)
                .meta(1, 2, 6)
                .leaf(2, 0, bucket("key", 3), bucket("meta", 4))
                .leaf(3, 0)
                .leaf(4, 0, new BoltImage.Element(0, "finishedCompactRev".getBytes(StandardCharsets.UTF_8), revision));
        Path path = Files.write(directory.resolve("image.db"), image.bytes());
        try (Snapshot snapshot = Snapshot.open(path, EncryptionConfiguration.none(), 1 << 20)) {
            assertThatThrownBy(() -> snapshot.extract(at(4), (_, _) -> {}))
                    .isInstanceOfSatisfying(
                            ProblemException.class,
                            e -> assertThat(e.problems().getFirst().code()).isEqualTo(ErrorCode.COMPACTED))
                    .hasMessageContaining("is 4, and etcd was compacted up to 5; expected a revision from 5 on")
                    .hasMessageContaining("leave --revision out");
        }
    }

    /** etcd never forgets one. */
    @Test
    void manyMembersThatWereRemovedAreNoDamage() throws IOException {
        BoltImage.Element[] removed = IntStream.range(0, 300)
                .mapToObj(member -> entry("%016x".formatted(member), "removed"))
                .toArray(BoltImage.Element[]::new);
        BoltImage image = new BoltImage(PAGE, 8)
                .meta(0, 2, 7)
                .meta(1, 2, 6)
                .leaf(2, 0, bucket("key", 3), bucket("members_removed", 4))
                .leaf(3, 0)
                .leaf(4, 3, removed);
        Path path = Files.write(directory.resolve("image.db"), image.bytes());
        try (Snapshot snapshot = Snapshot.open(path, EncryptionConfiguration.none(), 1 << 20)) {
            Inspection inspection = snapshot.inspect();
            assertThat(inspection.damage()).isEmpty();
            assertThat(inspection.etcd().removedMembers()).hasSize(256);
        }
    }

    private static Selection at(long revision) {
        return new Selection(Set.of(), Optional.empty(), Set.of(), List.of(), OptionalLong.of(revision));
    }

    @Test
    void readsValuesThatSpanPages() throws IOException {
        String large = "x".repeat(3 * PAGE);
        assertThat(read(image(PAGE, 8).leaf(3, 3, entry("a", large), entry("b", "2")))
                        .entries())
                .containsExactly("a=" + large, "b=2");
    }

    @Test
    void readsABucketInsideOfItsEntry() throws IOException {
        byte[] page = new BoltImage(64, 1).leaf(0, 0, entry("a", "1")).bytes();
        byte[] value = new byte[16 + page.length];
        System.arraycopy(page, 0, value, 16, page.length);
        BoltImage image = new BoltImage(PAGE, 3)
                .meta(0, 2, 7)
                .meta(1, 2, 6)
                .leaf(2, 0, new BoltImage.Element(1, "small".getBytes(StandardCharsets.UTF_8), value));
        assertThat(read(image).entries()).containsExactly("a=1");
    }

    @Test
    void endsInACycle() throws IOException {
        Reading reading = read(image(PAGE, 6)
                .branch(3, List.of(4, 3, 5))
                .leaf(4, 0, entry("a", "1"))
                .leaf(5, 0, entry("b", "2")));
        assertThat(reading.entries()).containsExactly("a=1", "b=2");
        assertThat(reading.what()).singleElement().asString().contains("page 3", "referred to more than once");
    }

    @Test
    void readsNoByteTwiceForElementsThatShareThem() throws IOException {
        int elements = 200;
        int pages = 20;
        BoltImage image = image(PAGE, 3 + pages).header(3, BoltImage.LEAF, elements, pages - 1);
        int data = 4 * PAGE;
        for (int index = 0; index < elements; index++) {
            image.element(3, index, 0, data + index, 8, PAGE);
        }
        assertThat(read(image).entries().size()).isLessThan(pages);
        assertThat(read(image).what()).anyMatch(what -> what.contains("shares its bytes"));
    }

    @Test
    void refusesPagesThatOverlap() throws IOException {
        Reading reading = read(image(PAGE, 7)
                .branch(3, List.of(4, 5, 6))
                .leaf(4, 1, entry("a", "1"))
                .leaf(5, 0, entry("b", "2"))
                .leaf(6, 0, entry("c", "3")));
        assertThat(reading.entries()).containsExactly("a=1", "c=3");
        assertThat(reading.what()).singleElement().asString().contains("page 5");
    }

    @Test
    void endsInATreeThatIsTooDeep() throws IOException {
        BoltImage image = image(1024, 200);
        IntStream.range(3, 199).forEach(page -> image.branch(page, List.of(page + 1)));
        assertThat(read(image.leaf(199, 0, entry("a", "1"))).what())
                .singleElement()
                .asString()
                .contains("deeper");
    }

    @Test
    void passesOverTheKeyThatIsOutOfOrder() throws IOException {
        assertThat(read(image(PAGE, 4).leaf(3, 0, entry("a", "1"), entry("z", "2"), entry("c", "3"), entry("d", "4")))
                        .entries())
                .containsExactly("a=1", "c=3", "d=4");
        Reading reading =
                read(image(PAGE, 4).leaf(3, 0, entry("b", "1"), entry("c", "2"), entry("a", "3"), entry("d", "4")));
        assertThat(reading.entries()).containsExactly("b=1", "c=2", "d=4");
        assertThat(reading.what()).singleElement().asString().contains("page 3, entry 2", "out of order");
    }

    @Test
    void losesOnlyTheElementThatPointsOutOfItsPage() throws IOException {
        Reading reading = read(image(PAGE, 5)
                .leaf(3, 0, entry("a", "1"), entry("b", "2"), entry("c", "3"))
                .element(3, 1, 0, 4 * PAGE, 1, 1));
        assertThat(reading.entries()).containsExactly("a=1", "c=3");
        assertThat(reading.what()).singleElement().asString().contains("page 3, entry 1", "points outside of its page");
    }

    @Test
    void saysWhatIsUnknownInTheFormat() {
        assertThatThrownBy(() -> read(image(PAGE, 4).put(20, 3).put(PAGE + 20, 3)))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("format 3");
        assertThatThrownBy(() -> read(image(PAGE, 4).put(16, 0xEDDA0CED).put(PAGE + 16, 0xEDDA0CED)))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("other byte order");
    }

    @Test
    void keepsAHundredPlacesOfDamage() throws IOException {
        BoltImage.Element[] elements = IntStream.range(0, 180)
                .mapToObj(index -> entry(String.format("%03d", index), ""))
                .toArray(BoltImage.Element[]::new);
        BoltImage image = image(PAGE, 4).leaf(3, 0, elements);
        IntStream.range(0, 180).forEach(index -> image.element(3, index, 9, 0, 0, 0));
        assertThat(read(image).what()).hasSize(101).last().asString().contains("more is damaged");
    }

    /** As etcdutl 3.6 leaves it with --bump-revision; every snapshot of a restored etcd has one. */
    @Test
    void aRecordWithoutAValueRaisesTheRevisionAndIsNoKey() throws IOException {
        String main = "\0\0\0\0\0\0\0\7";
        String sub = "\0\0\0\0\0\0\0\0";
        Path path = Files.write(
                directory.resolve("raised.db"),
                image(4096, 4).leaf(3, 0, entry(main + "_" + sub, "")).bytes());
        try (EtcdFile file = EtcdFile.open(path)) {
            List<String> keys = new ArrayList<>();
            assertThat(file.status(record -> keys.add(record.keyText())).revision())
                    .isEqualTo(7);
            file.records(record -> keys.add(record.keyText()));
            assertThat(keys).isEmpty();
            assertThat(file.damages().problems()).isEmpty();
        }
    }
}
