package dev.ouroboros.doctor;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.status.seen.NodeSeen;
import java.util.Set;

/**
 * What a node's disk and programs have for its check-up.
 *
 * @param name its host name
 * @param seen unknown when it cannot be looked at from here
 * @param archives names of the files that its keeper keeps images in
 */
public record NodeChart(String name, Evidence<NodeSeen> seen, Evidence<Set<String>> archives) {}
