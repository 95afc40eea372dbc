@NullMarked
package dev.ouroboros.runtime.grpc;

import org.jspecify.annotations.NullMarked;
