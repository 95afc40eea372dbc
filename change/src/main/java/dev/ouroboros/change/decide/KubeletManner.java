package dev.ouroboros.change.decide;

import java.time.Duration;

/**
 * How one node follows the other when kubelets are exchanged.
 *
 * @param settle how long a node has to be Ready before the next
 * @param isDraining whether pods leave a node first where the change is not to be done under them
 */
public record KubeletManner(Duration settle, boolean isDraining) {}
