/** Leader election of the control plane's components, as client-go does it: whose Lease it is, and whether its holder can still be alive. */
@NullMarked
package dev.ouroboros.model.leader;

import org.jspecify.annotations.NullMarked;
