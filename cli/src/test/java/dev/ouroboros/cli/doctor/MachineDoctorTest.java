package dev.ouroboros.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.ailment.Ailment;
import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.io.IOException;
import org.junit.jupiter.api.Test;

final class MachineDoctorTest {
    @Test
    void readsAgainWhatItPrints() throws IOException {
        Finding finding = Ailment.SWAP_IS_ON.seen("on: /dev/sda2");
        assertThat(MachineDoctor.read("""
                        [{"place": "machine", "check": "swap", "severity": "warning", "evidence": "on: /dev/sda2",
                          "consequence": "%s", "remedy": "%s"}]
                        """.formatted(finding.consequence(), finding.remedy())))
                .containsExactly(finding);
    }

    @Test
    void ofANodeThatDoesNotAnswerInTimeNothingIsKnown() {
        assertThat(MachineDoctor.orUnknown(() -> {
                    throw ProblemException.of(ErrorCode.TIMEOUT, "ouro doctor", "did not end", "", "run it by hand");
                }))
                .containsExactly(Finding.unknown("node", "ouro doctor: did not end; run it by hand"));
    }
}
