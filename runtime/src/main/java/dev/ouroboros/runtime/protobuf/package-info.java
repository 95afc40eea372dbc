/** The protobuf wire format, as much of it as local gRPC services need. */
@NullMarked
package dev.ouroboros.runtime.protobuf;

import org.jspecify.annotations.NullMarked;
