package dev.ouroboros.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.etcd.EtcdCluster.Hash;
import dev.ouroboros.model.evidence.Evidence;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class EtcdClusterTest {
    private final SortedMap<String, Evidence<EtcdMemberStatus>> statuses = new TreeMap<>();
    private final SortedMap<String, Evidence<Hash>> hashes = new TreeMap<>();

    private void member(String name, String version, Optional<String> leader, long term, long committed, long applied) {
        statuses.put(
                name,
                Evidence.known(new EtcdMemberStatus(
                        "c1", name, version, leader, term, committed, applied, applied, 1, 1, List.of())));
    }

    private EtcdCluster etcd() {
        List<EtcdMember> members = statuses.keySet().stream()
                .map(name -> new EtcdMember(name, name, List.of(), List.of(), name.startsWith("learner")))
                .toList();
        return new EtcdCluster(members, statuses, hashes, new TreeMap<>(), Evidence.known(List.of()));
    }

    @Test
    void aMemberThatIsCutOffDoesNotSayWhoLeads() {
        member("a", "3.4.23", Optional.of("a"), 2, 10, 10);
        member("b", "3.4.23", Optional.of("c"), 3, 12, 12);
        assertThat(etcd().leader()).contains("c");
        member("b", "3.4.23", Optional.empty(), 4, 12, 12);
        assertThat(etcd().leader()).as("b is in an election").contains("a");
        member("a", "3.4.23", Optional.empty(), 4, 10, 10);
        assertThat(etcd().leader()).isEmpty();
    }

    @Test
    void isBehindWhatTheLeaderKnowsToBeAgreedOn() {
        member("a", "3.4.23", Optional.of("a"), 2, 500, 499);
        member("b", "3.4.23", Optional.of("a"), 2, 300, 299);
        assertThat(behind()).containsExactly(1L, 201L);
        member("c", "3.4.23", Optional.of("a"), 2, 900, 900);
        assertThat(behind()).as("c was asked a moment later").containsExactly(1L, 201L, 0L);
        member("a", "3.4.23", Optional.empty(), 2, 500, 499);
        assertThat(behind()).as("nobody leads").containsExactly(401L, 601L, 0L);
    }

    private List<Long> behind() {
        EtcdCluster etcd = etcd();
        return etcd.told().map(etcd::behind).toList();
    }

    @Test
    void learnersHaveNoVote() {
        member("a", "3.5.30", Optional.of("a"), 2, 1, 1);
        member("learner", "3.5.30", Optional.of("a"), 2, 1, 1);
        assertThat(etcd().majority()).isEqualTo(1);
        assertThat(etcd().answering()).extracting(EtcdMember::id).containsExactly("a");
        assertThat(etcd().following()).extracting(EtcdMember::id).containsExactly("a");
    }

    @Test
    void comparesHashesOfOneRevisionCompactionAndVersion() {
        member("a", "3.4.23", Optional.of("a"), 2, 1, 1);
        member("b", "3.4.23", Optional.of("a"), 2, 1, 1);
        member("c", "3.4.27", Optional.of("a"), 2, 1, 1);
        hashes.put("a", Evidence.known(new Hash(7, 3, 100)));
        hashes.put("b", Evidence.known(new Hash(7, 3, 100)));
        hashes.put("c", Evidence.known(new Hash(7, 3, 200)));
        assertThat(etcd().comparable()).as("another version may hash otherwise").containsOnlyKeys("a", "b");
        assertThat(EtcdCluster.differ(etcd().comparable())).isFalse();
        hashes.put("b", Evidence.known(new Hash(7, 5, 101)));
        assertThat(etcd().comparable()).as("b is compacted further").hasSize(1);
        hashes.put("b", Evidence.known(new Hash(7, 3, 101)));
        assertThat(etcd().comparable()).isEqualTo(Map.of("a", new Hash(7, 3, 100), "b", new Hash(7, 3, 101)));
        assertThat(EtcdCluster.differ(etcd().comparable())).isTrue();
    }
}
