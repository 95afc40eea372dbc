package dev.ouroboros.model.asset;

import dev.ouroboros.model.digest.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.SortedMap;

/**
 * Names of immutable objects, ending in a hash of their content: a change of content is then a change of the pod template that names
 * it (docs/architecture.md, rule 4). The same content has the same name, whether render made it or a change of the living cluster.
 */
public final class HashedName {
    private static final int HASH_LENGTH = 10;
    private static final String SUFFIX = "-[0-9a-f]{" + HASH_LENGTH + "}$";

    private HashedName() {}

    /** @param content texts by key */
    public static String of(String base, SortedMap<String, String> content) {
        return base + "-" + hash(content);
    }

    /** What {@link #of} began with; a name without a hash is its own base. */
    public static String baseOf(String name) {
        return name.replaceFirst(SUFFIX, "");
    }

    private static String hash(SortedMap<String, String> content) {
        MessageDigest digest = Sha256.begin();
        content.forEach((key, text) -> {
            // Lengths first, so that no two different contents feed the same bytes.
            digest.update((key.length() + ":" + key + text.length() + ":" + text).getBytes(StandardCharsets.UTF_8));
        });
        return Sha256.hex(digest).substring(0, HASH_LENGTH);
    }
}
