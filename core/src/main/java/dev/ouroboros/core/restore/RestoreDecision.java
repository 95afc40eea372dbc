package dev.ouroboros.core.restore;

import java.util.Optional;

/**
 * What to do now.
 *
 * @param state to be persisted before the action is performed
 * @param waitingFor what has to happen otherwise, for people; empty when nothing is waited for
 */
public record RestoreDecision(RestoreState state, Optional<RestoreAction> action, String waitingFor) {}
