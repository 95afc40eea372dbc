package dev.ouroboros.snapshot.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class LiveRecordsTest {
    /** Room for 768 keys: the smallest that there is. */
    private static final long SMALLEST = 0;

    private static final long AMPLE = 64 << 20;

    private static KeyRecord record(long ordinal, String key, boolean tombstone) {
        return new KeyRecord(
                ordinal,
                new EtcdRevision(ordinal + 1, 0),
                tombstone,
                key.getBytes(StandardCharsets.UTF_8),
                1,
                1,
                0,
                0,
                0,
                "");
    }

    private static List<KeyRecord> history(Random random, int length, int keys) {
        List<KeyRecord> records = new ArrayList<>();
        for (int ordinal = 0; ordinal < length; ordinal++) {
            records.add(record(ordinal, "/registry/pods/default/" + random.nextInt(keys), random.nextInt(4) == 0));
        }
        return records;
    }

    private static Set<Long> model(List<KeyRecord> records, long atMost) {
        Map<String, Long> newest = new HashMap<>();
        for (KeyRecord record : records) {
            if (record.revision().main() <= atMost) {
                if (record.tombstone()) {
                    newest.remove(record.keyText());
                } else {
                    newest.put(record.keyText(), record.ordinal());
                }
            }
        }
        return new HashSet<>(newest.values());
    }

    private static int passes(List<KeyRecord> records, long atMost, long tableBytes, Set<Long> live) {
        LiveRecords.Search search = new LiveRecords.Search(atMost, tableBytes, true);
        int passes = 0;
        while (search.beginPass()) {
            records.forEach(search::take);
            passes++;
        }
        LiveRecords result = search.result();
        records.stream().filter(result::contains).forEach(record -> live.add(record.ordinal()));
        assertThat(result.count()).isEqualTo(live.size());
        return passes;
    }

    @Test
    void knowsTheNewestOfEachKeyAtAnyRevision() {
        qt().withExamples(200)
                .forAll(integers().all(), integers().between(1, 400))
                .checkAssert((seed, keys) -> {
                    List<KeyRecord> records = history(new Random(seed), 500, keys);
                    for (long atMost : new long[] {0, 1, 250, 500}) {
                        Set<Long> live = new HashSet<>();
                        passes(records, atMost, AMPLE, live);
                        assertThat(live).isEqualTo(model(records, atMost));
                    }
                });
    }

    @Test
    void findsTheSameWithLittleMemoryInMorePasses() {
        List<KeyRecord> records = history(new Random(1), 60_000, 20_000);
        Set<Long> live = new HashSet<>();
        int passes = passes(records, Long.MAX_VALUE, SMALLEST, live);
        assertThat(passes).isBetween(20, 60);
        assertThat(live).isEqualTo(model(records, Long.MAX_VALUE));
        Set<Long> again = new HashSet<>();
        assertThat(passes(records, Long.MAX_VALUE, AMPLE, again)).isEqualTo(1);
        assertThat(again).isEqualTo(live);
    }
}
