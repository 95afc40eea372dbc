/** Three-way merge of Kubernetes objects: {@link dev.ouroboros.core.merge.ThreeWay}. */
@NullMarked
package dev.ouroboros.core.merge;

import org.jspecify.annotations.NullMarked;
