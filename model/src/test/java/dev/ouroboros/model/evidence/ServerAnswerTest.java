package dev.ouroboros.model.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ServerAnswerTest {
    @Test
    void ofHealthChecksOnlyThoseThatFailedAreNamed() {
        assertThat(ServerAnswer.cause("[+]ping ok\n[-]etcd failed: reason withheld\n[+]log ok\nreadyz check failed\n"))
                .isEqualTo("etcd failed");
        assertThat(ServerAnswer.cause("[-]etcd failed: reason withheld\n[-]poststarthook/a failed: not finished"))
                .isEqualTo("etcd failed; poststarthook/a failed: not finished");
    }

    @Test
    void ofManyFailedChecksTheFirstAreNamedAndTheOthersCounted() {
        assertThat(ServerAnswer.cause("[-]a failed: reason withheld\n".repeat(24)))
                .isEqualTo("a failed; a failed; a failed; a failed; and 20 more");
    }

    @Test
    void ofAStatusItsMessageIsShown() {
        assertThat(ServerAnswer.cause("""
            {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 403,
             "message": "forbidden: User \\"x\\" cannot get path \\"/readyz\\""}\
            """))
                .isEqualTo("forbidden: User" + " \"x\"" + " cannot get" + " path" + " \"/readyz\"");
    }

    @Test
    void anythingElseIsShownAsItIs() {
        assertThat(ServerAnswer.cause("no leader yet\n")).isEqualTo("no leader yet");
        assertThat(ServerAnswer.cause("{no JSON")).isEqualTo("{no JSON");
        assertThat(ServerAnswer.failedChecks(
                        "the principal: not ready ([+]ping ok\n[-]etcd failed: reason withheld\n)"))
                .isEqualTo("the principal: not ready (etcd failed)");
    }
}
