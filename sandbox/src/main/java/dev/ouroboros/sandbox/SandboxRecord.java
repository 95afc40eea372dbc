package dev.ouroboros.sandbox;

import dev.ouroboros.sandbox.node.Subnet;
import java.time.Instant;

/**
 * What is decided once for a sandbox, and kept.
 *
 * @param subnet its network
 * @param created when
 */
public record SandboxRecord(Subnet subnet, Instant created) {}
