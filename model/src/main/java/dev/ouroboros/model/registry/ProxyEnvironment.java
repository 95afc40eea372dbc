package dev.ouroboros.model.registry;

import dev.ouroboros.model.net.Cidr;
import java.net.InetAddress;
import java.net.URI;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A proxy as the environment of a process names it: {@code HTTP_PROXY}, {@code HTTPS_PROXY}, {@code NO_PROXY}, or in lower case. Read as
 * Go's programs do, so that containerd and we agree.
 *
 * @param http for {@code http} URLs
 * @param https for {@code https} URLs
 * @param direct names, domains, addresses and blocks of addresses that are asked directly
 */
public record ProxyEnvironment(Optional<String> http, Optional<String> https, List<String> direct) {
    public ProxyEnvironment {
        direct = List.copyOf(direct);
    }

    public static ProxyEnvironment none() {
        return new ProxyEnvironment(Optional.empty(), Optional.empty(), List.of());
    }

    public static ProxyEnvironment of(Map<String, String> environment) {
        return new ProxyEnvironment(
                value(environment, "HTTP_PROXY"),
                value(environment, "HTTPS_PROXY"),
                value(environment, "NO_PROXY").stream()
                        .flatMap(names -> Arrays.stream(names.split(",", -1)))
                        .map(String::strip)
                        .filter(name -> !name.isEmpty())
                        .toList());
    }

    private static Optional<String> value(Map<String, String> environment, String name) {
        return Stream.of(name, name.toLowerCase(Locale.ROOT))
                .flatMap(each -> Optional.ofNullable(environment.get(each)).stream())
                .map(String::strip)
                .filter(text -> !text.isEmpty())
                .findFirst();
    }

    public boolean isEmpty() {
        return http.isEmpty() && https.isEmpty();
    }

    /** The same, with more that is asked directly: a cluster's own addresses and names. */
    public ProxyEnvironment asksDirectly(List<String> more) {
        Set<String> all = new LinkedHashSet<>(direct);
        all.addAll(List.of("localhost", "127.0.0.1", "::1"));
        all.addAll(more);
        return new ProxyEnvironment(http, https, List.copyOf(all));
    }

    /** For a child process; none where there is no proxy. In both cases of letters, as programs differ. */
    public Map<String, String> variables() {
        Map<String, String> variables = new TreeMap<>();
        http.ifPresent(value -> both(variables, "HTTP_PROXY", value));
        https.ifPresent(value -> both(variables, "HTTPS_PROXY", value));
        if (!isEmpty()) {
            both(variables, "NO_PROXY", String.join(",", direct));
        }
        return variables;
    }

    private static void both(Map<String, String> variables, String name, String value) {
        variables.put(name, value);
        variables.put(name.toLowerCase(Locale.ROOT), value);
    }

    /** The proxy to ask for an address, if not the server itself; one without a scheme is an HTTP proxy. */
    public Optional<URI> proxyFor(URI address) {
        Optional<String> proxy = "https".equals(address.getScheme()) ? https : http;
        String host = Optional.ofNullable(address.getHost()).orElse("");
        if (proxy.isEmpty() || direct.stream().anyMatch(rule -> matches(rule, host))) {
            return Optional.empty();
        }
        String text = proxy.get();
        try {
            URI uri = URI.create(text.contains("://") ? text : "http://" + text);
            return Optional.of(uri).filter(found -> found.getHost() != null);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static boolean matches(String rule, String host) {
        if (rule.equals("*")) {
            return true;
        }
        Optional<InetAddress> address = Cidr.address(host);
        if (rule.contains("/")) {
            try {
                Cidr block = Cidr.parse(rule);
                return address.isPresent() && block.contains(address.get());
            } catch (IllegalArgumentException e) {
                return false;
            }
        }
        String name = rule.replaceFirst("^\\*?\\.", "").toLowerCase(Locale.ROOT);
        String lower = host.toLowerCase(Locale.ROOT);
        boolean exact = !rule.startsWith(".") && !rule.startsWith("*.") && lower.equals(name);
        return exact || (address.isEmpty() && lower.endsWith("." + name));
    }
}
