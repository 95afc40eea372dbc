package dev.ouroboros.upgrade.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.upgrade.decide.ClusterSeen.DeprecatedRequest;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class ClusterSeenTest {
    private static DeprecatedRequest request(String... verbs) {
        return new DeprecatedRequest("batch", "v1beta1", "cronjobs", "1.25", Set.of(verbs));
    }

    private static ClusterSeen of(Map<String, Evidence<List<DeprecatedRequest>>> requests) {
        String why = "not asked";
        return new ClusterSeen(
                Instant.EPOCH,
                Evidence.unknown(why),
                Evidence.unknown(why),
                Evidence.unknown(why),
                Evidence.unknown(why),
                Evidence.unknown(why),
                Evidence.unknown(why),
                requests,
                Map.of(),
                Evidence.unknown(why),
                Evidence.unknown(why),
                Evidence.unknown(why));
    }

    @Test
    void whatSeveralServersTellOfIsOneRequestWithTheVerbsOfAll() {
        assertThat(of(Map.of(
                                "one", Evidence.known(List.of(request("LIST"))),
                                "two", Evidence.known(List.of(request("CREATE"))),
                                "three", Evidence.unknown("does not answer")))
                        .deprecatedRequests())
                .containsExactly(request("CREATE", "LIST"));
    }

    /** It may have been more than the controller manager's housekeeping there. */
    @Test
    void verbsAreNotKnownWhereOneServerDoesNotKnowThem() {
        assertThat(of(Map.of(
                                "one", Evidence.known(List.of(request("LIST"))),
                                "two", Evidence.known(List.of(request()))))
                        .deprecatedRequests())
                .containsExactly(request());
    }

    @Test
    void aServerThatDoesNotTellIsAFindingOfItsOwn() {
        assertThat(of(Map.of("clients of one", Evidence.unknown("does not answer")))
                        .unknownRequests("removed-apis"))
                .singleElement()
                .satisfies(finding -> assertThat(finding.toString()).contains("clients of one", "does not answer"));
    }
}
