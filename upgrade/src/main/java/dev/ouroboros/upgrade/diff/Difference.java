package dev.ouroboros.upgrade.diff;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * A place at which two sides do not say the same.
 *
 * @param object as in {@code DaemonSet kube-system/kube-apiserver}
 * @param path in it; empty when it is the object itself
 * @param values of the sides that could be asked about it; empty for one that has nothing there
 */
public record Difference(String object, String path, Map<Side, Optional<String>> values) {
    public Difference {
        values = Map.copyOf(values);
    }

    static Difference of(String object, String path, Map<Side, Optional<String>> values) {
        return new Difference(object, path, new EnumMap<>(values));
    }
}
