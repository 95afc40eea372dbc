package dev.ouroboros.status.seen;

import dev.ouroboros.model.evidence.Evidence;
import java.time.Instant;

/**
 * Everything that was asked.
 *
 * @param at when
 * @param api unknown when there is nobody to ask: no kubeconfig, or one that cannot be used
 * @param node unknown when this is not a node, or one that we may not read
 */
public record Seen(Instant at, Evidence<ApiSeen> api, Evidence<NodeSeen> node) {}
