package dev.ouroboros.keeper.agent.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.agent.decide.CopyDuty.Seen;
import dev.ouroboros.keeper.decide.Successor;
import dev.ouroboros.model.evidence.Evidence;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Every combination of what an agent sees, by the rules that must hold for each. */
final class CopyDutyTest {
    private static final Instant NOW = Instant.parse("2026-11-27T00:00:00Z");

    private static List<Seen> all() {
        List<Seen> all = new ArrayList<>();
        for (boolean staticCopy : List.of(true, false)) {
            for (boolean named : List.of(true, false)) {
                for (Evidence<Boolean> right :
                        List.of(Evidence.known(true), Evidence.known(false), Evidence.<Boolean>unknown("foreign"))) {
                    for (Evidence<Successor> successor : successors()) {
                        for (Evidence<Wish> wish : wishes()) {
                            for (Optional<Instant> since : List.of(
                                    Optional.<Instant>empty(),
                                    Optional.of(NOW.minusSeconds(10)),
                                    Optional.of(NOW.minus(CopyDuty.GRACE)))) {
                                all.add(new Seen(staticCopy, named, right, successor, wish, since, NOW));
                                all.add(new Seen(
                                        staticCopy,
                                        named,
                                        right,
                                        successor,
                                        wish,
                                        since,
                                        NOW.minus(CopyDuty.PATIENCE)));
                            }
                        }
                    }
                }
            }
        }
        return all;
    }

    private static List<Evidence<Successor>> successors() {
        List<Evidence<Successor>> all = new ArrayList<>(List.of(Evidence.unknown("disk")));
        for (Successor successor : Successor.values()) {
            all.add(Evidence.known(successor));
        }
        return all;
    }

    private static List<Evidence<Wish>> wishes() {
        List<Evidence<Wish>> all = new ArrayList<>(List.of(Evidence.unknown("no API")));
        for (Wish wish : Wish.values()) {
            all.add(Evidence.known(wish));
        }
        return all;
    }

    @Test
    void theCopyIsWrittenByTheManagedPodAloneAndOnlyWhenItsKeyIsKnownToBeGood() {
        for (Seen seen : all()) {
            assertThat(CopyDuty.of(seen, NOW) == CopyDuty.WRITE)
                    .as("%s", seen)
                    .isEqualTo(!seen.staticCopy()
                            && seen.named()
                            && seen.copyIsRight().is(right -> !right));
        }
    }

    @Test
    void theManagedPodNeverEndsByItself() {
        for (Seen seen : all()) {
            if (!seen.staticCopy()) {
                assertThat(CopyDuty.of(seen, NOW)).as("%s", seen).isIn(CopyDuty.NONE, CopyDuty.WRITE);
            }
        }
    }

    @Test
    void nothingIsRemovedOnUnknownEvidenceOrWhileItIsWanted() {
        for (Seen seen : all()) {
            if (CopyDuty.of(seen, NOW) == CopyDuty.REMOVE) {
                assertThat(seen.staticCopy()).as("%s", seen).isTrue();
                boolean elsewhere = seen.wish().is(Wish.ELSEWHERE::equals);
                boolean nowhereForAMinute = seen.wish().is(Wish.NOWHERE::equals)
                        && seen.nowhereSince()
                                .filter(since -> Duration.between(since, NOW).compareTo(CopyDuty.GRACE) >= 0)
                                .isPresent();
                assertThat(elsewhere || nowhereForAMinute).as("%s", seen).isTrue();
            }
        }
    }

    @Test
    void itGivesWayOnlyToOneThatDecides() {
        for (Seen seen : all()) {
            if (CopyDuty.of(seen, NOW) == CopyDuty.GIVE_WAY) {
                assertThat(seen.successor()).as("%s", seen).isEqualTo(Evidence.known(Successor.DECIDES));
            }
        }
    }

    @Test
    void aCopyThatIsWantedLetsTheManagedPodStartOnceThereIsAnApi() {
        Evidence<Boolean> right = Evidence.known(true);
        Evidence<Successor> waits = Evidence.known(Successor.WAITS);
        Evidence<Wish> here = Evidence.known(Wish.HERE);

        assertThat(CopyDuty.of(new Seen(true, true, right, waits, here, Optional.empty(), NOW), NOW))
                .isEqualTo(CopyDuty.ADMIT);
        assertThat(CopyDuty.of(new Seen(true, false, right, waits, here, Optional.empty(), NOW), NOW))
                .as("it has just begun to look")
                .isEqualTo(CopyDuty.NONE);
    }

    /** Its key may have been replaced while it was off: the pod that has the new one waits for its lock. */
    @Test
    void aCopyThatTheApiDoesNotAnswerAdmitsTheManagedPodToo() {
        Seen refused = new Seen(
                true,
                false,
                Evidence.known(true),
                Evidence.known(Successor.WAITS),
                Evidence.unknown("401"),
                Optional.empty(),
                NOW.minus(CopyDuty.PATIENCE));

        assertThat(CopyDuty.of(refused, NOW)).isEqualTo(CopyDuty.ADMIT);
    }
}
