package dev.ouroboros.endpoint;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;

/**
 * A client certificate with its key.
 *
 * @param chain the certificate first, then those that signed it
 */
public record ClientIdentity(PrivateKey key, List<X509Certificate> chain) {
    public ClientIdentity {
        chain = List.copyOf(chain);
        if (chain.isEmpty()) {
            throw new IllegalArgumentException("a client identity needs a certificate");
        }
        if (!key.getAlgorithm().equals(chain.getFirst().getPublicKey().getAlgorithm())) {
            throw new IllegalArgumentException("the key is " + key.getAlgorithm() + ", its certificate "
                    + chain.getFirst().getPublicKey().getAlgorithm());
        }
    }
}
