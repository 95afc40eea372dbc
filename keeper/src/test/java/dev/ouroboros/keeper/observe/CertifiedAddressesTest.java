package dev.ouroboros.keeper.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

final class CertifiedAddressesTest {
    private final CertifiedAddresses addresses = new CertifiedAddresses(Set.of("10.3.0.1"), Set.of("10.0.0.5"));

    @Test
    void theServiceIsInEveryCertificate() {
        assertThat(addresses.missingIn(Set.of("10.0.0.5"))).containsExactly("10.3.0.1");
    }

    /** It got its label after the certificate was made. */
    @Test
    void aNodeMayBeInNone() {
        assertThat(addresses.missingIn(Set.of("10.3.0.1", "10.0.0.2"))).isEmpty();
        addresses.principalPassedWith(Set.of("10.3.0.1", "10.0.0.2"));
        assertThat(addresses.missingIn(Set.of("10.3.0.1"))).isEmpty();
    }

    @Test
    void noCandidateLosesWhatThePrincipalHas() {
        addresses.principalPassedWith(Set.of("10.3.0.1", "10.0.0.5", "10.0.0.2"));

        assertThat(addresses.missingIn(Set.of("10.3.0.1", "10.0.0.2"))).containsExactly("10.0.0.5");
        assertThat(addresses.missingIn(Set.of("10.3.0.1", "10.0.0.5"))).isEmpty();
    }
}
