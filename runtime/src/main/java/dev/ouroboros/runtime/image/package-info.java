/**
 * Images that outlive their collection: exported from containerd to a file, and put back when it has lost them. Through the API
 * that containerd serves on the socket of the kubelet, because the Container Runtime Interface can neither export nor import.
 *
 * <p>Field numbers are those of containerd's public {@code api/services} (content, images and leases, all v1).
 */
@NullMarked
package dev.ouroboros.runtime.image;

import org.jspecify.annotations.NullMarked;
