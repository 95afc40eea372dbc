@NullMarked
package dev.ouroboros.runtime.protobuf;

import org.jspecify.annotations.NullMarked;
