package dev.ouroboros.etcd.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.etcd.EtcdAlarms.Alarm;
import dev.ouroboros.etcd.EtcdAlarms.Kind;
import dev.ouroboros.etcd.EtcdCluster;
import dev.ouroboros.etcd.EtcdMember;
import dev.ouroboros.etcd.EtcdMemberStatus;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ProblemException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DefragmentationPreflightTest {
    private static final EtcdMember MEMBER = new EtcdMember("a", "m0", List.of("https://a:2380"), List.of(), false);
    private static final Evidence<List<Alarm>> NO_ALARM = Evidence.known(List.of());

    private static EtcdCluster cluster(String version, Evidence<List<Alarm>> alarms) {
        EtcdMemberStatus status =
                new EtcdMemberStatus("c", "a", version, Optional.of("a"), 1, 10, 10, 10, 1 << 20, 1 << 10, List.of());
        return new EtcdCluster(
                List.of(MEMBER), new TreeMap<>(Map.of("a", Evidence.known(status))), new TreeMap<>(), alarms);
    }

    private static void require(EtcdCluster cluster) {
        new DefragmentationPreflight(cluster).require(List.of(MEMBER));
    }

    @ParameterizedTest
    @CsvSource({"3.5.0, false", "3.5.5, false", "3.5.6, true", "3.4.23, true", "3.6.4, true"})
    void aReleaseThatMayDifferFromTheOthersAfterwardsIsRefused(String version, boolean taken) {
        if (taken) {
            assertThatCode(() -> require(cluster(version, NO_ALARM))).doesNotThrowAnyException();
        } else {
            assertThatThrownBy(() -> require(cluster(version, NO_ALARM)))
                    .isInstanceOf(ProblemException.class)
                    .hasMessageContaining("3.5.6 or later");
        }
    }

    @Test
    void dataThatDifferAreLeftAsTheyAreAndSoIsAnEtcdThatDoesNotSay() {
        Evidence<List<Alarm>> corrupt = Evidence.known(List.of(new Alarm(Kind.CORRUPT, "a")));
        assertThatThrownBy(() -> require(cluster("3.5.30", corrupt))).hasMessageContaining("CORRUPT");
        assertThatThrownBy(() -> require(cluster("3.5.30", Evidence.unknown("no answer"))))
                .hasMessageContaining("no answer");
    }

    @Test
    void oneThatIsFullIsKnown() {
        EtcdCluster full = cluster("3.5.30", Evidence.known(List.of(new Alarm(Kind.NO_SPACE, "b"))));
        assertThat(new DefragmentationPreflight(full).isFull()).isTrue();
        assertThatCode(() -> require(full)).doesNotThrowAnyException();
    }
}
