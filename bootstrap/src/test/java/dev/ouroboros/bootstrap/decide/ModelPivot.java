package dev.ouroboros.bootstrap.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.bootstrap.decide.PivotObservation.Front;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.start.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;

/** A pivot of a {@link ModelPivotNode}, which checks at each step what must always hold. */
final class ModelPivot {
    /** How many steps are more than any pivot takes. */
    static final int TICKS = 4000;

    static final PivotSettings USUAL =
            new PivotSettings(Duration.ofSeconds(1), Duration.ofMinutes(5), Duration.ofSeconds(15), 4, false);

    private final PivotSettings settings;

    ModelPivot(PivotSettings settings) {
        this.settings = settings;
    }

    PivotSettings settings() {
        return settings;
    }

    /** What decides about a node. */
    Pivot pivot(ModelPivotNode node) {
        return new Pivot(settings, handover(node));
    }

    private static Handover handover(ModelPivotNode node) {
        return node.sharedPort ? Handover.OUTAGE : Handover.FRONT;
    }

    /** Runs a pivot in the model until it ends, and checks after every step what must always hold. */
    PivotState run(ModelPivotNode node, PivotState from) {
        PivotState state = from;
        Set<Phase> seen = EnumSet.of(state.phase());
        for (int i = 0; i < TICKS && !state.phase().isFinal(); i++) {
            state = step(node, state);
            seen.add(state.phase());
        }
        assertThat(state.phase().isFinal()).as("ends, having seen %s", seen).isTrue();
        return state;
    }

    PivotState untilSelfHosting(ModelPivotNode node) {
        PivotState state = PivotState.initial(node.now);
        while (state.phase() != Phase.SELF_HOSTING) {
            state = step(node, state);
        }
        return state;
    }

    PivotState during(int seconds, ModelPivotNode node, PivotState from) {
        PivotState state = from;
        Instant end = node.now.plusSeconds(seconds);
        while (node.now.isBefore(end)) {
            state = step(node, state);
        }
        return state;
    }

    PivotState untilWellPastTheTimeToStart(ModelPivotNode node) {
        return during(90, node, untilSelfHosting(node));
    }

    /** Decides and acts once, and lets time pass. */
    PivotState step(ModelPivotNode node, PivotState state) {
        boolean frontLedToUnderstudy = node.front == Front.UNDERSTUDY;
        PivotDecision decision = pivot(node).decide(node.observe(), state, node.now);
        decision.actions().forEach(planned -> {
            if (planned.action() instanceof PivotAction.PointFrontToPrincipal && frontLedToUnderstudy) {
                boolean givingUp = planned.reason() == PivotReason.GIVING_UP;
                assertThat(node.principalReady() || givingUp)
                        .as("traffic leaves the understudy only for a ready principal")
                        .isTrue();
            }
            if (planned.action() instanceof PivotAction.RemoveManifest(Component component)
                    && component == Component.API_SERVER
                    && planned.reason() != PivotReason.GIVING_UP) {
                assertThat(node.sharedPort ? Front.PRINCIPAL : node.front)
                        .as("the front leads away before its target is removed")
                        .isEqualTo(Front.PRINCIPAL);
            }
            node.perform(planned.action());
        });
        node.tick();
        return decision.state();
    }
}
