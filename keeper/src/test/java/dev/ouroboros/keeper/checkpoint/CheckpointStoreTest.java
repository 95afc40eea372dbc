package dev.ouroboros.keeper.checkpoint;

import static dev.ouroboros.keeper.checkpoint.CheckpointFixture.API_SERVER;
import static dev.ouroboros.keeper.checkpoint.CheckpointFixture.OTHER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.checkpoint.Checkpoint;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.FileStatus;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.testing.ModelDisk;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CheckpointStoreTest {
    private static final Path ROOT = Path.of("/store");
    private static final Checkpoint ONE = CheckpointFixture.of(API_SERVER, "v1");
    private static final Checkpoint TWO = CheckpointFixture.of(API_SERVER, "v2");
    private static final Checkpoint THREE = CheckpointFixture.of(API_SERVER, "v3");

    private final ModelDisk disk = new ModelDisk();
    private final CheckpointStore store = new CheckpointStore(disk, ROOT);

    @TempDir
    private Path directory = Path.of("");

    private Slots slots(ComponentName component) {
        return switch (store.read().slots().get(component)) {
            case Evidence.Known<Slots>(Slots slots) -> slots;
            case Evidence.Unknown<Slots>(String reason) -> throw new AssertionError(reason);
            case null -> throw new AssertionError("no component " + component);
        };
    }

    private static Slots slots(Optional<Checkpoint> candidate, Optional<Checkpoint> lastGood) {
        return new Slots(candidate.map(Checkpoint::revision), lastGood.map(Checkpoint::revision));
    }

    @Test
    void saysWhenACheckpointWasSavedWhateverItBecameSince() {
        Instant saved = Instant.parse("2026-03-01T03:00:00Z");
        disk.clock(() -> saved);
        store.save(ONE);
        disk.clock(() -> saved.plusSeconds(3600));
        store.promote(API_SERVER, ONE.revision());
        store.save(TWO);

        assertThat(store.savedAt(API_SERVER, ONE.revision())).contains(saved);
        assertThat(store.savedAt(API_SERVER, TWO.revision())).contains(saved.plusSeconds(3600));
        assertThat(store.savedAt(API_SERVER, THREE.revision())).isEmpty();
    }

    private static Path directoryOf(ComponentName component) {
        return ROOT.resolve(component.namespace()).resolve(component.name());
    }

    private static Path generation(Checkpoint checkpoint) {
        return directoryOf(checkpoint.component())
                .resolve("generations")
                .resolve(checkpoint.revision().digest());
    }

    private void lastGood(Checkpoint checkpoint) {
        store.save(checkpoint);
        store.promote(checkpoint.component(), checkpoint.revision());
    }

    @Test
    void isEmptyAtFirst() {
        assertThat(store.read().slots()).isEmpty();
        assertThat(store.read().problems()).isEmpty();
    }

    @Test
    void readsAgainWhatItSaved() {
        store.save(ONE);
        store.save(CheckpointFixture.of(OTHER, "v9"));

        assertThat(slots(API_SERVER)).isEqualTo(slots(Optional.of(ONE), Optional.empty()));
        assertThat(slots(OTHER).candidate()).isPresent();
        assertThat(store.load(API_SERVER, ONE.revision())).isEqualTo(ONE);
        assertThat(store.read().problems()).isEmpty();
    }

    @Test
    void switchesAtOnce() {
        lastGood(ONE);
        store.save(TWO);

        assertThat(slots(API_SERVER)).isEqualTo(slots(Optional.of(TWO), Optional.of(ONE)));

        store.promote(API_SERVER, TWO.revision());

        assertThat(slots(API_SERVER)).isEqualTo(slots(Optional.empty(), Optional.of(TWO)));
        store.promote(API_SERVER, TWO.revision());
        assertThat(slots(API_SERVER)).isEqualTo(slots(Optional.empty(), Optional.of(TWO)));
    }

    @Test
    void namesTheImagesOfWhatASlotNames() {
        lastGood(ONE);
        store.save(TWO);
        lastGood(CheckpointFixture.of(OTHER, "v9"));

        assertThat(store.images())
                .hasValueSatisfying(images -> assertThat(images)
                        .containsAll(ONE.images())
                        .containsAll(TWO.images())
                        .containsAll(CheckpointFixture.of(OTHER, "v9").images())
                        .doesNotContainAnyElementsOf(THREE.images()));
    }

    @Test
    void namesNoImagesWhileASlotCannotBeTold() {
        lastGood(ONE);
        disk.tamper(directoryOf(API_SERVER).resolve("slots.json"), "torn", Disk.OWNER_ONLY_FILE);

        assertThat(store.images()).isEmpty();
    }

    @Test
    void promotesOnlyTheCandidate() {
        lastGood(ONE);
        store.save(TWO);

        assertThatThrownBy(() -> store.promote(API_SERVER, THREE.revision()))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("is not the candidate");
        assertThat(slots(API_SERVER)).isEqualTo(slots(Optional.of(TWO), Optional.of(ONE)));
    }

    @Test
    void promotesNothingThatIsNotWhole() {
        lastGood(ONE);
        store.save(TWO);
        disk.tamper(generation(TWO).resolve("files/keys/ca.pem"), "edited", "rw-r--r--");

        assertThatThrownBy(() -> store.promote(API_SERVER, TWO.revision())).isInstanceOf(ProblemException.class);
        assertThat(slots(API_SERVER)).isEqualTo(slots(Optional.empty(), Optional.of(ONE)));
    }

    @Test
    void dropsOnlyTheCandidateThatIsMeant() {
        lastGood(ONE);
        store.save(TWO);

        store.drop(API_SERVER, THREE.revision());
        assertThat(slots(API_SERVER)).isEqualTo(slots(Optional.of(TWO), Optional.of(ONE)));
        store.drop(API_SERVER, TWO.revision());
        assertThat(slots(API_SERVER)).isEqualTo(slots(Optional.empty(), Optional.of(ONE)));
    }

    @Test
    void writesNothingForAGenerationThatIsThere() {
        store.save(ONE);
        int before = disk.steps();
        store.save(ONE);

        assertThat(disk.steps() - before).isEqualTo(2);
    }

    @Test
    void collectsOnlyWhatNobodyNeeds() {
        lastGood(ONE);
        lastGood(TWO);
        store.save(THREE);
        store.drop(API_SERVER, THREE.revision());
        store.save(CheckpointFixture.of(API_SERVER, "v4"));

        store.collect(Map.of(API_SERVER, ONE.revision()));

        assertThat(store.load(API_SERVER, ONE.revision())).isEqualTo(ONE);
        assertThat(store.load(API_SERVER, TWO.revision())).isEqualTo(TWO);
        assertThat(disk.status(generation(THREE))).isEmpty();
        assertThat(slots(API_SERVER))
                .isEqualTo(slots(Optional.of(CheckpointFixture.of(API_SERVER, "v4")), Optional.of(TWO)));

        store.collect(Map.of());
        assertThat(disk.status(generation(ONE))).isEmpty();
        assertThat(store.read().problems()).isEmpty();
    }

    @Test
    void retiresWithoutATrace() {
        lastGood(ONE);
        store.save(TWO);
        store.save(CheckpointFixture.of(OTHER, "v1"));
        store.retire(API_SERVER);
        store.retire(API_SERVER);
        store.retire(OTHER);

        assertThat(disk.contents().keySet()).containsExactly(Path.of("/"), ROOT);
    }

    @Test
    void removesWhatACrashLeft() {
        lastGood(ONE);
        Path generations = generation(ONE).resolveSibling("");
        disk.createDirectories(generations.resolve(".incoming-x/files"), Disk.OWNER_ONLY_DIRECTORY);
        disk.createDirectories(generations.resolve(".discarded-x/files"), Disk.OWNER_ONLY_DIRECTORY);
        disk.tamper(directoryOf(API_SERVER).resolve(".ouroboros-slots.json.7"), "half", Disk.OWNER_ONLY_FILE);
        NavigableMap<Path, String> clean = new CleanStore().contents();

        assertThat(store.read().problems()).isEmpty();
        store.collect(Map.of());

        assertThat(disk.contents()).isEqualTo(clean);
    }

    private static final class CleanStore {
        private final ModelDisk disk = new ModelDisk();

        NavigableMap<Path, String> contents() {
            CheckpointStore store = new CheckpointStore(disk, ROOT);
            store.save(ONE);
            store.promote(API_SERVER, ONE.revision());
            return disk.contents();
        }
    }

    @Test
    void givesTheKubeletAPodWhoseFilesAreHere() {
        store.save(ONE);
        Json.Fields manifest = store.understudyManifest(ONE);

        assertThat(manifest.at("spec", "volumes")
                        .items()
                        .getFirst()
                        .at("hostPath", "path")
                        .text())
                .contains(generation(ONE).resolve("files/keys").toString());
    }

    @Test
    void opensOnlyTheVolumesToOthers() {
        store.save(ONE);

        assertThat(disk.contents().keySet())
                .filteredOn(path -> !path.startsWith(generation(ONE).resolve("files/keys"))
                        && !path.startsWith(generation(ONE).resolve("files/none"))
                        && path.startsWith(ROOT))
                .allSatisfy(path -> assertThat(disk.status(path).orElseThrow().permissions())
                        .endsWith("------"));
        assertThat(disk.status(generation(ONE).resolve("files/keys/deep"))
                        .orElseThrow()
                        .permissions())
                .isEqualTo("rwxr-xr-x");
        assertThat(disk.status(generation(ONE).resolve("files/none"))
                        .orElseThrow()
                        .permissions())
                .isEqualTo("rwxr-xr-x");
        assertThat(disk.status(generation(ONE).resolve("files/keys/deep/er/key.pem")))
                .contains(new FileStatus(FileStatus.Kind.FILE, "r--r-----", 0));
    }

    @Test
    void worksOnARealDisk() {
        Disk real = new LocalDisk();
        int group = real.status(directory).orElseThrow().group();
        CheckpointStore onDisk = new CheckpointStore(real, directory.resolve("checkpoints"));
        Checkpoint checkpoint = CheckpointFixture.of(API_SERVER, "v1", group);

        onDisk.save(checkpoint);
        onDisk.promote(API_SERVER, checkpoint.revision());
        onDisk.save(CheckpointFixture.of(API_SERVER, "v2", group));
        onDisk.collect(Map.of());

        assertThat(onDisk.read().problems()).isEmpty();
        assertThat(onDisk.load(API_SERVER, checkpoint.revision())).isEqualTo(checkpoint);
        onDisk.retire(API_SERVER);
        assertThat(real.list(directory.resolve("checkpoints"))).isEmpty();
    }

    @Test
    void isUnknownWhereTheSlotsAreTornForeignOrOfAFutureFormat() {
        lastGood(ONE);
        Path slots = directoryOf(API_SERVER).resolve("slots.json");
        String whole = disk.readText(slots).orElseThrow();
        Map<String, ErrorCode> bad = Map.of(
                whole.substring(0, 20),
                ErrorCode.EDITED_FILE,
                "",
                ErrorCode.EDITED_FILE,
                "{}",
                ErrorCode.EDITED_FILE,
                whole.replace("\"format\":1", "\"format\":2"),
                ErrorCode.UNSUPPORTED_VERSION,
                whole.replace("lastGood", "candidate"),
                ErrorCode.EDITED_FILE);

        bad.forEach((text, code) -> {
            disk.tamper(slots, text, Disk.OWNER_ONLY_FILE);
            NavigableMap<Path, String> before = disk.contents();

            assertThat(store.read().slots().get(API_SERVER)).isInstanceOf(Evidence.Unknown.class);
            assertThat(store.read().problems()).extracting(Problem::code).containsExactly(code);
            assertThatThrownBy(() -> store.save(TWO)).isInstanceOf(ProblemException.class);
            assertThatThrownBy(() -> store.promote(API_SERVER, ONE.revision())).isInstanceOf(ProblemException.class);
            assertThatThrownBy(() -> store.drop(API_SERVER, ONE.revision())).isInstanceOf(ProblemException.class);
            assertThatThrownBy(() -> store.retire(API_SERVER)).isInstanceOf(ProblemException.class);
            store.collect(Map.of());
            assertThat(disk.contents()).isEqualTo(before);
        });
    }

    @Test
    void neverLoadsAndNeverRemovesADamagedGeneration() {
        Path generation = generation(ONE);
        Path file = generation.resolve("files/keys/ca.pem");
        Map<String, Runnable> damages = new java.util.TreeMap<>(Map.ofEntries(
                Map.entry("edited file", () -> disk.tamper(file, "v0", "rw-r--r--")),
                Map.entry("mode", () -> disk.tamper(file, "v1", "rw-------")),
                Map.entry("group", () -> disk.tamper(file, new FileStatus(FileStatus.Kind.FILE, "rw-r--r--", 7))),
                Map.entry("link", () -> disk.tamper(file, new FileStatus(FileStatus.Kind.OTHER, "rw-r--r--", 0))),
                Map.entry("missing file", () -> disk.lose(file)),
                Map.entry("foreign file", () -> disk.tamper(generation.resolve("files/keys/deep/x"), "", "rw-r--r--")),
                Map.entry("missing volume", () -> disk.lose(generation.resolve("files/none"))),
                Map.entry("missing pod", () -> disk.lose(generation.resolve("pod.json"))),
                Map.entry("torn pod", () -> disk.tamper(generation.resolve("pod.json"), "{", "rw-------")),
                Map.entry("other pod", () -> disk.tamper(generation.resolve("pod.json"), "{}", "rw-------")),
                Map.entry("no pod", () -> disk.tamper(generation.resolve("pod.json"), "[]", "rw-------")),
                Map.entry("missing metadata", () -> disk.lose(generation.resolve("checkpoint.json"))),
                Map.entry(
                        "torn metadata",
                        () -> disk.tamper(generation.resolve("checkpoint.json"), "{\"for", "rw-------")),
                Map.entry("future metadata", () -> replace("\"format\":1", "\"format\":2")),
                Map.entry("edited metadata", () -> replace("kube-apiserver", "other")),
                Map.entry("role", () -> resign("API_SERVER", "KING")),
                Map.entry("component", () -> resign("\"name\":\"kube-apiserver\"", "\"name\":\"other\"")),
                Map.entry("path", () -> resign("\"path\":\"ca.pem\"", "\"path\":\"../keys/ca.pem\"")),
                Map.entry(
                        "open directory",
                        () -> disk.tamper(generation, new FileStatus(FileStatus.Kind.DIRECTORY, "rwxr-xr-x", 0)))));

        damages.forEach((name, damage) -> {
            disk.lose(ROOT);
            lastGood(ONE);
            store.save(TWO);
            damage.run();
            NavigableMap<Path, String> before = disk.contents();

            assertThat(slots(API_SERVER)).as(name).isEqualTo(slots(Optional.of(TWO), Optional.empty()));
            assertThat(store.read().problems()).as(name).isNotEmpty();
            assertThatThrownBy(() -> store.load(API_SERVER, ONE.revision()))
                    .as(name)
                    .isInstanceOf(ProblemException.class);
            store.drop(API_SERVER, THREE.revision());
            store.collect(Map.of());
            assertThat(disk.contents()).as(name).isEqualTo(before);
        });
    }

    private void replace(String what, String by) {
        Path file = generation(ONE).resolve("checkpoint.json");
        disk.tamper(file, disk.readText(file).orElseThrow().replace(what, by), Disk.OWNER_ONLY_FILE);
    }

    /** As a keeper would sign it: so that what is behind the digest is looked at too. */
    private void resign(String what, String by) {
        Path file = generation(ONE).resolve("checkpoint.json");
        Json content = CheckpointFixture.json(disk.readText(file).orElseThrow().replace(what, by))
                .at("content");
        disk.write(file, Signed.write(content), Disk.OWNER_ONLY_FILE);
    }

    @Test
    void savesAgainWhatWasDamagedAndKeepsTheDamaged() {
        lastGood(ONE);
        Path file = generation(ONE).resolve("files/keys/ca.pem");
        for (int time = 1; time <= 2; time++) {
            disk.tamper(file, "edit " + time, "rw-r--r--");
            store.save(ONE);

            assertThat(slots(API_SERVER)).isEqualTo(slots(Optional.of(ONE), Optional.of(ONE)));
            assertThat(disk.readText(generation(ONE)
                            .resolveSibling(ONE.revision() + ".damaged-" + time)
                            .resolve("files/keys/ca.pem")))
                    .contains("edit " + time);
        }
        assertThat(store.read().problems())
                .extracting(Problem::code)
                .containsOnly(ErrorCode.FOREIGN_FILE)
                .hasSize(2);
    }

    @Test
    void saysWhatASlotNamesAndIsNotThere() {
        lastGood(ONE);
        disk.lose(generation(ONE));

        assertThat(slots(API_SERVER)).isEqualTo(Slots.NONE);
        assertThat(store.read().problems())
                .extracting(Problem::where)
                .containsExactly(directoryOf(API_SERVER).resolve("slots.json").toString());
    }

    @Test
    void reportsForeignFilesAtEveryLevelAndLeavesThem() {
        lastGood(ONE);
        java.util.List<Path> foreign = java.util.List.of(
                ROOT.resolve("file"),
                ROOT.resolve("kube-system/file"),
                directoryOf(API_SERVER).resolve("file"),
                generation(ONE).resolveSibling("file"));
        foreign.forEach(path -> disk.tamper(path, "x", "rw-r--r--"));

        assertThat(store.read().problems())
                .extracting(Problem::where)
                .containsExactlyInAnyOrderElementsOf(
                        foreign.stream().map(Path::toString).toList());
        store.retire(API_SERVER);
        assertThat(foreign).allSatisfy(path -> assertThat(disk.readText(path)).contains("x"));
        assertThat(slots(API_SERVER)).isEqualTo(Slots.NONE);
        assertThat(disk.status(generation(ONE))).isEmpty();
    }

    @Test
    void remembersTheLatestLastGoods() {
        for (int version = 0; version < 12; version++) {
            lastGood(CheckpointFixture.of(API_SERVER, "v" + version));
        }
        lastGood(CheckpointFixture.of(API_SERVER, "v10"));
        Json history = CheckpointFixture.json(
                        disk.readText(directoryOf(API_SERVER).resolve("slots.json"))
                                .orElseThrow())
                .at("content", "history");

        assertThat(history.items()).hasSize(10).doesNotHaveDuplicates();
        assertThat(history.items().getFirst().text())
                .contains(CheckpointFixture.of(API_SERVER, "v10").revision().digest());
        assertThat(history.items().get(1).text())
                .contains(CheckpointFixture.of(API_SERVER, "v11").revision().digest());
    }

    @Test
    void ignoresARevisionInTheSlotsThatIsNone() {
        lastGood(ONE);
        disk.write(
                directoryOf(API_SERVER).resolve("slots.json"),
                Signed.write(Json.object().with("lastGood", Json.text("../../etc"))),
                Disk.OWNER_ONLY_FILE);

        assertThat(slots(API_SERVER)).isEqualTo(Slots.NONE);
    }

    @Test
    void knowsNoRevisionThatWasNeverSaved() {
        assertThatThrownBy(() -> store.load(API_SERVER, new Revision("0".repeat(64))))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("not there");
    }
}
