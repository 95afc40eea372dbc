package dev.ouroboros.keeper.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.decide.CheckpointSummary.Told;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CheckpointSummaryTest {
    private static final Instant SAVED = Instant.parse("2026-03-01T02:00:00.123456Z");
    private static final Instant NOW = Instant.parse("2026-03-01T03:00:00.9Z");
    private static final Revision OLD = new Revision("0".repeat(64));
    private static final Revision NEW = new Revision("ab".repeat(32));

    private static Slots slots(Optional<Revision> candidate, Optional<Revision> lastGood) {
        return new Slots(candidate, lastGood);
    }

    private static CheckpointSummary both() {
        return CheckpointSummary.of(
                Map.of(
                        KeeperScene.API_SERVER,
                        Evidence.known(slots(Optional.of(NEW), Optional.of(OLD))),
                        KeeperScene.SCHEDULER,
                        Evidence.known(slots(Optional.of(NEW), Optional.empty())),
                        KeeperScene.OTHER,
                        Evidence.known(Slots.NONE)),
                (_, revision) -> revision.equals(OLD) ? Optional.of(SAVED) : Optional.empty());
    }

    @Test
    void isWrittenAsPeopleCanReadIt() {
        assertThat(both().text(NOW))
                .isEqualTo("{\"format\":1,\"at\":\"2026-03-01T03:00:00Z\",\"components\":{"
                        + "\"kube-system/kube-apiserver\":{\"lastGood\":{\"revision\":\"" + OLD
                        + "\",\"savedAt\":\"2026-03-01T02:00:00Z\"},\"candidate\":{\"revision\":\"" + NEW + "\"}},"
                        + "\"kube-system/kube-scheduler\":{\"candidate\":{\"revision\":\"" + NEW + "\"}}}}");
    }

    @Test
    void isReadAsItWasWritten() {
        assertThat(CheckpointSummary.read(both().text(NOW)))
                .isEqualTo(Evidence.known(new Told(Instant.parse("2026-03-01T03:00:00Z"), both())));
        assertThat(CheckpointSummary.read(CheckpointSummary.NONE.text(NOW))
                        .is(told -> told.summary().equals(CheckpointSummary.NONE)))
                .isTrue();
    }

    /** Else what is told would differ from what is on the disk for ever, and be told again each second. */
    @Test
    void countsSecondsBeforeItIsWrittenToo() {
        assertThat(both().components().get(KeeperScene.API_SERVER))
                .isEqualTo(new CheckpointSummary.Saved(
                        Optional.of(
                                new CheckpointSummary.Slot(OLD, Optional.of(Instant.parse("2026-03-01T02:00:00Z")))),
                        Optional.of(new CheckpointSummary.Slot(NEW, Optional.empty()))));
    }

    /** Else what was said of all of them before would stand for ever, and look as if it were so. */
    @Test
    void saysOfATornOneThatItIsUnknown() {
        CheckpointSummary torn = CheckpointSummary.of(
                Map.of(
                        KeeperScene.API_SERVER,
                        Evidence.known(slots(Optional.empty(), Optional.of(OLD))),
                        KeeperScene.SCHEDULER,
                        Evidence.unknown("is torn")),
                (_, _) -> Optional.empty());
        assertThat(torn.text(NOW)).contains("\"kube-system/kube-scheduler\":{\"unknown\":\"is torn\"}");
        assertThat(CheckpointSummary.read(torn.text(NOW))
                        .is(told -> told.summary().equals(torn)))
                .isTrue();
        assertThat(torn.differingFrom(both())).containsExactly(KeeperScene.API_SERVER, KeeperScene.SCHEDULER);
    }

    @Test
    void passesOverWhatItDoesNotKnow() {
        String text = both().text(NOW).replace("{\"format\":1,", "{\"format\":1,\"more\":[1],");
        assertThat(CheckpointSummary.read(text).is(told -> told.summary().equals(both())))
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ''                                                                             | is not JSON
            nonsense                                                                       | is not JSON
            {"format":1                                                                    | is not JSON
            []                                                                             | has no format
            {"components":{}}                                                              | has no format
            {"format":"1"}                                                                 | has no format
            {"format":2,"at":"2026-03-01T03:00:00Z","components":{}}                       | has format 2; known is format 1
            {"format":1,"components":{}}                                                   | not as a keeper writes it
            {"format":1,"at":"yesterday","components":{}}                                  | not as a keeper writes it
            {"format":1,"at":"2026-03-01T03:00:00Z","components":{"x":{}}}                 | x' names no component
            {"format":1,"at":"2026-03-01T03:00:00Z","components":{"a/b/c":{}}}             | names no component
            {"format":1,"at":"2026-03-01T03:00:00Z","components":{"a/b":{}}}               | a component has no checkpoint
            {"format":1,"at":"2026-03-01T03:00:00Z","components":{"a/b":{"lastGood":{}}}}  | is no revision
            {"format":1,"at":"2026-03-01T03:00:00Z","components":{"a/b":{"lastGood":7}}}   | is no revision
            {"format":1,"at":"2026-03-01T03:00:00Z","components":{"a/b":{"lastGood":{"revision":"../../etc"}}}} | is no revision
            {"format":1,"at":"2026-03-01T03:00:00Z","components":{"a/b":{"candidate":{"revision":"abababab","savedAt":"x"}}}} | not as a keeper writes it
            """)
    void saysWhyItCannotBeUnderstood(String text, String why) {
        assertThat(CheckpointSummary.read(text))
                .isInstanceOfSatisfying(
                        Unknown.class, unknown -> assertThat(unknown.reason()).contains(why));
    }

    /** Whoever may write on a Node may write anything there. */
    @Test
    void survivesWhateverIsWrittenThere() {
        String text = both().text(NOW);
        for (int seed = 0; seed < 3000; seed++) {
            Random random = new Random(seed);
            StringBuilder damaged = new StringBuilder(text);
            for (int i = 0; i <= random.nextInt(4); i++) {
                int place = random.nextInt(damaged.length());
                switch (random.nextInt(3)) {
                    case 0 -> damaged.setCharAt(place, (char) random.nextInt(128));
                    case 1 -> damaged.delete(place, Math.min(damaged.length(), place + random.nextInt(30)));
                    default -> damaged.insert(place, text.substring(random.nextInt(text.length())));
                }
                damaged.append(' ');
            }
            assertThat(CheckpointSummary.read(damaged.toString())).isInstanceOfAny(Known.class, Unknown.class);
        }
    }

    @Test
    void namesTheComponentsThatDiffer() {
        assertThat(both().differingFrom(both())).isEmpty();
        assertThat(both().differingFrom(CheckpointSummary.NONE))
                .containsExactly(KeeperScene.API_SERVER, KeeperScene.SCHEDULER);
        assertThat(CheckpointSummary.NONE.differingFrom(both()))
                .containsExactly(KeeperScene.API_SERVER, KeeperScene.SCHEDULER);
    }
}
