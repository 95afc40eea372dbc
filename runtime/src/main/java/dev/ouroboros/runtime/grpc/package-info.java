/**
 * A gRPC client for a server behind a Unix socket of this machine: HTTP/2 (RFC 9113) and HPACK (RFC 7541), as much of them as one
 * call after another on one connection needs.
 *
 * <p>It is here because of its weight: grpc-okhttp adds 10 MiB of resident memory to the keeper and grpc-netty 16, this one less
 * than half of one (docs/benchmark.md).
 */
@NullMarked
package dev.ouroboros.runtime.grpc;

import org.jspecify.annotations.NullMarked;
