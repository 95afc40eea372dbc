package dev.ouroboros.node.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.kubelet.KubeletLayout;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.LocalDisk;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KubeletProgramsTest {
    @Test
    void oneThatDoesNotFitIsRefusedBeforeAnythingIsWritten(@TempDir Path directory) throws Exception {
        Files.writeString(directory.resolve(KubeletLayout.GUARD), "");
        Path program = directory.resolve("kubelet");
        try (RandomAccessFile sparse = new RandomAccessFile(program.toFile(), "rw")) {
            sparse.setLength(new LocalDisk().usableBytes(directory));
        }
        KubeletPrograms programs = new KubeletPrograms(new LocalDisk(), directory);

        Refusal.of(() -> programs.bring(program, "digest"), ErrorCode.DISK)
                .where(directory.toString())
                .lineContains("MiB free", "for the kubelet");
        assertThat(programs.path("digest").getParent()).doesNotExist();
    }

    @Test
    void thoseThatWereBroughtLastStayAndThoseThatAreUsed(@TempDir Path directory) throws Exception {
        Files.writeString(directory.resolve(KubeletLayout.GUARD), "");
        KubeletPrograms programs = new KubeletPrograms(new LocalDisk(), directory);
        List<String> brought = new ArrayList<>();
        for (int number = 0; number < 6; number++) {
            Path program = Files.writeString(directory.resolve("kubelet"), "program " + number);
            String digest = KubeletPrograms.digest(program);
            assertThat(programs.bring(program, digest)).isTrue();
            assertThat(programs.bring(program, digest)).as("once").isFalse();
            Files.setLastModifiedTime(
                    programs.path(digest), FileTime.from(Instant.parse("2026-11-29T12:00:0" + number + "Z")));
            brought.add(digest);
        }

        programs.removeFormer(Set.of(brought.getFirst()));

        assertThat(programs.digests())
                .containsExactlyInAnyOrder(brought.get(0), brought.get(3), brought.get(4), brought.get(5));
        assertThat(directory.resolve(KubeletLayout.PROGRAMS).resolve(brought.get(1)))
                .doesNotExist();
    }
}
