package dev.ouroboros.steward.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CertificatePolicyTest {
    private static final Instant DUE = Instant.parse("2026-11-29T12:00:00Z");
    private static final Instant LATE = DUE.plus(Duration.ofDays(60));

    private static CertificatePolicy policy(String wish) throws JsonText.MalformedJson {
        return new ControlPlaneObject(JsonText.read(("{\"spec\":{" + wish + "}}").getBytes(StandardCharsets.UTF_8)))
                .certificates();
    }

    @Test
    void whereNothingIsSaidTheyAreIssuedAgainAtAnyHour() throws Exception {
        CertificatePolicy policy = policy("");
        assertThat(policy.lifetime()).isEqualTo(Duration.ofDays(365));
        assertThat(policy.mayBegin(DUE, LATE, DUE.minusSeconds(1))).isFalse();
        assertThat(policy.mayBegin(DUE, LATE, DUE)).isTrue();
    }

    @Test
    void whoDoesNotWishItGetsNone() throws Exception {
        assertThat(policy("\"certificates\":{\"renew\":false}").mayBegin(DUE, LATE, LATE))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "02:00,05:30,2026-11-30T01:59:59Z,false",
        "02:00,05:30,2026-11-30T02:00:00Z,true",
        "02:00,05:30,2026-11-30T05:29:59Z,true",
        "02:00,05:30,2026-11-30T05:30:00Z,false",
        "22:00,03:00,2026-11-30T23:00:00Z,true",
        "22:00,03:00,2026-11-30T02:59:00Z,true",
        "22:00,03:00,2026-11-30T12:00:00Z,false",
        "04:00,04:00,2026-11-30T12:00:00Z,true"
    })
    void aWindowIsWaitedFor(String from, String to, Instant now, boolean isBegun) throws Exception {
        CertificatePolicy policy =
                policy("\"certificates\":{\"window\":{\"from\":\"" + from + "\",\"to\":\"" + to + "\"}}");
        assertThat(policy.mayBegin(DUE, LATE, now)).isEqualTo(isBegun);
        assertThat(policy.mayBegin(DUE, LATE, LATE.plus(Duration.between(DUE, now))))
                .as("not when little of its life is left")
                .isTrue();
    }

    @Test
    void whatAnEarlierSchemaLetThroughIsNoWindow() {
        assertThat(CertificatePolicy.of(Json.object()
                                .with(
                                        "window",
                                        Json.object()
                                                .with("from", Json.text("noon"))
                                                .with("to", Json.text("25:00"))))
                        .window())
                .isEmpty();
    }
}
