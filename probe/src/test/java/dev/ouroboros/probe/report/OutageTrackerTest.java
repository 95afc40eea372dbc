package dev.ouroboros.probe.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class OutageTrackerTest {
    private final OutageTracker tracker = new OutageTracker(false);
    private final List<OutageEvent> events = new ArrayList<>();

    @Test
    void countsFailuresInARowAsOneOutageUntilTheNextAnswer() {
        answered(0, 0, 10);
        failed(1, 50, 51, "refused");
        failed(2, 100, 101, "reset");
        answered(3, 150, 170);

        ClientReport report = report(200);
        assertThat(report.outages()).containsExactly(new Outage(ms(50), Optional.of(ms(170)), 2, "refused"));
        assertThat(report.failures()).isEqualTo(2);
        assertThat(report.requests()).isEqualTo(4);
        assertThat(report.longestWait()).isEqualTo(ms(120));
        assertThat(report.available()).isFalse();
    }

    @Test
    void countsAHangingRequestOnceWhileLaterOnesAreAnswered() {
        failed(0, 0, 5000, "timeout");
        answered(1, 50, 60);

        ClientReport report = report(6000);
        assertThat(report.outages()).containsExactly(new Outage(ms(0), Optional.of(ms(60)), 1, "timeout"));
        assertThat(report.longestWait()).isEqualTo(ms(5000));
    }

    @Test
    void findsTheSameOutagesInWhateverOrderRequestsFinish() {
        answered(1, 50, 60);
        answered(3, 150, 160);
        failed(2, 100, 5100, "timeout");
        assertThat(events).hasSize(1);
        answered(0, 0, 5200);

        assertThat(events)
                .containsExactly(
                        new OutageEvent.FirstAnswer(ms(60)),
                        new OutageEvent.Began(ms(100), "timeout"),
                        new OutageEvent.Ended(new Outage(ms(100), Optional.of(ms(160)), 1, "timeout")));
    }

    @Test
    void joinsOutagesThatOverlapInTime() {
        failed(0, 0, 1, "refused");
        answered(1, 50, 400);
        failed(2, 100, 101, "HTTP 500");
        answered(3, 420, 430);

        assertThat(report(500).outages()).containsExactly(new Outage(ms(0), Optional.of(ms(430)), 2, "refused"));
    }

    @Test
    void joinedOutagesEndWithTheLaterOfTheirAnswers() {
        failed(0, 0, 1, "refused");
        answered(1, 50, 400);
        failed(2, 100, 101, "HTTP 500");
        answered(3, 150, 160);

        assertThat(report(500).outages()).containsExactly(new Outage(ms(0), Optional.of(ms(400)), 2, "refused"));
    }

    @Test
    void reportsAnOutageThatLastsUntilTheEnd() {
        answered(0, 0, 10);
        failed(1, 50, 51, "refused");

        ClientReport report = report(1000);
        assertThat(report.outages()).containsExactly(new Outage(ms(50), Optional.empty(), 1, "refused"));
        assertThat(report.longestWait()).isEqualTo(ms(950));
    }

    @Test
    void isNotAvailableWhenNothingWasEverAnswered() {
        assertThat(report(1000).available()).isFalse();
    }

    @Test
    void doesNotCountWhatFailedBeforeAnAwaitedFirstAnswer() {
        OutageTracker patient = new OutageTracker(true);
        patient.offer(new Sample(0, ms(0), ms(1), 0, Optional.of("refused")));
        patient.offer(new Sample(2, ms(100), ms(130), 0, Optional.empty()));
        // Sent before the first answer had come.
        patient.offer(new Sample(1, ms(50), ms(5050), 0, Optional.of("timeout")));
        patient.offer(new Sample(3, ms(150), ms(151), 0, Optional.of("refused")));

        ClientReport report = patient.report(ClientRow.NEW, ms(200));
        assertThat(report.beforeFirstAnswer()).isEqualTo(2);
        assertThat(report.failures()).isEqualTo(1);
        assertThat(report.firstAnswer()).contains(ms(130));
    }

    @Test
    void computesPercentilesByNearestRank() {
        for (int i = 0; i < 200; i++) {
            answered(i, i * 50L, i * 50L + i + 1);
        }
        assertThat(report(20_000).latencies()).isEqualTo(new Latencies(ms(100), ms(198), ms(200)));
    }

    @Test
    void refusesARequestThatIsOfferedTwice() {
        answered(0, 0, 1);
        assertThatThrownBy(() -> answered(0, 0, 1)).isInstanceOf(IllegalArgumentException.class);
    }

    private void answered(long sequence, long sent, long done) {
        events.addAll(tracker.offer(new Sample(sequence, ms(sent), ms(done), 0, Optional.empty())));
    }

    private void failed(long sequence, long sent, long done, String error) {
        events.addAll(tracker.offer(new Sample(sequence, ms(sent), ms(done), 0, Optional.of(error))));
    }

    private ClientReport report(long end) {
        return tracker.report(ClientRow.NEW, ms(end));
    }

    private static Duration ms(long milliseconds) {
        return Duration.ofMillis(milliseconds);
    }
}
