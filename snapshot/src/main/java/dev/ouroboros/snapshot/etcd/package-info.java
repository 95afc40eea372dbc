/**
 * What etcd 3.4 to 3.6 keeps in its database: the key space with its revisions, members, and where the log stands.
 *
 * @see <a href="https://github.com/etcd-io/etcd/tree/main/server/storage/schema">etcd's schema</a>
 */
@NullMarked
package dev.ouroboros.snapshot.etcd;

import org.jspecify.annotations.NullMarked;
