package dev.ouroboros.upgrade.decide;

import dev.ouroboros.render.config.Field;
import dev.ouroboros.render.config.Located;
import dev.ouroboros.render.config.Settings;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The Cluster document that a target comes from, and the address in the kubeconfigs, which no manifest shows.
 *
 * @param settings with their places; empty when there is no document
 * @param endpointBefore address in the kubeconfig of the asset directory; empty when that has none
 * @param endpoint address in the target's kubeconfig
 */
public record DocumentChange(Settings settings, Optional<String> endpointBefore, Optional<String> endpoint) {
    /** Nobody gave a document. */
    public static final DocumentChange NONE =
            new DocumentChange(Settings.builder().build(), Optional.empty(), Optional.empty());

    /** Where a field is set: file, line and path; or its path, when it is left out. */
    String where(String path) {
        return Arrays.stream(Field.values())
                .filter(field -> field.path().equals(path))
                .flatMap(field -> Stream.concat(settings.text(field).stream(), settings.list(field).stream()))
                .map(Located::where)
                .findFirst()
                .orElse(path);
    }

    /** Where a flag is set in the extra arguments of a component; empty when it is not. */
    Optional<String> whereExtra(String component, String flag) {
        return Arrays.stream(Field.values())
                .filter(field -> field.path().equals("spec.extraArgs." + component))
                .flatMap(field -> Optional.ofNullable(settings.map(field).get(flag)).stream())
                .map(Located::where)
                .findFirst();
    }
}
