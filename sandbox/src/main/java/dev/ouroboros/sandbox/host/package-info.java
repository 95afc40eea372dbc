/** What of this machine a sandbox uses: control groups, network devices, loop devices, processes. */
@NullMarked
package dev.ouroboros.sandbox.host;

import org.jspecify.annotations.NullMarked;
