package dev.ouroboros.endpoint;

import dev.ouroboros.model.credential.Credential;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;

/**
 * A client certificate with its key.
 *
 * @param chain the certificate first, then those that signed it
 */
public record ClientIdentity(PrivateKey key, List<X509Certificate> chain) {
    /** Algorithms of keys that are tried out against their certificates. No cluster is known to use others; those are left to the server. */
    private static final Set<String> TRIED = Set.of("RSA", "EC");

    public ClientIdentity {
        chain = List.copyOf(chain);
        if (chain.isEmpty()) {
            throw new IllegalArgumentException("a client identity needs a certificate");
        }
        if (!key.getAlgorithm().equals(chain.getFirst().getPublicKey().getAlgorithm())) {
            throw new IllegalArgumentException("the key is " + key.getAlgorithm() + ", its certificate "
                    + chain.getFirst().getPublicKey().getAlgorithm());
        }
        if (TRIED.contains(key.getAlgorithm()) && !new Credential(chain.getFirst(), key).fits()) {
            throw new IllegalArgumentException("the key is another certificate's");
        }
    }
}
