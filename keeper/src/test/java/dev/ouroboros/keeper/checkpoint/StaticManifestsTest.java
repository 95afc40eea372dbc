package dev.ouroboros.keeper.checkpoint;

import static dev.ouroboros.keeper.checkpoint.CheckpointFixture.API_SERVER;
import static dev.ouroboros.keeper.checkpoint.CheckpointFixture.OTHER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import dev.ouroboros.keeper.decide.StaticManifest;
import dev.ouroboros.model.checkpoint.Checkpoint;
import dev.ouroboros.model.checkpoint.Understudy;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.testing.ModelDisk;
import dev.ouroboros.node.testing.ModelDisk.Fault;
import dev.ouroboros.node.testing.ModelDisk.PowerCut;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class StaticManifestsTest {
    private static final Path DIRECTORY = Path.of("/manifests");
    private static final Path FILE = DIRECTORY.resolve("understudy-kube-apiserver.json");
    private static final Path OF_START = DIRECTORY.resolve("bootstrap-apiserver.yaml");
    private static final Checkpoint ONE = CheckpointFixture.of(API_SERVER, "v1");
    private static final String MARKED = "metadata:\n  annotations:\n    ouroboros.dev/owner: start\n";

    private final ModelDisk disk = new ModelDisk();
    private final StaticManifests manifests = new StaticManifests(disk, DIRECTORY);

    private static Json.Fields manifest(Checkpoint checkpoint) {
        return Understudy.of(checkpoint, "/files");
    }

    private StaticManifest seen() {
        return manifests.look().read(API_SERVER, Role.API_SERVER);
    }

    @BeforeEach
    void hasADirectory() {
        disk.createDirectories(DIRECTORY, "rwxr-xr-x");
    }

    @Test
    void readsWhatItWrote() {
        assertThat(seen()).isEqualTo(new StaticManifest.Absent());
        manifests.write(API_SERVER, Role.API_SERVER, manifest(ONE));

        assertThat(seen()).isEqualTo(new StaticManifest.Ours(ONE.revision()));
        assertThat(disk.status(FILE).orElseThrow().permissions()).isEqualTo("rw-------");
        assertThat(manifests.remove(API_SERVER, Role.API_SERVER)).isTrue();
        assertThat(manifests.remove(API_SERVER, Role.API_SERVER)).isFalse();
        assertThat(seen()).isEqualTo(new StaticManifest.Absent());
    }

    @Test
    void makesTheDirectoryWhenItIsMissing() {
        disk.lose(DIRECTORY);
        manifests.write(API_SERVER, Role.API_SERVER, manifest(ONE));

        assertThat(seen()).isInstanceOf(StaticManifest.Ours.class);
    }

    @Test
    void replacesItsOwn() {
        Checkpoint two = CheckpointFixture.of(API_SERVER, "v2");
        manifests.write(API_SERVER, Role.API_SERVER, manifest(ONE));
        manifests.write(API_SERVER, Role.API_SERVER, manifest(two));

        assertThat(seen()).isEqualTo(new StaticManifest.Ours(two.revision()));
    }

    @Test
    void leavesTheSameUnderstudyAloneThatWasStartedAMomentAgo() {
        manifests.write(API_SERVER, Role.API_SERVER, Understudy.startedAt(manifest(ONE), Instant.EPOCH));
        String first = disk.readText(FILE).orElseThrow();

        manifests.write(API_SERVER, Role.API_SERVER, Understudy.startedAt(manifest(ONE), Instant.EPOCH.plusMillis(1)));

        assertThat(disk.readText(FILE)).contains(first);
    }

    @Test
    void listsItsOwnOfAllComponents() {
        Checkpoint other = CheckpointFixture.of(OTHER, "v1");
        manifests.write(API_SERVER, Role.API_SERVER, manifest(ONE));
        manifests.write(OTHER, Role.OTHER, manifest(other));
        disk.tamper(DIRECTORY.resolve("etcd.json"), "{}", "rw-------");
        disk.tamper(DIRECTORY.resolve("etcd.yaml"), "kind: Pod", "rw-------");
        disk.tamper(
                DIRECTORY.resolve(".hidden.json"),
                disk.readText(FILE).orElseThrow().replace("kube-apiserver\"", "x\""),
                "rw-------");
        disk.tamper(
                DIRECTORY.resolve("other.txt"),
                disk.readText(FILE).orElseThrow().replace("kube-apiserver\"", "y\""),
                "rw-------");

        assertThat(manifests.look().ours())
                .containsExactly(entry(API_SERVER, ONE.revision()), entry(OTHER, other.revision()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "{}",
                "kind: Pod",
                "{\"metadata\": {\"annotations\": {\"ouroboros.dev/owner\": \"keeper\"}}}",
                "{\"metadata\": {\"annotations\": {\"ouroboros.dev/owner\": \"me\", \"ouroboros.dev/component\": "
                        + "\"kube-system/kube-apiserver\", \"ouroboros.dev/revision\": \"00000000\"}}}",
                "{\"metadata\": {\"annotations\": {\"ouroboros.dev/owner\": \"keeper\", \"ouroboros.dev/component\": "
                        + "\"kube-system/kube-apiserver\", \"ouroboros.dev/revision\": \"x\"}}}",
                "{\"metadata\": {\"annotations\": {\"ouroboros.dev/owner\": \"keeper\", \"ouroboros.dev/component\": "
                        + "\"kube-system/other\", \"ouroboros.dev/revision\": \"00000000\"}}}",
                "{\"metadata\": {\"annotations\": {\"ouroboros.dev/owner\": \"keeper\", \"ouroboros.dev/component\": "
                        + "\"/kube-apiserver\", \"ouroboros.dev/revision\": \"00000000\"}}}",
                "{\"metadata\": {\"annotations\": {\"ouroboros.dev/owner\": \"keeper\", \"ouroboros.dev/component\": "
                        + "\"kube-system/\", \"ouroboros.dev/revision\": \"00000000\"}}}"
            })
    void neverTouchesWhatIsForeign(String text) {
        disk.tamper(FILE, text, "rw-r--r--");

        assertThat(seen()).isEqualTo(new StaticManifest.Foreign());
        assertThatThrownBy(() -> manifests.write(API_SERVER, Role.API_SERVER, manifest(ONE)))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problems().getFirst().code()).isEqualTo(ErrorCode.FOREIGN_FILE));
        assertThat(manifests.remove(API_SERVER, Role.API_SERVER)).isFalse();
        assertThat(disk.readText(FILE)).contains(text);
    }

    @Test
    void takesStartsTemporaryPodForWhatItIs() {
        Map.of(
                        Role.API_SERVER, "bootstrap-apiserver.yaml",
                        Role.CONTROLLER_MANAGER, "bootstrap-controller-manager.yaml",
                        Role.SCHEDULER, "bootstrap-scheduler.yaml")
                .forEach((role, name) -> {
                    ComponentName component = new ComponentName("kube-system", role.name());
                    disk.tamper(DIRECTORY.resolve(name), MARKED, "rw-------");

                    assertThat(manifests.look().read(component, role)).isEqualTo(new StaticManifest.OfStart());
                    assertThat(manifests.remove(component, role)).isTrue();
                    assertThat(disk.status(DIRECTORY.resolve(name))).isEmpty();
                });
    }

    @ParameterizedTest
    @EnumSource(
            value = Role.class,
            names = {"KEEPER", "OTHER"})
    void hasNoTemporaryPodOfOthers(Role role) {
        disk.tamper(OF_START, MARKED, "rw-------");

        assertThat(manifests.look().read(OTHER, role)).isEqualTo(new StaticManifest.Absent());
        assertThat(manifests.remove(OTHER, role)).isFalse();
    }

    @Test
    void leavesAManifestOfThatNameThatStartDidNotWrite() {
        disk.tamper(OF_START, "metadata: {annotations: {}}\n# ouroboros.dev/owner: start, they say", "rw-------");

        assertThat(seen()).isEqualTo(new StaticManifest.Absent());
        manifests.write(API_SERVER, Role.API_SERVER, manifest(ONE));
        assertThat(manifests.remove(API_SERVER, Role.API_SERVER)).isTrue();
        assertThat(disk.status(OF_START)).isPresent();
    }

    @Test
    void removesStartsPodTogetherWithItsOwn() {
        manifests.write(API_SERVER, Role.API_SERVER, manifest(ONE));
        disk.tamper(OF_START, MARKED, "rw-------");

        assertThat(manifests.remove(API_SERVER, Role.API_SERVER)).isTrue();
        assertThat(disk.list(DIRECTORY)).isEmpty();
    }

    @Test
    void putsItsOwnInPlaceOfStartsAndLosesNeitherToAFullDisk() {
        disk.tamper(OF_START, MARKED, "rw-------");
        disk.breakAfter(0, Fault.FULL);
        assertThatThrownBy(() -> manifests.write(API_SERVER, Role.API_SERVER, manifest(ONE)))
                .isInstanceOf(ProblemException.class);
        assertThat(seen()).isEqualTo(new StaticManifest.OfStart());

        disk.repair();
        manifests.write(API_SERVER, Role.API_SERVER, manifest(ONE));

        assertThat(disk.list(DIRECTORY)).containsExactly("understudy-kube-apiserver.json");
        assertThat(seen()).isEqualTo(new StaticManifest.Ours(ONE.revision()));
    }

    @Test
    void neverShowsTheKubeletTwoPodsOnOnePort() {
        for (int cut = 0; cut < 4; cut++) {
            ModelDisk cutDisk = new ModelDisk();
            cutDisk.createDirectories(DIRECTORY, "rwxr-xr-x");
            cutDisk.tamper(OF_START, MARKED, "rw-------");
            cutDisk.breakAfter(cut, Fault.POWER_CUT);
            StaticManifests cutOff = new StaticManifests(cutDisk, DIRECTORY);
            assertThatThrownBy(() -> cutOff.write(API_SERVER, Role.API_SERVER, manifest(ONE)))
                    .isInstanceOf(PowerCut.class);
            cutDisk.repair();

            assertThat(cutDisk.list(DIRECTORY))
                    .filteredOn(name -> !name.startsWith("."))
                    .hasSizeLessThanOrEqualTo(1);
            cutOff.write(API_SERVER, Role.API_SERVER, manifest(ONE));
            assertThat(cutOff.look().read(API_SERVER, Role.API_SERVER))
                    .isEqualTo(new StaticManifest.Ours(ONE.revision()));
        }
    }
}
