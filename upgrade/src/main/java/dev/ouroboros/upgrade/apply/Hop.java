package dev.ouroboros.upgrade.apply;

import dev.ouroboros.core.merge.Preference;

/**
 * One change of what the cluster is made from.
 *
 * @param manifests those before it
 * @param preference what stands where the cluster and the manifests behind it disagree
 */
record Hop(NamedManifests manifests, Preference preference) {}
