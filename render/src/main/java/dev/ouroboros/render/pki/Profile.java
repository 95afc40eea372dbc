package dev.ouroboros.render.pki;

import dev.ouroboros.render.cluster.AlternativeName;
import java.util.List;
import java.util.Set;
import javax.security.auth.x500.X500Principal;

/**
 * What a leaf certificate must say.
 *
 * @param commonName the user for clients of the API server
 * @param organizations the user's groups
 * @param names host names and addresses, for servers
 */
public record Profile(String commonName, List<String> organizations, List<AlternativeName> names, Set<Usage> usages) {
    /** What a certificate may be shown for. */
    public enum Usage {
        SERVER("1.3.6.1.5.5.7.3.1"),
        CLIENT("1.3.6.1.5.5.7.3.2");

        private final String identifier;

        Usage(String identifier) {
            this.identifier = identifier;
        }

        /** Object identifier of the extended key usage (RFC 5280, 4.2.1.12). */
        public String identifier() {
            return identifier;
        }
    }

    public Profile {
        organizations = List.copyOf(organizations);
        names = List.copyOf(names);
        usages = Set.copyOf(usages);
    }

    public static Profile client(String commonName, String... organizations) {
        return new Profile(commonName, List.of(organizations), List.of(), Set.of(Usage.CLIENT));
    }

    public static Profile server(String commonName, List<AlternativeName> names, Usage... usages) {
        return new Profile(commonName, List.of(), names, Set.of(usages));
    }

    X500Principal subject() {
        StringBuilder name = new StringBuilder("CN=").append(commonName);
        organizations.forEach(organization -> name.append(",O=").append(organization));
        return new X500Principal(name.toString());
    }
}
