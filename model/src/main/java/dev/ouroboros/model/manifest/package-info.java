/** Objects of a control plane as its manifests or its API have them: workloads, the files they mount, why a pod of theirs does not run. */
@NullMarked
package dev.ouroboros.model.manifest;

import org.jspecify.annotations.NullMarked;
