package dev.ouroboros.model.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.evidence.Health.NotListening;
import dev.ouroboros.model.evidence.Health.NotReady;
import dev.ouroboros.model.evidence.Health.Ready;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class HealthTest {
    private static final Evidence<Health> UNKNOWN = Evidence.unknown("not asked");
    private static final Evidence<Health> REFUSED = Evidence.known(new NotListening());
    private static final Evidence<Health> FAILS = Evidence.known(new NotReady("500"));
    private static final Evidence<Health> READY = Evidence.known(new Ready(Instant.EPOCH));

    @Test
    void namesTheChecksThatFailed() {
        NotReady health = new NotReady("""
                [+]ping ok
                [-]etcd failed: reason withheld
                [-]poststarthook/rbac failed: reason withheld
                readyz check failed
                """);

        assertThat(health.failedChecks()).containsExactlyInAnyOrder("etcd", "poststarthook/rbac");
    }

    @Test
    void anAnswerWithoutChecksFailsNoneByName() {
        assertThat(new NotReady("connection reset").failedChecks()).isEmpty();
    }

    @Test
    void anUnansweredQuestionIsNeitherUpNorDown() {
        assertThat(Health.isReady(UNKNOWN)).isFalse();
        assertThat(Health.listens(UNKNOWN)).isFalse();
        assertThat(Health.isDown(UNKNOWN)).isFalse();
        assertThat(Health.describe(UNKNOWN)).isEqualTo("not asked");
    }

    @Test
    void aServerListensBeforeItIsReady() {
        assertThat(Health.listens(REFUSED)).isFalse();
        assertThat(Health.isDown(REFUSED)).isTrue();
        assertThat(Health.listens(FAILS)).isTrue();
        assertThat(Health.isDown(FAILS)).isTrue();
        assertThat(Health.isReady(FAILS)).isFalse();
        assertThat(Health.listens(READY)).isTrue();
        assertThat(Health.isDown(READY)).isFalse();
        assertThat(Health.isReady(READY)).isTrue();
    }

    @Test
    void isToldInWords() {
        assertThat(Health.describe(REFUSED)).isEqualTo("does not listen yet");
        assertThat(Health.describe(FAILS)).isEqualTo("not ready: 500");
        assertThat(Health.describe(READY)).isEqualTo("ready");
    }
}
