/**
 * Reads bbolt files, the format of etcd's database: pages of any size, buckets and their entries in order. What is damaged is
 * noted and passed over; nothing is ever written.
 *
 * @see <a href="https://github.com/etcd-io/bbolt">bbolt</a>
 */
@NullMarked
package dev.ouroboros.snapshot.bolt;

import org.jspecify.annotations.NullMarked;
