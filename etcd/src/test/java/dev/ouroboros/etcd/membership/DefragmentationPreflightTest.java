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

    private static EtcdCluster cluster(String version, Evidence<List<Alarm>> alarms, long bytes, long used) {
        EtcdMemberStatus status =
                new EtcdMemberStatus("c", "a", version, Optional.of("a"), 1, 10, 10, 10, bytes, used, List.of());
        return new EtcdCluster(
                List.of(MEMBER),
                new TreeMap<>(Map.of("a", Evidence.known(status))),
                new TreeMap<>(),
                new TreeMap<>(),
                alarms);
    }

    private static EtcdCluster fragmented(String version, Evidence<List<Alarm>> alarms) {
        return cluster(version, alarms, 100L << 20, 55L << 20);
    }

    private static EtcdCluster cluster(String version, Evidence<List<Alarm>> alarms) {
        return cluster(version, alarms, 1 << 20, 1 << 10);
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
    void whatIsWorthItIsDoneUnaskedOnlyWhereNothingSpeaksAgainstIt() {
        assertThat(MemberDefragmenter.worthwhile(fragmented("3.4.23", NO_ALARM)))
                .containsExactly("a");
        assertThat(MemberDefragmenter.worthwhile(cluster("3.4.23", NO_ALARM, 100L << 20, 56L << 20)))
                .as("44 % are not in use")
                .isEmpty();
        assertThat(MemberDefragmenter.worthwhile(cluster("3.4.23", NO_ALARM, (100L << 20) - 1, 1)))
                .as("it is small")
                .isEmpty();
        assertThat(MemberDefragmenter.worthwhile(cluster("3.4.23", NO_ALARM, 8L << 30, (2L << 30) + 1)))
                .as("it would take long")
                .isEmpty();
        assertThat(MemberDefragmenter.worthwhile(fragmented("3.5.5", NO_ALARM)))
                .as("of this release")
                .isEmpty();
        assertThat(MemberDefragmenter.worthwhile(fragmented("3.5.30", Evidence.unknown("no answer"))))
                .as("it does not say whether an alarm is raised")
                .isEmpty();
        assertThat(MemberDefragmenter.worthwhile(
                        fragmented("3.5.30", Evidence.known(List.of(new Alarm(Kind.NO_SPACE, "a"))))))
                .as("somebody has to see to what fills it")
                .isEmpty();
    }

    @Test
    void oneThatIsFullIsKnown() {
        EtcdCluster full = cluster("3.5.30", Evidence.known(List.of(new Alarm(Kind.NO_SPACE, "b"))));
        assertThat(new DefragmentationPreflight(full).isFull()).isTrue();
        assertThatCode(() -> require(full)).doesNotThrowAnyException();
    }
}
