package dev.ouroboros.change;

import dev.ouroboros.cluster.ClusterReader;
import dev.ouroboros.cluster.ClusterWriter;
import dev.ouroboros.cluster.ClusterWriter.Outcome;
import dev.ouroboros.model.json.Json;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A real one. Lists are read in parts, so that none is too large for a request's time. */
final class ClusterChangeApi implements ChangeApi {
    private static final int PART = 100;

    private final ClusterReader reader;
    private final ClusterWriter writer;

    ClusterChangeApi(ClusterReader reader, ClusterWriter writer) {
        this.reader = reader;
        this.writer = writer;
    }

    @Override
    public Json read(String path) {
        return reader.require(path);
    }

    @Override
    public List<Json> list(String collection, String query) {
        List<Json> all = new ArrayList<>();
        String next = "";
        do {
            Json part = reader.require(collection + "?limit=" + PART + (query.isEmpty() ? "" : "&" + query)
                    + (next.isEmpty() ? "" : "&continue=" + URLEncoder.encode(next, StandardCharsets.UTF_8)));
            String kind = part.at("kind").text().orElse("").replaceFirst("List$", "");
            // Elements of a list leave out what the list says.
            part.at("items")
                    .items()
                    .forEach(item -> all.add(((Json.Fields) item)
                            .with("kind", Json.text(kind))
                            .with("apiVersion", part.at("apiVersion"))));
            next = part.at("metadata", "continue").text().orElse("");
        } while (!next.isEmpty());
        return all;
    }

    @Override
    public Outcome create(String collection, Json object) {
        return writer.create(collection, object);
    }

    @Override
    public Outcome replace(String path, Json object) {
        return writer.replace(path, object);
    }

    @Override
    public Outcome delete(String path, String uid) {
        return writer.delete(path, uid);
    }
}
