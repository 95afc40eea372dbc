/**
 * A real cluster on this machine, whose node is a set of namespaces. What a sandbox consists of, and where it is looked for when
 * it is taken down:
 *
 * <ul>
 *   <li>a directory on the host ({@link dev.ouroboros.sandbox.SandboxPaths}), which holds the node's disk image;
 *   <li>a cgroup in every hierarchy, in which every process of the node is, from the first instruction to the last;
 *   <li>a pair of virtual network devices between the host and the node.
 * </ul>
 *
 * Everything else (mounts, the loop device, network namespaces of pods) lives inside the node's namespaces, and the kernel takes
 * it away when the last process is gone.
 */
@NullMarked
package dev.ouroboros.sandbox;

import org.jspecify.annotations.NullMarked;
