package dev.ouroboros.etcd.decide;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.Problem;
import java.util.Optional;

/**
 * What can be seen of a node's etcd.
 *
 * @param staged whether restored data waits, complete
 * @param data whether there is data where etcd looks for it
 * @param aside whether this restore has set former data aside
 * @param manifest whether the kubelet has etcd's manifest
 * @param kept whether our copy of it is there, and is the same where both are
 * @param running whether a process may have the data open
 * @param healthy whether etcd says that it is
 * @param stale whether servers run that were started before etcd was well with the restored data
 * @param kubeletRestarted whether it was, or need not be
 * @param refusal why the last action did not succeed
 */
public record RestoreSeen(
        Evidence<Boolean> staged,
        Evidence<Boolean> data,
        Evidence<Boolean> aside,
        Evidence<Boolean> manifest,
        Evidence<Boolean> kept,
        Evidence<Boolean> running,
        Evidence<Boolean> healthy,
        Evidence<Boolean> stale,
        boolean kubeletRestarted,
        Optional<Problem> refusal) {}
