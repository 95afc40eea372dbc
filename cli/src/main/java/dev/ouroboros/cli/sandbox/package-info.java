/** Sandboxes: {@code ouro up}, {@code down}, {@code reboot}, {@code exec}, {@code nodes}, {@code node} and {@code kubeconfig}. */
@NullMarked
package dev.ouroboros.cli.sandbox;

import org.jspecify.annotations.NullMarked;
