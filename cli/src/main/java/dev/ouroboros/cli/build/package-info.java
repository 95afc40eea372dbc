/** What only the build of ouro calls. */
@NullMarked
package dev.ouroboros.cli.build;

import org.jspecify.annotations.NullMarked;
