package dev.ouroboros.host.decide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.ouroboros.host.decide.HostPlan.Entry;
import dev.ouroboros.host.decide.HostPlan.Step;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class HostPlanTest {
    private static final String PATH = "/etc/file";

    /** One wanted file whose content has digest {@code new}. */
    private static Step step(HostRecord record, Map<String, String> present) {
        HostFile file = HostFile.readable(PATH, "a file", "text");
        return HostPlan.of(List.of(file), Map.of(PATH, "new"), record, present)
                .entries()
                .getFirst()
                .step();
    }

    private static HostRecord wrote(String digest) {
        return HostRecord.empty().written(Map.of(PATH, digest));
    }

    @Test
    void writesWhatIsMissing() {
        assertThat(step(HostRecord.empty(), Map.of())).isEqualTo(Step.WRITE);
        assertThat(step(wrote("old"), Map.of())).isEqualTo(Step.WRITE);
    }

    @Test
    void replacesItsOwnOnly() {
        assertThat(step(wrote("old"), Map.of(PATH, "old"))).isEqualTo(Step.WRITE);
        assertThat(step(wrote("old"), Map.of(PATH, "else"))).isEqualTo(Step.EDITED);
        assertThat(step(HostRecord.empty(), Map.of(PATH, "else"))).isEqualTo(Step.FOREIGN);
    }

    @Test
    void leavesWhatIsRightWhoeverWroteIt() {
        assertThat(step(HostRecord.empty(), Map.of(PATH, "new"))).isEqualTo(Step.KEEP);
        assertThat(step(wrote("old"), Map.of(PATH, "new"))).isEqualTo(Step.KEEP);
    }

    @Test
    void aRunThatWasKilledHalfWayIsNoEdit() {
        HostRecord during = wrote("old").writing(Map.of(PATH, "newer"));

        assertThat(step(during, Map.of(PATH, "old"))).isEqualTo(Step.WRITE);
        assertThat(step(during, Map.of(PATH, "newer"))).isEqualTo(Step.WRITE);
        assertThat(step(during, Map.of(PATH, "else"))).isEqualTo(Step.EDITED);
    }

    @Test
    void takesAwayWhatIsWantedNoMoreUnlessItWasEdited() {
        HostRecord record = HostRecord.empty().written(Map.of("/etc/gone", "a", "/etc/edited", "b", "/etc/ours", "c"));

        HostPlan plan = HostPlan.of(List.of(), Map.of(), record, Map.of("/etc/edited", "x", "/etc/ours", "c"));

        assertThat(plan.entries())
                .extracting(Entry::path, Entry::step)
                .containsExactly(tuple("/etc/edited", Step.EDITED), tuple("/etc/ours", Step.REMOVE));
    }

    @Test
    void aRecordIsReadAsItWasWritten() {
        HostRecord record = wrote("a")
                .writing(Map.of(PATH, "b"))
                .withDirectory("/etc/x")
                .withEnabled("kubelet.service")
                .withRestart("kubelet.service")
                .withRestart("containerd.service")
                .restarted("containerd.service")
                .withSysctl("net/ipv4/ip_forward", "0")
                .withSysctl("net/ipv4/ip_forward", "1")
                .withPackages(List.of("runc"))
                .withNode(new HostRecord.Node("one", InetAddress.ofLiteral("10.0.0.5"), CgroupDriver.CGROUPFS));

        HostRecord read = HostRecord.parse(new String(record.json(), StandardCharsets.UTF_8), "it");

        assertThat(read).isEqualTo(record);
        assertThat(read.sysctls()).containsEntry("net/ipv4/ip_forward", "0");
        HostRecord rest = record.ofDataAlone(List.of("/etc/x"));
        assertThat(HostRecord.parse(new String(rest.json(), StandardCharsets.UTF_8), "it"))
                .isEqualTo(rest);
        assertThat(rest.isOfDataAlone()).isTrue();
    }

    /** It read one character of each variable: 25000000 as 2, and 10 as 1. */
    @Test
    void ofWhatAnEarlierVersionReadOnlyWhatCannotBeCutOffIsBelieved() {
        HostRecord read = HostRecord.parse("""
                {"apiVersion": "ouroboros.dev/v1alpha1", "kind": "HostManifest", "sysctls": {
                  "kernel/keys/root_maxbytes": "2", "kernel/panic": "1", "kernel/panic_on_oops": "0",
                  "net/ipv4/ip_forward": "0", "vm/overcommit_memory": "2"}}
                """, "it");

        assertThat(read.sysctls())
                .containsOnlyKeys("kernel/panic_on_oops", "net/ipv4/ip_forward", "vm/overcommit_memory");
    }

    @Test
    void aTornRecordIsNotTakenForNone() {
        for (String torn :
                List.of("", "{", "{}", "{\"apiVersion\": \"ouroboros.dev/v1alpha1\", \"kind\": \"Cluster\"}")) {
            assertThatThrownBy(() -> HostRecord.parse(torn, "it"))
                    .isInstanceOfSatisfying(
                            ProblemException.class,
                            problem -> assertThat(problem.problems())
                                    .extracting(each -> each.code())
                                    .containsExactly(ErrorCode.DAMAGED_FILE));
        }
    }
}
