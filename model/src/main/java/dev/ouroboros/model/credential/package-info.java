/** Who somebody is: a certificate and its private key. */
@NullMarked
package dev.ouroboros.model.credential;

import org.jspecify.annotations.NullMarked;
