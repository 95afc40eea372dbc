package dev.ouroboros.status.judge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.decide.Condition;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class KeeperWordTest {
    private static final Set<Condition> AT_REST =
            EnumSet.of(Condition.SERVING, Condition.STANDING_BY, Condition.ELSEWHERE);

    /** Of these the keeper of this node does not know how the component is. */
    private static final Set<Condition> WITHOUT_HEALTH = EnumSet.of(Condition.ELSEWHERE, Condition.PASSIVE);

    private static KeeperWord word(String condition) {
        return new KeeperWord("SCHEDULER", condition, "", "", Optional.empty());
    }

    /** The words are compared as texts, so no compiler notices one that the keeper has learned since. */
    @ParameterizedTest
    @EnumSource
    void knowsEveryConditionOfTheKeeper(Condition condition) {
        KeeperWord word = word(condition.name());

        assertThat(word.next()).isNotEqualTo(word("OF_ANOTHER_VERSION").next());
        assertThat(word.isAtRest()).isEqualTo(AT_REST.contains(condition));
        assertThat(word.health().isEmpty()).isEqualTo(WITHOUT_HEALTH.contains(condition));
    }
}
