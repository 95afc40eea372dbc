package dev.ouroboros.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.snapshot.encryption.EncryptionConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Damage of every sort to a real file: each reading ends, soon, with an answer or a {@link ProblemException}, and nothing else.
 * A seed that fails is in the message.
 */
final class FuzzTest {
    private static final int ROUNDS = Boolean.getBoolean("ouroboros.long") ? 20_000 : 80;
    private static final int PAGE = 4096;
    private static final long TABLE_BYTES = 1 << 20;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static final byte[] SAMPLE = SampleFile.bytes();

    @TempDir
    private Path directory = Path.of("");

    @FunctionalInterface
    private interface Damage {
        byte[] apply(byte[] bytes, Random random);
    }

    private void survives(Damage damage) throws IOException {
        Path file = directory.resolve("damaged.db");
        EncryptionConfiguration keys = EncryptionConfiguration.read(SampleFile.encryptionConfiguration(), "keys");
        for (int seed = 0; seed < ROUNDS; seed++) {
            Files.write(file, damage.apply(SAMPLE.clone(), new Random(seed)));
            int current = seed;
            assertTimeoutPreemptively(LIMIT, () -> read(file, keys), () -> "seed " + current);
        }
    }

    private static void read(Path file, EncryptionConfiguration keys) {
        read(() -> Snapshot.open(file, keys, TABLE_BYTES));
        read(() -> Snapshot.salvage(file, keys, TABLE_BYTES));
    }

    private static void read(Supplier<Snapshot> open) {
        try (Snapshot snapshot = open.get()) {
            Inspection inspection = snapshot.inspect();
            assertThat(inspection.damage()).hasSizeLessThanOrEqualTo(101);
            Snapshot.Extracted extracted = snapshot.extract(Selection.everything(), (key, object) -> {});
            assertThat(extracted.objects()).isLessThanOrEqualTo(inspection.liveKeys());
        } catch (ProblemException e) {
            assertThat(e.describe()).isNotBlank();
        }
    }

    @Test
    void flippedBits() throws IOException {
        survives((bytes, random) -> {
            for (int flips = 1 + random.nextInt(20); flips > 0; flips--) {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            }
            return bytes;
        });
    }

    @Test
    void flippedBitsOfPageHeadersAndTheirElements() throws IOException {
        survives((bytes, random) -> {
            for (int flips = 1 + random.nextInt(8); flips > 0; flips--) {
                int page = 2 + random.nextInt(bytes.length / PAGE - 2);
                bytes[page * PAGE + random.nextInt(80)] ^= (byte) (1 << random.nextInt(8));
            }
            return bytes;
        });
    }

    @Test
    void pagesThatTookThePlaceOfOthers() throws IOException {
        survives((bytes, random) -> {
            for (int moves = 1 + random.nextInt(5); moves > 0; moves--) {
                int from = random.nextInt(bytes.length / PAGE);
                int to = 2 + random.nextInt(bytes.length / PAGE - 2);
                System.arraycopy(bytes, from * PAGE, bytes, to * PAGE, PAGE);
                // With the number that is expected there, so that the content is what must be refused.
                bytes[to * PAGE] = (byte) to;
                bytes[to * PAGE + 1] = (byte) (to >> 8);
            }
            return bytes;
        });
    }

    @Test
    void referencesToAnyPage() throws IOException {
        survives((bytes, random) -> {
            for (int page = 2; page < bytes.length / PAGE; page++) {
                if (bytes[page * PAGE + 8] == 1) {
                    int element = page * PAGE + 16 + 16 * random.nextInt(10) + 8;
                    bytes[element] = (byte) random.nextInt(160);
                }
            }
            return bytes;
        });
    }

    @Test
    void lostMetaPagesAndOtherDamage() throws IOException {
        survives((bytes, random) -> {
            Arrays.fill(bytes, 0, 2 * PAGE, (byte) random.nextInt());
            for (int flips = 1 + random.nextInt(8); flips > 0; flips--) {
                int page = 2 + random.nextInt(bytes.length / PAGE - 2);
                bytes[page * PAGE + random.nextInt(80)] ^= (byte) (1 << random.nextInt(8));
            }
            return bytes;
        });
    }

    @Test
    void truncatedFiles() throws IOException {
        survives((bytes, random) -> Arrays.copyOf(bytes, random.nextInt(bytes.length)));
    }

    @Test
    void zeroedAndRandomRegions() throws IOException {
        survives((bytes, random) -> {
            int start = random.nextInt(bytes.length);
            int end = Math.min(bytes.length, start + random.nextInt(5 * PAGE));
            for (int index = start; index < end; index++) {
                bytes[index] = (byte) (random.nextBoolean() ? 0 : random.nextInt());
            }
            return bytes;
        });
    }
}
