package dev.ouroboros.render.cluster;

import dev.ouroboros.model.net.Cidr;
import java.net.InetAddress;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** A name a certificate is valid for. */
public sealed interface AlternativeName {
    /** The value as a string, in one spelling. */
    String value();

    record Dns(String value) implements AlternativeName {
        private static final Pattern SYNTAX =
                Pattern.compile("(\\*\\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

        public Dns {
            value = value.toLowerCase(Locale.ROOT);
            if (!SYNTAX.matcher(value).matches()) {
                throw new IllegalArgumentException("not a DNS name: " + value);
            }
        }
    }

    record Ip(InetAddress address) implements AlternativeName {
        @Override
        public String value() {
            return address.getHostAddress();
        }
    }

    /** The name that matches a host of a URL; empty when it is neither an address nor a DNS name. */
    static Optional<AlternativeName> ofHost(String host) {
        String bare = host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
        Optional<InetAddress> address = Cidr.address(bare);
        if (address.isPresent()) {
            return Optional.of(new Ip(address.get()));
        }
        return dns(bare);
    }

    /** Parses bootkube's form, {@code IP=10.0.0.1} or {@code DNS=name}; empty when it is neither. */
    static Optional<AlternativeName> parse(String text) {
        if (text.startsWith("IP=")) {
            return Cidr.address(text.substring(3)).map(Ip::new);
        }
        return text.startsWith("DNS=") ? dns(text.substring(4)) : Optional.empty();
    }

    private static Optional<AlternativeName> dns(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        // 1.2.3 or 300.1.1.1 is a mistyped address, not a name.
        boolean numeric = lower.chars().allMatch(c -> c == '.' || (c >= '0' && c <= '9'));
        return !numeric && Dns.SYNTAX.matcher(lower).matches() ? Optional.of(new Dns(lower)) : Optional.empty();
    }
}
