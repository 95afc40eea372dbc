package dev.ouroboros.upgrade.merge;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** The order of the keys when two lists are merged into one. */
final class Order {
    private Order() {}

    /** The keys of {@code spine} in its order, each other key behind the one that it follows in {@code added}. */
    static List<String> insert(Collection<String> spine, Collection<String> added) {
        List<String> result = new ArrayList<>(spine);
        Set<String> present = new LinkedHashSet<>(spine);
        int at = 0;
        for (String key : added) {
            if (present.add(key)) {
                result.add(at, key);
                at++;
            } else {
                at = result.indexOf(key) + 1;
            }
        }
        return result;
    }

    /** Those of {@code keys} that the others have too. */
    static List<String> common(Collection<String> keys, Predicate<String> others) {
        return keys.stream().filter(others).toList();
    }
}
