package dev.ouroboros.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.probe.report.ClientReport;
import dev.ouroboros.probe.report.ClientRow;
import dev.ouroboros.probe.report.OutageEvent;
import dev.ouroboros.probe.report.ProbeReport;
import dev.ouroboros.probe.testing.ScriptedServer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ProbeTest {
    private static final Set<ClientKind> SIMPLE = Set.of(ClientKind.NEW, ClientKind.POOLED, ClientKind.NO_RETRY);

    @Test
    @Timeout(120)
    void seesTheOutageOfAServerThatDies() throws Exception {
        try (ScriptedServer server = new ScriptedServer()) {
            EventLatch events = new EventLatch(SIMPLE.size());
            try (Probe probe = Probe.start(options(server), events)) {
                events.answered.await();
                server.kill();
                events.began.await();
                ProbeReport report = probe.stop();

                assertThat(report.available()).isFalse();
                assertThat(report.clients())
                        .extracting(ClientReport::row)
                        .containsExactly(ClientRow.NEW, ClientRow.POOLED, ClientRow.NO_RETRY_GET);
                assertThat(report.clients()).allSatisfy(client -> {
                    assertThat(client.failures()).isPositive();
                    assertThat(client.outages()).isNotEmpty();
                    assertThat(client.firstAnswer()).isPresent();
                });
                assertThat(probe.stop()).isSameAs(report);
            }
        }
    }

    @Test
    @Timeout(120)
    void findsNothingWhenEveryRequestIsAnswered() throws Exception {
        try (ScriptedServer server = new ScriptedServer()) {
            EventLatch events = new EventLatch(SIMPLE.size());
            try (Probe probe = Probe.start(options(server), events)) {
                events.answered.await();
                ProbeReport report = probe.stop();
                assertThat(report.available()).isTrue();
                assertThat(report.failedRequests()).isZero();
            }
        }
    }

    @Test
    void refusesAWatchWithoutAnIdentity() throws Exception {
        try (ScriptedServer server = new ScriptedServer()) {
            ProbeOptions options = ProbeOptions.of(server.endpoint());
            assertThat(options.clients()).doesNotContain(ClientKind.WATCH);
            assertThatThrownBy(() -> options.withClients(Set.of(ClientKind.WATCH)))
                    .isInstanceOf(ProblemException.class)
                    .hasMessageContaining("needs an identity");
        }
    }

    private static ProbeOptions options(ScriptedServer server) throws Exception {
        // Slow and patient: a busy machine must not look like an outage.
        return ProbeOptions.of(server.endpoint())
                .withClients(SIMPLE)
                .withInterval(Duration.ofMillis(200))
                .withTimeout(Duration.ofSeconds(30));
    }

    /** Counts the first answers and the first outages. */
    private static final class EventLatch implements ProbeListener {
        private final CountDownLatch answered;
        private final CountDownLatch began;

        EventLatch(int clients) {
            this.answered = new CountDownLatch(clients);
            this.began = new CountDownLatch(clients);
        }

        @Override
        public void event(ClientRow row, OutageEvent event) {
            switch (event) {
                case OutageEvent.FirstAnswer _ -> answered.countDown();
                case OutageEvent.Began _ -> began.countDown();
                case OutageEvent.Ended _ -> {
                    // Not waited for.
                }
            }
        }

        @Override
        public void warning(String message) {
            throw new AssertionError(message);
        }
    }
}
