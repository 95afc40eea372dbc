package dev.ouroboros.etcd.membership.decide;

/**
 * A member of etcd as it was seen.
 *
 * @param id in hexadecimal
 * @param title what people call it
 * @param isCurrent whether it answers, follows the leader and has nearly all that was agreed on
 */
public record ListedMember(String id, String title, boolean isLearner, boolean isLeader, boolean isCurrent) {}
