package dev.ouroboros.sim;

import static dev.ouroboros.sim.Blueprint.fields;
import static dev.ouroboros.sim.Blueprint.metadataOf;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiException.Kind;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.api.Watch;
import dev.ouroboros.model.json.Json;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The API as the keeper's client sees it through the front: of whichever server is reached, with the failures of the moment. */
final class ApiModel implements Api {
    private final Machine machine;
    private final Chance chance;
    private final Map<String, Instant> silentSince = new HashMap<>();
    /** At which server the watch of a collection is open. */
    private final Map<String, Program> watchedAt = new HashMap<>();
    /** Newer servers send a bookmark each minute, those of 1.20 only at a watch's end (k8s.io/apiserver/pkg/storage/cacher). */
    private final boolean bookmarks;

    private final Map<String, Request> requests = new HashMap<>();

    ApiModel(Machine machine, Chance chance) {
        this.machine = machine;
        this.chance = chance;
        this.bookmarks = chance.of100(50);
    }

    private record Request(String path, Objects.Selector selector) {
        static Request of(String text) {
            String[] parts = text.split("\\?", 2);
            Map<String, String> query = new TreeMap<>();
            if (parts.length == 2) {
                for (String parameter : parts[1].split("&", -1)) {
                    String[] pair = parameter.split("=", 2);
                    query.put(pair[0], URLDecoder.decode(pair[1], StandardCharsets.UTF_8));
                }
            }
            return new Request(
                    parts[0],
                    new Objects.Selector(parts[0], pairs(query, "fieldSelector"), pairs(query, "labelSelector")));
        }

        private static Map<String, String> pairs(Map<String, String> query, String parameter) {
            Map<String, String> pairs = new TreeMap<>();
            Optional.ofNullable(query.get(parameter)).stream()
                    .flatMap(text -> Arrays.stream(text.split(",", -1)))
                    .map(pair -> pair.split("=", 2))
                    .forEach(pair -> pairs.put(pair[0], pair.length == 2 ? pair[1] : Objects.Selector.ANY));
            return pairs;
        }
    }

    /** Parsed requests are cached, since the same ones recur. */
    private Request request(ApiPath path) {
        return requests.computeIfAbsent(path.text(), Request::of);
    }

    /** The server that answers; throws the client's error if none does. */
    private Program reach(ApiPath path) throws ApiException {
        Servers.Reached reached = machine.servers()
                .reached()
                .orElseThrow(() -> new ApiException(Kind.UNREACHABLE, path + ": connection refused"));
        Program program = reached.program();
        if (program.isHung()) {
            throw new ApiException(Kind.TIMEOUT, path + ": timed out");
        }
        if (chance.of100(machine.trouble().odds())) {
            fail(path);
        }
        if (reached.ready().isEmpty()) {
            throw new ApiException(Kind.SERVER_ERROR, path + ": 503");
        }
        return program;
    }

    private void fail(ApiPath path) throws ApiException {
        machine.trace().count("answer: " + machine.trouble().kind());
        switch (machine.trouble().kind()) {
            case NONE, OTHER_CLUSTER -> {}
            case CUT_OFF -> throw new ApiException(Kind.UNREACHABLE, path + ": cut off");
            case SLOW, ANSWER_LOST -> throw new ApiException(Kind.TIMEOUT, path + ": timed out");
            case THROTTLED ->
                throw new ApiException(Kind.THROTTLED, path + ": 429", Optional.of(Duration.ofSeconds(1)));
            case ERRORS -> throw new ApiException(Kind.SERVER_ERROR, path + ": 500");
            case FORBIDDEN -> throw new ApiException(Kind.FORBIDDEN, path + ": 403");
            case GARBAGE -> throw new ApiException(Kind.GARBAGE, path + ": no JSON");
        }
    }

    private boolean isForeign() {
        return machine.isForeign();
    }

    @Override
    public Json get(ApiPath path) throws ApiException {
        Program program = reach(path);
        Request request = request(path);
        if (isForeign()) {
            return foreign(request);
        }
        switch (request.path()) {
            case "/version" -> {
                return fields("gitVersion", program.version().orElseThrow().tag());
            }
            case "/apis" -> {
                return fields(
                        "groups",
                        List.of(fields(
                                "name",
                                "apps",
                                "versions",
                                List.of(fields("groupVersion", "apps/v1", "version", "v1")))));
            }
            case "/apis/discovery.k8s.io" -> {
                return fields("preferredVersion", fields("version", "v1beta1"));
            }
            default -> {}
        }
        boolean secrets = request.path().contains("/secrets");
        if (secrets && program.behaviour == Behaviour.CANNOT_READ_SECRETS) {
            throw new ApiException(Kind.SERVER_ERROR, path + ": no matching key");
        }
        Optional<Json> lease = machine.cluster().leaders().get(request.path());
        if (lease.isPresent()) {
            return lease.get();
        }
        Optional<Json.Fields> object = machine.objects().get(request.path());
        if (object.isPresent()) {
            return object.get();
        }
        if (!isCollection(request.path())) {
            throw new ApiException(Kind.NOT_FOUND, path + ": 404");
        }
        return fields(
                "metadata",
                fields("resourceVersion", Long.toString(machine.objects().revision())),
                "items",
                machine.objects().list(request.selector()));
    }

    /** {@code /api/v1[/namespaces/x]/resource} or {@code /apis/group/version[/namespaces/x]/resource}. */
    private static boolean isCollection(String path) {
        String[] parts = path.replaceFirst("/namespaces/[^/]+(?=/)", "").split("/", -1);
        return parts.length == (parts[1].equals("api") ? 4 : 5);
    }

    /** The server of an empty cluster whose authority is ours. */
    private static Json foreign(Request request) throws ApiException {
        if (request.path().equals("/api/v1/namespaces/kube-system")) {
            return fields("metadata", fields("uid", "another-cluster"));
        }
        if (request.path().equals("/version")) {
            return fields("gitVersion", "v1.20.2");
        }
        if (isCollection(request.path())) {
            return fields("metadata", fields("resourceVersion", "7"), "items", List.of());
        }
        throw new ApiException(Kind.NOT_FOUND, request.path() + ": 404");
    }

    private interface Write {
        Json done() throws ApiException;
    }

    /** A write may be carried out although its client never hears of it. */
    private Json write(ApiPath path, Write write) throws ApiException {
        boolean lost = machine.trouble().kind() == Trouble.Kind.ANSWER_LOST
                && chance.of100(machine.trouble().odds());
        if (!lost) {
            reachForWrite(path);
            return write.done();
        }
        Trouble trouble = machine.trouble();
        machine.trouble(Trouble.NONE);
        try {
            reachForWrite(path);
            write.done();
        } finally {
            machine.trouble(trouble);
        }
        machine.trace().count("answer: lost after a write");
        throw new ApiException(Kind.TIMEOUT, path + ": timed out");
    }

    private void reachForWrite(ApiPath path) throws ApiException {
        reach(path);
        if (isForeign()) {
            machine.invariants().writtenToAnotherCluster(path.text());
            throw new ApiException(Kind.NOT_FOUND, path + ": 404");
        }
    }

    @Override
    public Json update(ApiPath object, Json content) throws ApiException {
        return write(object, () -> replace(object, content));
    }

    private Json replace(ApiPath object, Json content) throws ApiException {
        Request request = request(object);
        Json version = content.at("metadata", "resourceVersion");
        Optional<Json> lease = machine.cluster().leaders().get(request.path());
        if (lease.isPresent()) {
            if (!lease.get().at("metadata", "resourceVersion").equals(version)) {
                throw new ApiException(Kind.CONFLICT, object + ": 409");
            }
            machine.cluster()
                    .leaders()
                    .release(LeaderElection.component(request.path()).orElseThrow());
            return content;
        }
        Optional<Json.Fields> before = machine.objects().get(request.path());
        if (before.isPresent()
                && !before.get().at("metadata", "resourceVersion").equals(version)) {
            throw new ApiException(Kind.CONFLICT, object + ": 409");
        }
        return machine.objects().put(request.path(), (Json.Fields) content);
    }

    @Override
    public Json create(ApiPath collection, Json object) throws ApiException {
        return write(collection, () -> add(collection, object));
    }

    private Json add(ApiPath collection, Json object) throws ApiException {
        String path = request(collection).path() + "/"
                + object.at("metadata", "name").text().orElse("");
        if (machine.objects().get(path).isPresent()) {
            throw new ApiException(Kind.CONFLICT, path + ": 409");
        }
        return machine.objects().put(path, (Json.Fields) object);
    }

    @Override
    public Json patch(ApiPath object, PatchType type, Json patch) throws ApiException {
        return write(object, () -> change(object, type, patch));
    }

    private Json change(ApiPath object, PatchType type, Json patch) throws ApiException {
        String path = request(object).path();
        Optional<Json.Fields> before = machine.objects().get(path);
        if (before.isEmpty() && type != PatchType.APPLY) {
            throw new ApiException(Kind.NOT_FOUND, object + ": 404");
        }
        Json wanted = patch.at("metadata", "resourceVersion");
        if (!wanted.isNull()
                && before.filter(
                                known -> known.at("metadata", "resourceVersion").equals(wanted))
                        .isEmpty()) {
            throw new ApiException(Kind.CONFLICT, object + ": 409");
        }
        Json.Fields merged = (Json.Fields) merge(before.map(Json.class::cast).orElse(Json.object()), patch);
        boolean newSpec = before.isPresent() && !before.get().at("spec").equals(merged.at("spec"));
        if (newSpec) {
            machine.invariants().specified(path, !wanted.isNull());
            long generation =
                    before.get().at("metadata", "generation").integer().orElse(0);
            merged = merged.with("metadata", metadataOf(merged).with("generation", Json.number(generation + 1)));
        }
        return machine.objects().put(path, merged);
    }

    /** As a merge patch, with {@code $patch: replace}. */
    private static Json merge(Json before, Json patch) {
        if (!(patch instanceof Json.Fields change)) {
            return patch;
        }
        if (patch.at("$patch").text().equals(Optional.of("replace"))) {
            return change.without("$patch");
        }
        Json.Fields merged = before instanceof Json.Fields fields ? fields : Json.object();
        for (Map.Entry<String, Json> field : change.values().entrySet()) {
            merged = merged.with(field.getKey(), merge(merged.at(field.getKey()), field.getValue()));
        }
        return merged;
    }

    @Override
    public void delete(ApiPath object, String uid, Grace grace) throws ApiException {
        write(object, () -> remove(object, uid, grace));
    }

    private Json remove(ApiPath object, String uid, Grace grace) throws ApiException {
        String path = request(object).path();
        Optional<Json.Fields> there = machine.objects().get(path);
        if (there.isEmpty()) {
            throw new ApiException(Kind.NOT_FOUND, object + ": 404");
        }
        if (!there.get().at("metadata", "uid").text().equals(Optional.of(uid))) {
            throw new ApiException(Kind.CONFLICT, object + ": 409");
        }
        machine.invariants().deletedByKeeper(there.get());
        if (grace == Grace.NONE) {
            machine.objects().remove(path);
        } else {
            machine.cluster().markDeleted(path);
        }
        return Json.object();
    }

    @Override
    public Watch watch(ApiPath collection, String version, Duration lifetime, Duration silence) throws ApiException {
        Program server = reach(collection);
        if (isForeign()) {
            return new Events(new ArrayDeque<>());
        }
        if (isCutOff(server, collection)) {
            return new CutOff(collection);
        }
        long from = Long.parseLong(version);
        if (machine.objects().isCompacted(from)) {
            machine.trace().count("answer: 410");
            throw new ApiException(Kind.EXPIRED, collection + ": 410");
        }
        if (from > machine.objects().revision()) {
            silentUntil(collection, silence);
        } else {
            silentSince.remove(collection.text());
        }
        Deque<Watch.Event> events = new ArrayDeque<>();
        for (Objects.Change change :
                machine.objects().after(from, request(collection).selector())) {
            events.add(
                    change.removed() ? new Watch.Event.Removed(change.object()) : new Watch.Event.Put(change.object()));
        }
        if (bookmarks && from <= machine.objects().revision()) {
            events.add(new Watch.Event.Bookmark(Long.toString(machine.objects().revision())));
        }
        return new Events(events);
    }

    /**
     * A modelled watch is opened again and again, where a real one stays open at its server and is cut off when that server ends. A keeper
     * that stood still meanwhile finds a closed connection, however much later it looks.
     */
    private boolean isCutOff(Program server, ApiPath collection) {
        Program before = watchedAt.putIfAbsent(collection.text(), server);
        boolean ended = before != null && !before.isAlive(machine.now());
        if (ended) {
            watchedAt.remove(collection.text());
            machine.trace().count("answer: a watch's server has ended");
        }
        return ended;
    }

    /** A watch from a resource version in the future, as after a restore, gets nothing, not even bookmarks. */
    private void silentUntil(ApiPath collection, Duration silence) throws ApiException {
        Instant since = silentSince.computeIfAbsent(collection.text(), _ -> machine.now());
        if (machine.now().isAfter(since.plus(silence))) {
            silentSince.remove(collection.text());
            machine.trace().count("answer: silence");
            throw new ApiException(Kind.TIMEOUT, collection + ": silent for " + silence);
        }
    }

    /** A watch that the server ends when it has said all: the client opens the next one from there. */
    private record Events(Deque<Event> waiting) implements Watch {
        @Override
        public Optional<Event> next() {
            return Optional.ofNullable(waiting.poll());
        }

        @Override
        public void close() {}
    }

    /** A watch whose server has ended. */
    private record CutOff(ApiPath collection) implements Watch {
        @Override
        public Optional<Event> next() throws ApiException {
            throw new ApiException(Kind.UNREACHABLE, collection + ": the connection is closed");
        }

        @Override
        public void close() {}
    }

    @Override
    public void reconnect() {}
}
