package dev.ouroboros.cli.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ouroboros.cli.cluster.TargetHints;
import dev.ouroboros.cli.program.WholeProgram;
import dev.ouroboros.doctor.EtcdMemberExam;
import dev.ouroboros.etcd.EtcdAlarms.Alarm;
import dev.ouroboros.etcd.EtcdAlarms.Kind;
import dev.ouroboros.etcd.EtcdCluster;
import dev.ouroboros.etcd.EtcdCluster.Hash;
import dev.ouroboros.etcd.EtcdMember;
import dev.ouroboros.etcd.EtcdMemberStatus;
import dev.ouroboros.etcd.WalSyncs;
import dev.ouroboros.model.evidence.Evidence;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;

final class EtcdViewTest {
    private static final TargetHints NO_HINTS = TargetHints.of(new CommandLine(new Plain()).getCommandSpec());

    @Command(name = "ouro")
    private static final class Plain implements WholeProgram {
        @Override
        public CommandLine commandLineOf(String... arguments) {
            return new CommandLine(this);
        }

        @Override
        public boolean hasCommand(String name) {
            return false;
        }
    }

    private static EtcdCluster etcd() {
        return new EtcdCluster(
                List.of(
                        new EtcdMember(
                                "a1", "one", List.of("https://10.0.0.1:2380"), List.of("https://10.0.0.1:2379"), false),
                        new EtcdMember(
                                "b2", "two", List.of("https://10.0.0.2:2380"), List.of("https://10.0.0.2:2379"), false),
                        new EtcdMember("c3", "", List.of("https://10.0.0.3:2380"), List.of(), true)),
                new TreeMap<>(Map.of(
                        "a1",
                        Evidence.known(new EtcdMemberStatus(
                                "c", "a1", "3.4.23", Optional.of("a1"), 2, 90, 90, 70, 21 << 20, 20 << 20, List.of())),
                        "b2",
                        Evidence.known(new EtcdMemberStatus(
                                "c",
                                "b2",
                                "3.4.23",
                                Optional.of("a1"),
                                2,
                                88,
                                87,
                                69,
                                22 << 20,
                                20 << 20,
                                List.of())))),
                new TreeMap<>(Map.of(
                        "a1", Evidence.known(new Hash(69, 3, 111)),
                        "b2", Evidence.known(new Hash(69, 3, 112)))),
                new TreeMap<>(Map.of("a1", Evidence.known(new WalSyncs(2000, Duration.ofMillis(12))))),
                Evidence.known(List.of(new Alarm(Kind.NO_SPACE, "a1"))));
    }

    @Test
    void aTableHasEveryMemberAndWhatIsWrong() {
        String text = EtcdView.text(etcd(), EtcdMemberExam.ofAll(etcd()), NO_HINTS);
        assertThat(text.lines())
                .anySatisfy(line -> assertThat(line)
                        .startsWith("one")
                        .contains("leader", "3.4.23", "20.0 MiB", "21.0 MiB", "12.0 ms"))
                .anySatisfy(line -> assertThat(line).startsWith("two").contains("voter", " 3 "))
                .anySatisfy(line -> assertThat(line).startsWith("-").contains("learner", "?", "https://10.0.0.3:2380"))
                .anySatisfy(line -> assertThat(line).startsWith("problem").contains("NOSPACE, raised by member a1"))
                .anySatisfy(line -> assertThat(line)
                        .startsWith("problem")
                        .contains("etcd data: at revision 69 one has the hash 111, two has the hash 112"))
                .anySatisfy(line -> assertThat(line)
                        .startsWith("warning")
                        .contains("c3 (https://10.0.0.3:2380): it was not asked"));
    }

    @Test
    void programsGetTheSame() {
        JsonNode data = EtcdView.data(etcd(), EtcdMemberExam.ofAll(etcd()), NO_HINTS);
        assertThat(data.path("leader").asText()).isEqualTo("a1");
        assertThat(data.at("/members/1/behind").asLong()).isEqualTo(3);
        assertThat(data.at("/members/1/hash/value").asLong()).isEqualTo(112);
        assertThat(data.at("/members/0/walFsync/p99Seconds").asDouble()).isEqualTo(0.012);
        assertThat(data.at("/members/1/walFsync").isMissingNode()).isTrue();
        assertThat(data.at("/members/2/unknown").asText()).isEqualTo("it was not asked");
        assertThat(data.at("/members/2/role").asText()).isEqualTo("learner");
        assertThat(data.at("/findings").size()).isEqualTo(4);
    }
}
