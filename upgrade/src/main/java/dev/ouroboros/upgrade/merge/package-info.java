/** Three-way merge of Kubernetes objects: {@link dev.ouroboros.upgrade.merge.ThreeWay}. */
@NullMarked
package dev.ouroboros.upgrade.merge;

import org.jspecify.annotations.NullMarked;
