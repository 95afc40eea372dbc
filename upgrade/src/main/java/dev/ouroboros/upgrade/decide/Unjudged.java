package dev.ouroboros.upgrade.decide;

/**
 * A change on which a plan gives no judgement.
 *
 * @param object where it stands
 * @param what nobody has judged
 */
public record Unjudged(String object, String what) {}
