@NullMarked
package dev.ouroboros.node.http;

import org.jspecify.annotations.NullMarked;
