package dev.ouroboros.snapshot.kubernetes;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Nearest;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Finds the resources that people name as they name them to kubectl: plural, singular, kind or short name, each alone or followed by the
 * group ({@code deployments.apps}), the beginning of it, or version and group. Built-in resources are known; custom ones by their
 * definitions in the snapshot, and what has none there by its objects.
 *
 * <p>A full name goes before a short one, and a built-in resource before a custom one of the same name, which its group then tells
 * apart. Of custom resources of one name in several groups all are meant, where kubectl takes the one that the API server prefers.
 */
public final class ResourceCatalogue {
    /** A file full of nonsense could name resources without end. */
    private static final int MOST = 10_000;

    private static final int MOST_SHOWN = 100;
    private static final String DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io";

    private final SortedMap<String, ResourceNames> present = new TreeMap<>();
    private final List<ResourceNames> defined = new ArrayList<>();

    /** Whether the object of this key would tell anything new. */
    public boolean wants(StoredKey key) {
        return (isDefinition(key) && defined.size() < MOST)
                || (!present.containsKey(key.resourceWithGroup()) && present.size() < MOST);
    }

    /** @param type empty when it cannot be known */
    public void add(StoredKey key, Optional<TypeOfValue> type) {
        present.putIfAbsent(key.resourceWithGroup(), ResourceNames.seen(key, type));
    }

    /** Whether the object of this key defines a custom resource. */
    public static boolean isDefinition(StoredKey key) {
        return key.resourceWithGroup().equals(DEFINITIONS);
    }

    public void define(Json definition) {
        ResourceNames.defined(definition).ifPresent(defined::add);
    }

    /**
     * What {@link StoredKey#resourceWithGroup} can be of what people named.
     *
     * @param file for the message
     * @throws ProblemException with every name that nothing has
     */
    public Set<String> stored(Collection<String> names, String file) {
        Set<String> stored = new HashSet<>();
        List<Problem> unknown = new ArrayList<>();
        for (String name : new TreeSet<>(names)) {
            List<ResourceNames> meant = meant(name.toLowerCase(Locale.ROOT));
            meant.forEach(resource -> stored.addAll(resource.stored()));
            if (meant.isEmpty()) {
                unknown.add(unknown(name, file));
            }
        }
        if (!unknown.isEmpty()) {
            throw new ProblemException(unknown);
        }
        return stored;
    }

    private List<ResourceNames> meant(String name) {
        int dot = name.indexOf('.');
        String word = dot < 0 ? name : name.substring(0, dot);
        List<Function<ResourceNames, Set<String>>> order = List.of(ResourceNames::full, ResourceNames::shortNames);
        for (var kindOfName : order) {
            for (List<ResourceNames> resources : List.of(ResourceNames.builtIn(), custom())) {
                List<ResourceNames> found = resources.stream()
                        .filter(resource -> kindOfName.apply(resource).contains(word))
                        .filter(resource -> dot < 0 || resource.isServedBy(name.substring(dot + 1)))
                        .toList();
                if (!found.isEmpty()) {
                    return found;
                }
            }
        }
        return List.of();
    }

    private List<ResourceNames> custom() {
        return Stream.concat(defined.stream(), present.values().stream()).toList();
    }

    private Problem unknown(String name, String file) {
        String there =
                String.join(", ", present.keySet().stream().limit(MOST_SHOWN).toList());
        return new Problem(
                ErrorCode.INVALID_FLAG,
                "--resource",
                "'" + name + "' is no resource that Kubernetes has or that " + file + " defines",
                there.isEmpty() ? "" : "one of those in it: " + there + (present.size() > MOST_SHOWN ? ", ..." : ""),
                nearest(name)
                        .map(near -> "did you mean " + near + "?")
                        .orElse("name it as kubectl does: pods, po, Deployment, deployments.apps"));
    }

    /** What is in the file is likelier to be meant than what is not. */
    private Optional<String> nearest(String name) {
        Set<String> known = new TreeSet<>();
        Stream.concat(ResourceNames.builtIn().stream(), defined.stream()).forEach(resource -> {
            known.add(resource.plural());
            known.addAll(resource.shortNames());
        });
        return Nearest.to(name, present.keySet()).or(() -> Nearest.to(name, known));
    }
}
