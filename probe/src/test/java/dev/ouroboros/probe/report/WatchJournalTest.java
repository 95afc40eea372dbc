package dev.ouroboros.probe.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.probe.report.WatchJournal.Source;
import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class WatchJournalTest {
    private final WatchJournal journal = new WatchJournal();

    @Test
    void isConsistentWhenEveryAcknowledgedWriteWasObservedInOrder() {
        journal.observed(0, Source.WATCH, ms(5));
        journal.acknowledged(0, ms(6));
        journal.acknowledged(1, ms(500));
        journal.observed(1, Source.WATCH, ms(510));

        WatchReport report = report(OptionalLong.of(1));
        assertThat(report.consistent()).isTrue();
        assertThat(report.longestDelay()).isEqualTo(ms(10));
        assertThat(journal.caughtUp()).isTrue();
    }

    @Test
    void callsAWriteMissedWhenAWatchSkipsItAndCoalescedWhenAListDoes() {
        for (int number = 0; number < 4; number++) {
            journal.acknowledged(number, ms(number));
        }
        journal.observed(1, Source.LIST, ms(10));
        journal.observed(3, Source.WATCH, ms(20));

        WatchReport report = report(OptionalLong.of(3));
        assertThat(report.coalesced()).isEqualTo(1);
        assertThat(report.missed()).isEqualTo(1);
        assertThat(report.consistent()).isFalse();
    }

    @Test
    void callsAWriteLostWhenNothingNewerIsEverObserved() {
        journal.acknowledged(0, ms(0));
        assertThat(journal.stalled(ms(6000), ms(5000))).isTrue();
        assertThat(report(OptionalLong.of(0)).lost()).isEqualTo(1);
    }

    @Test
    void noticesThatAServerWentBackInTime() {
        journal.acknowledged(0, ms(0));
        journal.acknowledged(1, ms(1));
        journal.observed(1, Source.WATCH, ms(2));
        journal.observed(0, Source.LIST, ms(3));

        assertThat(report(OptionalLong.of(1)).wentBack()).isEqualTo(1);
        assertThat(report(OptionalLong.of(1)).consistent()).isFalse();
    }

    @Test
    void isInconsistentWhenTheLastAcknowledgedWriteIsNotStored() {
        journal.acknowledged(7, ms(0));
        journal.observed(7, Source.WATCH, ms(1));

        assertThat(report(OptionalLong.of(6)).consistent()).isFalse();
        assertThat(report(OptionalLong.empty()).consistent()).isFalse();
        assertThat(report(OptionalLong.of(8)).consistent()).isTrue();
    }

    @Test
    void measuresTheLongestTimeWithoutAWatchAndWhatCameLate() {
        journal.connected(ms(0));
        journal.disconnected(ms(100));
        journal.disconnected(ms(200));
        journal.connected(ms(1600));
        journal.acknowledged(0, ms(300));
        journal.observed(0, Source.LIST, ms(1600));

        WatchReport report = report(OptionalLong.of(0));
        assertThat(report.longestGap()).isEqualTo(ms(1500));
        assertThat(report.reconnects()).isEqualTo(1);
        assertThat(report.late()).isEqualTo(1);
    }

    @Test
    void countsAGapThatLastsUntilTheEnd() {
        journal.connected(ms(0));
        journal.disconnected(ms(1000));
        assertThat(journal.report(OptionalLong.empty(), ms(4000)).longestGap()).isEqualTo(ms(3000));
    }

    private WatchReport report(OptionalLong stored) {
        return journal.report(stored, ms(10_000));
    }

    private static Duration ms(long milliseconds) {
        return Duration.ofMillis(milliseconds);
    }
}
