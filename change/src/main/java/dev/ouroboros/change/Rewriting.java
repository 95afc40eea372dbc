package dev.ouroboros.change;

import dev.ouroboros.cluster.ClusterWriter.Outcome;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.procedure.Patience;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Has every object of some resources written with the key that writes now, and proves it.
 *
 * <p>A server that is given an object without a difference writes it only when it is not stored with its first key (kubernetes,
 * storage/etcd3/store.go, GuaranteedUpdate: {@code stale}), and then it has another resource version. So each object is given to the
 * server until its version stays: that is the server's own word that it is stored with the new key. An object that somebody else wrote
 * meanwhile was written with that key too, because every server writes with it before this begins.
 */
final class Rewriting {
    private static final int TRIES = 3;
    private static final String WILDCARD = "*";
    private static final Set<String> VERBS = Set.of("list", "get", "update");

    private final ChangeApi api;
    private final Patience patience;

    /** Of a group's version: {@code /api/v1} or {@code /apis/GROUP/VERSION}. */
    private record Resource(String root, String plural, boolean namespaced) {
        String collection() {
            return root + "/" + plural;
        }

        String path(Json object) {
            String namespace = object.at("metadata", "namespace").text().orElse("");
            return root + (namespaced ? "/namespaces/" + namespace : "") + "/" + plural + "/"
                    + object.at("metadata", "name").text().orElse("");
        }
    }

    Rewriting(ChangeApi api, Patience patience) {
        this.api = api;
        this.patience = patience;
    }

    /**
     * Does it; what is done already is proven again.
     *
     * @param resources as an EncryptionConfiguration names them: {@code secrets}, {@code deployments.apps}, {@code *.apps}, {@code *.*}
     * @return of how many objects it is proven
     */
    int run(List<String> resources) {
        Set<Resource> all = new LinkedHashSet<>();
        resources.forEach(name -> all.addAll(patience.asking(() -> named(name))));
        int proven = 0;
        for (Resource resource : all) {
            List<String> paths = patience.asking(() -> api.list(resource.collection(), "").stream()
                    .map(resource::path)
                    .toList());
            for (String path : paths) {
                proven += patience.asking(() -> prove(path)) ? 1 : 0;
            }
        }
        return proven;
    }

    private List<Resource> named(String name) {
        int dot = name.indexOf('.');
        String plural = dot < 0 ? name : name.substring(0, dot);
        String group = dot < 0 ? "" : name.substring(dot + 1);
        List<Resource> found = new ArrayList<>();
        for (String root : roots(group)) {
            for (Json resource : api.read(root).at("resources").items()) {
                String own = resource.at("name").text().orElse("");
                List<String> verbs = resource.at("verbs").items().stream()
                        .flatMap(verb -> verb.text().stream())
                        .toList();
                if ((plural.equals(WILDCARD) || plural.equals(own)) && !own.contains("/") && verbs.containsAll(VERBS)) {
                    found.add(new Resource(root, own, resource.at("namespaced").isTrue()));
                }
            }
        }
        return found;
    }

    /** Where a group is served; nowhere when the server does not know it, and then it stores nothing of it either. */
    private List<String> roots(String group) {
        if (group.isEmpty()) {
            return List.of("/api/v1");
        }
        List<String> roots = new ArrayList<>();
        if (group.equals(WILDCARD)) {
            roots.add("/api/v1");
        }
        for (Json known : api.read("/apis").at("groups").items()) {
            if (group.equals(WILDCARD) || known.at("name").equals(Json.text(group))) {
                known.at("preferredVersion", "groupVersion").text().ifPresent(version -> roots.add("/apis/" + version));
            }
        }
        return roots;
    }

    /** Whether it is there and proven. */
    private boolean prove(String path) {
        Json object;
        try {
            object = api.read(path);
        } catch (ProblemException e) {
            if (e.problems().getFirst().code() == ErrorCode.NOT_FOUND) {
                return false;
            }
            throw e;
        }
        for (int attempt = 0; attempt < TRIES; attempt++) {
            Optional<String> before = version(object);
            switch (api.replace(path, object)) {
                case Outcome.Written(Json now) -> {
                    if (version(now).equals(before)) {
                        return true;
                    }
                    object = now;
                }
                case Outcome.Conflict() -> {
                    return true;
                }
                case Outcome.Gone() -> {
                    return false;
                }
            }
        }
        throw ProblemException.of(
                ErrorCode.COMPONENT_FAILED,
                path,
                "was written " + TRIES + " times and is still not stored as the server would store it",
                "the same object again without another resource version",
                "see whether all API servers run the same template, or whether a webhook changes the object each time");
    }

    private static Optional<String> version(Json object) {
        return object.at("metadata", "resourceVersion").text();
    }
}
