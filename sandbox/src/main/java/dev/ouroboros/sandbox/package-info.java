/**
 * A real cluster on this machine, whose nodes are sets of namespaces. What a sandbox consists of, and where it is looked for when
 * it is taken down:
 *
 * <ul>
 *   <li>a directory on the host ({@link dev.ouroboros.sandbox.SandboxPaths}), which holds the nodes' disk images;
 *   <li>a cgroup in every hierarchy, in which every process of its nodes is, from the first instruction to the last;
 *   <li>a pair of virtual network devices between the host and the switch that its nodes are connected to.
 * </ul>
 *
 * Everything else (mounts, the loop device, network namespaces of pods) lives inside the node's namespaces, and the kernel takes
 * it away when the last process is gone.
 */
@NullMarked
package dev.ouroboros.sandbox;

import org.jspecify.annotations.NullMarked;
