/** The command lines of Kubernetes' programs: flags read and set, and which of them make an understudy. Light enough for the keeper. */
@NullMarked
package dev.ouroboros.model.flags;

import org.jspecify.annotations.NullMarked;
