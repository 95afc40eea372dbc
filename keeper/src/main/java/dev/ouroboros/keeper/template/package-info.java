/** Which changes of a template keep an old and a new API server from running on one etcd together: pure. */
@NullMarked
package dev.ouroboros.keeper.template;

import org.jspecify.annotations.NullMarked;
