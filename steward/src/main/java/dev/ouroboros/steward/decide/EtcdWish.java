package dev.ouroboros.steward.decide;

import dev.ouroboros.model.json.Json;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * What the manifests of etcd's members are to have: {@code spec.etcd.image} and {@code spec.etcd.flags}. What is not named stays as it is in each manifest.
 *
 * @param flags by their names without the dashes
 */
public record EtcdWish(Optional<String> image, SortedMap<String, String> flags) {
    private static final Pattern FLAG = Pattern.compile("[a-z][a-z0-9-]*");

    public EtcdWish {
        flags = Collections.unmodifiableSortedMap(new TreeMap<>(flags));
    }

    /** @param etcd the object's {@code spec.etcd} */
    static EtcdWish of(Json etcd) {
        SortedMap<String, String> flags = new TreeMap<>();
        if (etcd.at("flags") instanceof Json.Fields fields) {
            fields.values()
                    .forEach((name, value) -> flags.put(name, value.text().orElse("")));
        }
        return new EtcdWish(etcd.at("image").text(), flags);
    }

    /** Whether nothing is wished: then manifests stay as they are. */
    public boolean isEmpty() {
        return image.isEmpty() && flags.isEmpty();
    }

    /** A name that is not a flag's; empty when all are. */
    public Optional<String> mistake() {
        return flags.keySet().stream()
                .filter(name -> !FLAG.matcher(name).matches())
                .findFirst()
                .map(
                        name -> "spec.etcd.flags has \"" + name
                                + "\", which is no name of a flag: expected one without dashes in front, as in quota-backend-bytes");
    }
}
