package dev.ouroboros.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.snapshot.Inspection.ControlPlaneObject;
import dev.ouroboros.snapshot.Inspection.ResourceCount;
import dev.ouroboros.snapshot.encryption.EncryptionConfiguration;
import dev.ouroboros.snapshot.etcd.TrailingDigest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a real snapshot; the expected figures were measured with etcd's own tool and kubectl when it was made. */
final class SnapshotTest {
    private static final long TABLE_BYTES = 1 << 20;

    @TempDir
    private Path directory = Path.of("");

    private Path file = Path.of("");

    @BeforeEach
    void write() throws IOException {
        file = Files.write(directory.resolve("sample.db"), SampleFile.bytes());
    }

    private Snapshot open() {
        return Snapshot.open(file, EncryptionConfiguration.none(), TABLE_BYTES);
    }

    private Snapshot openWithKey() {
        return Snapshot.open(
                file, EncryptionConfiguration.read(SampleFile.encryptionConfiguration(), "keys.yaml"), TABLE_BYTES);
    }

    private Inspection inspect() {
        try (Snapshot snapshot = open()) {
            return snapshot.inspect();
        }
    }

    private static List<Json.Fields> extract(Snapshot snapshot, Selection selection) {
        List<Json.Fields> objects = new ArrayList<>();
        try (snapshot) {
            assertThat(snapshot.extract(selection, (key, object) -> objects.add(object))
                            .problems())
                    .isEmpty();
        }
        return objects;
    }

    private static Selection of(String... resources) {
        return new Selection(Set.of(resources), Optional.empty(), Set.of(), List.of(), OptionalLong.empty());
    }

    @Test
    void agreesWithEtcdsOwnTool() {
        Inspection inspection = inspect();
        assertThat(inspection.status().hash()).isEqualTo(1092337012L);
        assertThat(inspection.status().revision()).isEqualTo(626);
        assertThat(inspection.status().entries()).isEqualTo(635);
        assertThat(inspection.liveKeys()).isEqualTo(552);
        assertThat(inspection.file().databaseSize()).isEqualTo(647168);
        assertThat(inspection.file().digest()).isEqualTo(TrailingDigest.RIGHT);
        assertThat(inspection.damage()).isEmpty();
    }

    @Test
    void readsWhatEtcdSaysOfItself() {
        Inspection inspection = inspect();
        assertThat(inspection.etcd().writtenBy()).isEqualTo("etcd 3.6");
        assertThat(inspection.etcd().clusterId())
                .contains(Long.toHexString(Long.parseUnsignedLong("12101053776118486841")));
        assertThat(inspection.etcd().members()).hasSize(1);
        assertThat(inspection.etcd().members().getFirst().id())
                .isEqualTo(Long.toHexString(Long.parseUnsignedLong("15985099378392235387")));
        assertThat(inspection.etcd().term()).isPresent();
        assertThat(inspection.etcd().consistentIndex()).isPresent();
        assertThat(inspection.etcd().compactedRevision()).isEmpty();
    }

    @Test
    void countsObjectsByResource() {
        assertThat(inspect().resources()).contains(new ResourceCount("configmaps", 283, 203852, Map.of("v1", 283L)));
        assertThat(inspect().resources().stream()
                        .mapToLong(ResourceCount::objects)
                        .sum())
                .isEqualTo(552);
    }

    @Test
    void findsTheControlPlaneByWhatItRuns() {
        assertThat(inspect().controlPlane())
                .extracting(ControlPlaneObject::component, ControlPlaneObject::owner, ControlPlaneObject::name)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(
                                "kube-apiserver", "DaemonSet", "kube-system/kube-apiserver"),
                        org.assertj.core.groups.Tuple.tuple(
                                "kube-controller-manager", "Deployment", "kube-system/kube-controller-manager"),
                        org.assertj.core.groups.Tuple.tuple(
                                "kube-scheduler", "Deployment", "kube-system/kube-scheduler"));
    }

    @Test
    void saysWhichKeyIsMissingOnceForAllObjects() {
        Inspection inspection = inspect();
        assertThat(inspection.encryption().get("secrets")).isEqualTo(Map.of("aescbc key1", 63L));
        assertThat(inspection.unreadable())
                .singleElement()
                .satisfies(problem -> assertThat(problem.code()).isEqualTo(ErrorCode.KEY_MISSING))
                .extracting(Problem::describe)
                .asString()
                .contains("62 more", "encrypted with aescbc key1", "this key was not given");
    }

    /** Its pages and records are whole: only the SHA-256 tells. */
    @Test
    void whatIsExtractedOfAFileThatWasChangedComesWithItsDamage() throws IOException {
        byte[] bytes = SampleFile.bytes();
        int value = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("xxxxxxxx");
        bytes[value] ^= 1;
        Files.write(file, bytes);
        try (Snapshot snapshot = open()) {
            assertThat(snapshot.extract(of("configmaps"), (_, _) -> {}).problems())
                    .singleElement()
                    .satisfies(damage -> assertThat(damage.describe()).contains("the snapshot's SHA-256 is"));
            assertThat(snapshot.extractDeleted(of("configmaps"), (_, _) -> {}).problems())
                    .hasSize(1);
        }
    }

    @Test
    void aKmsIsNoExcuseForWhatAnotherKeyEncrypts() {
        EncryptionConfiguration keys = EncryptionConfiguration.read("""
                kind: EncryptionConfiguration
                resources:
                - resources: [secrets]
                  providers: [{kms: {name: vault}}, {identity: {}}]
                """, "keys.yaml");
        try (Snapshot snapshot = Snapshot.open(file, keys, TABLE_BYTES)) {
            Inspection inspection = snapshot.inspect();
            assertThat(inspection.unreadableWith(keys)).hasSize(1).isEqualTo(inspection.unreadable());
            assertThat(inspection.decrypted()).isZero();
        }
        try (Snapshot snapshot = openWithKey()) {
            assertThat(snapshot.inspect().decrypted()).isEqualTo(63);
        }
    }

    @Test
    void decryptsEverySecret() {
        Selection canary =
                new Selection(Set.of("secrets"), Optional.of("canary"), Set.of(), List.of(), OptionalLong.empty());
        List<Json.Fields> secrets = extract(openWithKey(), canary);
        assertThat(secrets).hasSize(60).allSatisfy(secret -> {
            String name = secret.at("metadata", "name").text().orElseThrow();
            byte[] password = Base64.getDecoder()
                    .decode(secret.at("data", "password").text().orElseThrow());
            assertThat(new String(password, StandardCharsets.UTF_8))
                    .isEqualTo("canary-" + Integer.parseInt(name.substring("secret-".length())));
        });
    }

    @Test
    void decryptsWhatAnApiServerWroteWithEachProvider() throws IOException {
        Files.write(file, SampleFile.allProviders());
        EncryptionConfiguration keys =
                EncryptionConfiguration.read(SampleFile.allProvidersConfiguration(), "keys.yaml");
        try (Snapshot snapshot = Snapshot.open(file, keys, TABLE_BYTES)) {
            assertThat(snapshot.inspect().encryption().get("secrets"))
                    .isEqualTo(Map.of(
                            "identity",
                            3L,
                            "aescbc new-aescbc",
                            3L,
                            "aesgcm new-aesgcm",
                            3L,
                            "secretbox new-secretbox",
                            3L));
        }
        List<Json.Fields> secrets = extract(Snapshot.open(file, keys, TABLE_BYTES), of("secrets"));
        for (String provider : List.of("identity", "aescbc", "aesgcm", "secretbox")) {
            assertThat(secrets)
                    .filteredOn(secret ->
                            secret.at("metadata", "name").text().orElse("").startsWith(provider))
                    .extracting(secret -> new String(
                            Base64.getDecoder()
                                    .decode(secret.at("data", "password").text().orElse("")),
                            StandardCharsets.UTF_8))
                    .containsExactlyInAnyOrder(provider + "-secret-1", provider + "-secret-2", provider + "-secret-3");
        }
    }

    @Test
    void readsAnOlderEtcdAndKubernetes() throws IOException {
        Files.write(file, SampleFile.allProviders());
        Inspection inspection = inspect();
        assertThat(inspection.etcd().writtenBy()).isEqualTo("etcd 3.4 or older");
        assertThat(inspection.status().hash()).isEqualTo(784479226L);
        assertThat(inspection.resources()).extracting(ResourceCount::resource).contains("cronjobs", "ingresses");
        assertThat(inspection.unknownFields()).isEmpty();
    }

    @Test
    void extractsAnObjectOfEachKindWithoutUnknownFields() {
        List<Json.Fields> all = extract(openWithKey(), Selection.everything());
        assertThat(all).hasSize(552);
        try (Snapshot snapshot = openWithKey()) {
            assertThat(snapshot.extract(Selection.everything(), (key, object) -> {})
                            .unknownFields())
                    .isEmpty();
        }
    }

    @Test
    void extractsByResourceNameAndLabel() {
        assertThat(extract(open(), of("Deployment"))).hasSize(2);
        assertThat(extract(open(), of("deployments.apps"))).hasSize(2);
        assertThat(extract(open(), of("deploy"))).hasSize(2);
        assertThat(extract(open(), of("apiservices.apiregistration.k8s.io"))).hasSize(21);
        Selection touched = new Selection(
                Set.of("configmaps"),
                Optional.empty(),
                Set.of(),
                LabelRequirement.parse("touched=yes"),
                OptionalLong.empty());
        assertThat(extract(open(), touched))
                .extracting(object -> object.at("metadata", "name").text().orElse(""))
                .hasSize(20)
                .contains("cm-0020", "cm-0039");
        Selection named = new Selection(
                Set.of(), Optional.of("kube-system"), Set.of("kube-apiserver"), List.of(), OptionalLong.empty());
        assertThat(extract(openWithKey(), named))
                .extracting(object -> object.at("kind").text().orElse(""))
                .contains("DaemonSet");
    }

    @Test
    void extractsWhatWasDeletedSinceFromAnOlderRevision() {
        Selection deleted = new Selection(
                Set.of("configmaps"), Optional.of("canary"), Set.of("cm-0007"), List.of(), OptionalLong.empty());
        assertThat(extract(open(), deleted)).isEmpty();
        List<Long> revisions = new ArrayList<>();
        for (long revision = 1; revision <= 626; revision += 25) {
            Selection then = new Selection(
                    deleted.resources(), deleted.namespace(), deleted.names(), List.of(), OptionalLong.of(revision));
            if (!extract(open(), then).isEmpty()) {
                revisions.add(revision);
            }
        }
        assertThat(revisions).isNotEmpty();
    }

    @Test
    void refusesARevisionThatTheFileDoesNotHave() {
        Selection future = new Selection(Set.of(), Optional.empty(), Set.of(), List.of(), OptionalLong.of(627));
        try (Snapshot snapshot = open()) {
            assertThatThrownBy(() -> snapshot.extract(future, (key, object) -> {}))
                    .isInstanceOf(ProblemException.class)
                    .hasMessageContaining("at most 626");
        }
    }

    @Test
    void neverWritesToItsInput() throws IOException {
        byte[] before = Files.readAllBytes(file);
        assertThat(file.toFile().setReadOnly()).isTrue();
        extract(openWithKey(), Selection.everything());
        inspect();
        assertThat(Files.readAllBytes(file)).isEqualTo(before);
        assertThat(directory.toFile().list()).containsExactly("sample.db");
    }

    @Test
    void noticesAFileThatIsWrittenToMeanwhile() throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        try (Snapshot snapshot = open()) {
            Files.write(file, Arrays.copyOf(bytes, bytes.length + 4096));
            assertThatThrownBy(snapshot::inspect)
                    .isInstanceOf(ProblemException.class)
                    .hasMessageContaining("was written to while it was read");
        }
    }

    @Test
    void readsADatabaseWithoutDigest() throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(bytes, bytes.length - 32));
        Inspection inspection = inspect();
        assertThat(inspection.file().digest()).isEqualTo(TrailingDigest.ABSENT);
        assertThat(inspection.status().hash()).isEqualTo(1092337012L);
    }

    @Test
    void saysThatAFileWasCutOff() throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        assertThat(refusal(Arrays.copyOf(bytes, bytes.length / 2))).contains("page ", "offset ", "it was cut off");
    }

    @Test
    void readsWhatIsLeftBesideALostPage() throws IOException {
        int losses = 0;
        for (int page = 2; page < 60; page++) {
            byte[] bytes = SampleFile.bytes();
            boolean leaf = bytes[page * 4096 + 8] == 2;
            Arrays.fill(bytes, page * 4096, (page + 1) * 4096, (byte) 0);
            Files.write(file, bytes);
            Inspection inspection = inspect();
            String place = "page " + page + ",";
            boolean used = inspection.damage().stream()
                    .anyMatch(problem -> problem.where().contains(place));
            assertThat(inspection.liveKeys()).isGreaterThan(500);
            if (used && leaf) {
                losses++;
            }
        }
        assertThat(losses).isGreaterThan(20);
    }

    @Test
    void saysThatTheContentIsNotWhatWasSaved() throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        int text = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("xxxxxxxxxxxxxxxx");
        bytes[text] = 'y';
        Files.write(file, bytes);
        Inspection inspection = inspect();
        assertThat(inspection.file().digest()).isEqualTo(TrailingDigest.WRONG);
        assertThat(inspection.damage())
                .singleElement()
                .extracting(Problem::what)
                .asString()
                .contains("SHA-256");
        assertThat(inspection.liveKeys()).isEqualTo(552);
    }

    @Test
    void readsWithOneGoodMetaPage() throws IOException {
        for (int broken = 0; broken < 2; broken++) {
            byte[] bytes = SampleFile.bytes();
            Arrays.fill(bytes, broken * 4096, broken * 4096 + 80, (byte) 0xff);
            Files.write(file, bytes);
            Inspection inspection = inspect();
            assertThat(inspection.damage())
                    .extracting(Problem::what)
                    .anyMatch(what -> what.startsWith("meta page at offset"));
            assertThat(inspection.liveKeys()).isGreaterThan(500);
        }
    }

    @Test
    void namesWhatIsNoDatabase() throws IOException {
        assertThat(refusal(new byte[0])).contains("is empty");
        assertThat(refusal(new byte[8192])).contains("nothing but zeros");
        assertThat(refusal("{}".getBytes(StandardCharsets.US_ASCII))).contains("text file");
        assertThat(refusal(new byte[] {0x1f, (byte) 0x8b, 8, 0})).contains("gzip", "gunzip");
        assertThat(refusal("SQLite format 3".getBytes(StandardCharsets.US_ASCII)))
                .contains("bbolt");
        byte[] bytes = SampleFile.bytes();
        Arrays.fill(bytes, 0, 80, (byte) 0xff);
        Arrays.fill(bytes, 4096, 4176, (byte) 0xff);
        assertThat(refusal(bytes)).contains("nothing of this one can be read");
        file = directory;
        assertThatThrownBy(this::open).hasMessageContaining("is a directory");
    }

    private String refusal(byte[] content) throws IOException {
        Files.write(file, content);
        try (Snapshot snapshot = open()) {
            return "opened with " + snapshot.inspect().liveKeys() + " keys";
        } catch (ProblemException e) {
            return e.describe();
        }
    }
}
