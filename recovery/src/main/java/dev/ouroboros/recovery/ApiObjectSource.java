package dev.ouroboros.recovery;

import dev.ouroboros.cluster.ClusterReader;
import dev.ouroboros.model.checkpoint.ApiObject;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** The objects that an API server serves. What was deleted it does not remember. */
public final class ApiObjectSource implements ObjectSource {
    private final ClusterReader reader;
    private final String origin;

    public ApiObjectSource(ClusterReader reader, String origin) {
        this.reader = reader;
        this.origin = origin;
    }

    @Override
    public String origin() {
        return origin;
    }

    @Override
    public List<Json.Fields> list(Set<Resource> resources, Predicate<Json> wanted) {
        List<Json.Fields> found = new ArrayList<>();
        for (Resource resource : resources) {
            for (Json item : reader.require(resource.path()).at("items").items()) {
                if (wanted.test(item)) {
                    found.add(resource.named(item));
                }
            }
        }
        return found;
    }

    @Override
    public List<Json.Fields> listDeleted(Set<Resource> resources, Predicate<Json> wanted) {
        return List.of();
    }

    @Override
    public Map<ApiObject, Json.Fields> read(Set<ApiObject> objects) {
        Map<ApiObject, Json.Fields> found = new LinkedHashMap<>();
        for (ApiObject object : objects) {
            Resource resource = Resource.of(object.kind());
            String path = "/api/v1/namespaces/" + object.namespace() + "/" + resource.plural() + "/" + object.name();
            try {
                found.put(object, resource.named(reader.require(path)));
            } catch (ProblemException e) {
                if (e.problems().stream().noneMatch(problem -> problem.code() == ErrorCode.NOT_FOUND)) {
                    throw e;
                }
            }
        }
        return found;
    }

    @Override
    public Map<ApiObject, Json.Fields> readDeleted(Set<ApiObject> objects) {
        return Map.of();
    }

    @Override
    public List<Problem> problems() {
        return List.of();
    }

    @Override
    public List<Problem> damage() {
        return List.of();
    }
}
