package dev.ouroboros.keeper.checkpoint;

import static dev.ouroboros.keeper.checkpoint.CheckpointFixture.API_SERVER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.checkpoint.Generation.Verdict;
import dev.ouroboros.model.checkpoint.Checkpoint;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.node.disk.LocalDisk;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class GenerationTest {
    @TempDir
    private Path directory = Path.of("");

    /** Whoever signs it is not believed either: the file is there, with the content that it should have. */
    @Test
    void aListThatLeadsOutOfItsVolumeIsDamage() throws Exception {
        LocalDisk disk = new LocalDisk();
        Checkpoint checkpoint = CheckpointFixture.of(
                API_SERVER, "v1", disk.status(directory).orElseThrow().group());
        Path generation = directory.resolve("generation");
        Generation.write(disk, generation, checkpoint);
        Path list = generation.resolve("checkpoint.json");
        Json content = JsonText.read(Files.readString(list)).at("content");
        String text = new String(JsonText.write(content), StandardCharsets.UTF_8);
        Files.write(list, Signed.write(CheckpointFixture.json(text.replace("\"ca.pem\"", "\"./ca.pem\""))));

        assertThat(Generation.verify(disk, generation, API_SERVER, checkpoint.revision()))
                .isInstanceOfSatisfying(
                        Verdict.Damaged.class,
                        damaged -> assertThat(damaged.problems())
                                .singleElement()
                                .satisfies(problem -> {
                                    assertThat(problem.code()).isEqualTo(ErrorCode.EDITED_FILE);
                                    assertThat(problem.where()).isEqualTo(list.toString());
                                    assertThat(problem.what()).isEqualTo("'./ca.pem' is no path below a volume");
                                }));
    }

    @Test
    void aDirectoryThatOthersMayEnterIsDamage() throws Exception {
        LocalDisk disk = new LocalDisk();
        Checkpoint checkpoint = CheckpointFixture.of(
                API_SERVER, "v1", disk.status(directory).orElseThrow().group());
        Path generation = directory.resolve("generation");
        Generation.write(disk, generation, checkpoint);
        Files.setPosixFilePermissions(generation, PosixFilePermissions.fromString("rwxr-xr-x"));

        assertDamaged(disk, checkpoint, generation, "should be rwx------ and is rwxr-xr-x");
        disk.deleteTree(generation);
        assertDamaged(disk, checkpoint, generation, "should be rwx------ and is not there");
    }

    private static void assertDamaged(LocalDisk disk, Checkpoint checkpoint, Path generation, String what) {
        assertThat(Generation.verify(disk, generation, API_SERVER, checkpoint.revision()))
                .isInstanceOfSatisfying(
                        Verdict.Damaged.class,
                        damaged -> assertThat(damaged.problems())
                                .singleElement()
                                .satisfies(problem -> {
                                    assertThat(problem.code()).isEqualTo(ErrorCode.EDITED_FILE);
                                    assertThat(problem.where()).isEqualTo(generation.toString());
                                    assertThat(problem.what()).isEqualTo(what);
                                }));
    }
}
