package dev.ouroboros.keeper.decide;

import java.time.Instant;

/**
 * Where a component stands, for people.
 *
 * @param condition in a word
 * @param waitsFor what must happen for the next move; empty when it is at rest
 * @param since when it entered the condition, by the keeper's own clock
 */
public record Status(Condition condition, String waitsFor, Instant since) {}
