package dev.ouroboros.upgrade.apply;

import dev.ouroboros.upgrade.merge.Preference;

/**
 * One change of the manifests that the cluster is made from.
 *
 * @param manifests the ones before the change
 * @param preference what wins where the cluster and the manifests after the change disagree
 */
record Hop(NamedManifests manifests, Preference preference) {}
