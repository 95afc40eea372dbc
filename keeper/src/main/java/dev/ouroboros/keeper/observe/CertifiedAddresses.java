package dev.ouroboros.keeper.observe;

import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The addresses that the certificates of a node's API servers have to be good for: the Service's, and of the node's own those that the principal's was good for
 * when it last answered everything. A node that got its label later may be in no certificate: its clients dial other nodes' addresses and are led here.
 */
final class CertifiedAddresses {
    private final Set<String> services;
    private final Set<String> own;
    private final Set<String> ofPrincipal = ConcurrentHashMap.newKeySet();

    CertifiedAddresses(Set<String> services, Set<String> own) {
        this.services = Set.copyOf(services);
        this.own = Set.copyOf(own);
    }

    /** @param names that a certificate is good for */
    Set<String> missingIn(Set<String> names) {
        Set<String> missing = new TreeSet<>(services);
        missing.addAll(ofPrincipal);
        missing.removeAll(names);
        return missing;
    }

    /** The principal has answered everything, with a certificate that is good for these. */
    void principalPassedWith(Set<String> names) {
        own.stream().filter(names::contains).forEach(ofPrincipal::add);
    }
}
