/** {@code ouro kubelet}: layer 0, the kubelets of a cluster. */
@NullMarked
package dev.ouroboros.cli.kubelet;

import org.jspecify.annotations.NullMarked;
