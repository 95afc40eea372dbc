package dev.ouroboros.model.checkpoint;

import dev.ouroboros.model.checkpoint.ApiObject.Kind;
import dev.ouroboros.model.checkpoint.Checkpointing.Result;
import dev.ouroboros.model.checkpoint.References.Reference;
import dev.ouroboros.model.checkpoint.References.Use;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * A pod and the objects around it, made of a seed: a few volumes, containers and variables of every kind, most of which can be
 * saved. Each object holds a text of its own, by which a test can find where it went.
 */
final class RandomPod {
    private static final List<String> NAMES = List.of("alpha", "beta", "gamma", "lost");
    private static final String KEY = "key";

    private final long seed;
    private final Random random;
    private final Json pod;

    RandomPod(long seed) {
        this.seed = seed;
        this.random = new Random(seed);
        this.pod = make();
    }

    Json pod() {
        return pod;
    }

    Result result() {
        return resultOf(pod);
    }

    Result resultOf(Json other) {
        Evidence<Result> result = new Checkpointing(PodFixture.RULES, PodFixture.NEW)
                .of(other, object -> Evidence.known(content(object)));
        return result instanceof Evidence.Known<Result>(Result known) ? known : new Result.Refused(List.of());
    }

    boolean exists(ApiObject object) {
        return !object.name().equals("lost");
    }

    String mark(ApiObject object) {
        return "content-of-" + object.kind() + "-" + object.name();
    }

    /** Whether what it refers to need not be found: a pull secret, an envFrom that env overrides, or an optional key that is not there. */
    boolean isHidden(Reference reference) {
        return reference.use() == Use.IMAGE_PULL
                || reference.field().contains(".envFrom[")
                || LocatedJson.containersOf(pod).stream()
                        .flatMap(container -> container.each("env"))
                        .filter(variable -> reference.field().startsWith(variable.path() + "."))
                        .flatMap(variable -> variable.value().at("valueFrom").fields().values().stream())
                        .anyMatch(key -> !key.at("key").equals(Json.text(KEY)));
    }

    private Optional<Json> content(ApiObject object) {
        String text = mark(object);
        String value = object.kind() == Kind.SECRET
                ? Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8))
                : text;
        return exists(object)
                ? Optional.of(Json.object().with("data", Json.object().with(KEY, Json.text(value))))
                : Optional.empty();
    }

    /** The same value with the fields of every object the other way round. */
    static Json reversed(Json value) {
        return switch (value) {
            case Json.Fields(Map<String, Json> fields) -> {
                List<String> names = new ArrayList<>(fields.keySet());
                Collections.reverse(names);
                Map<String, Json> reversed = new LinkedHashMap<>();
                names.forEach(name -> reversed.put(name, reversed(fields.getOrDefault(name, Json.absent()))));
                yield new Json.Fields(reversed);
            }
            case Json.Items items -> Json.items(items.values().stream().map(RandomPod::reversed));
            default -> value;
        };
    }

    private Json make() {
        boolean isControlPlane = random.nextBoolean();
        Json.Fields metadata = Json.object()
                .with("name", Json.text("p-" + random.nextInt(3)))
                .with("namespace", Json.text("kube-system"))
                .with("uid", Json.text("" + random.nextLong()));
        Json.Fields spec = Json.object()
                .with("serviceAccountName", Json.text("default"))
                .with("containers", containers(isControlPlane ? "kube-scheduler" : "main"))
                .with("volumes", volumes());
        if (random.nextInt(3) == 0) {
            spec = spec.with("initContainers", containers("init"));
        }
        if (random.nextBoolean()) {
            spec = spec.with("securityContext", Json.object().with("fsGroup", Json.number(random.nextInt(2))));
        }
        if (random.nextInt(4) == 0) {
            spec = spec.with("imagePullSecrets", list(name("alpha")));
        }
        return Json.object().with("metadata", metadata).with("spec", spec);
    }

    private static Json.Items list(Json... values) {
        return new Json.Items(List.of(values));
    }

    private Json.Items volumes() {
        List<Json> volumes = new ArrayList<>();
        for (int at = random.nextInt(4); at > 0; at--) {
            Json.Fields volume = Json.object().with("name", Json.text("v" + at));
            volumes.add(
                    switch (random.nextInt(12)) {
                        case 0, 1, 2 -> volume.with("secret", withItems(object("secretName")));
                        case 3, 4, 5 -> volume.with("configMap", withItems(object("name")));
                        case 6, 7 -> volume.with("projected", Json.object().with("sources", projections()));
                        case 8 -> volume.with("hostPath", Json.object().with("path", Json.text("/etc")));
                        case 9 -> volume.with("downwardAPI", Json.object());
                        case 10 -> volume.with("emptyDir", Json.object());
                        default ->
                            random.nextInt(4) == 0
                                    ? volume.with("csi", Json.object())
                                    : volume.with("nfs", Json.object().with("server", Json.text("s")));
                    });
        }
        return new Json.Items(volumes);
    }

    private Json.Items projections() {
        List<Json> sources = new ArrayList<>();
        for (int at = random.nextInt(3); at >= 0; at--) {
            sources.add(
                    switch (random.nextInt(10)) {
                        case 0, 1, 2, 3 -> Json.object().with("secret", moved(object("name"), at));
                        case 4, 5, 6, 7 -> Json.object().with("configMap", moved(object("name"), at));
                        case 8 -> Json.object().with("downwardAPI", Json.object());
                        default -> Json.object().with("serviceAccountToken", Json.object());
                    });
        }
        return new Json.Items(sources);
    }

    /** Each source with a path of its own, so that none covers another. */
    private static Json.Fields moved(Json.Fields source, int at) {
        Json.Fields item = Json.object().with("key", Json.text(KEY)).with("path", Json.text("part-" + at));
        return source.with("items", list(item));
    }

    private Json.Fields withItems(Json.Fields source) {
        return switch (random.nextInt(4)) {
            case 0 -> moved(source, random.nextInt(3));
            case 1 -> source.with("defaultMode", Json.number(random.nextInt(0777)));
            default -> source;
        };
    }

    private Json.Fields object(String nameField) {
        String name = NAMES.get(random.nextInt(random.nextInt(3) == 0 ? 4 : 3));
        Json.Fields reference = Json.object().with(nameField, Json.text(name));
        return random.nextBoolean() || (name.equals("lost") && random.nextInt(4) > 0)
                ? reference.with("optional", Json.bool(true))
                : reference;
    }

    private static Json.Fields name(String name) {
        return Json.object().with("name", Json.text(name));
    }

    private Json.Items containers(String name) {
        List<Json> variables = new ArrayList<>();
        for (int at = random.nextInt(3); at > 0; at--) {
            Json.Fields variable = name(random.nextBoolean() ? KEY : "V" + at);
            variables.add(
                    switch (random.nextInt(4)) {
                        case 0 -> variable.with("value", Json.text("$(" + KEY + ")"));
                        case 1 -> variable.with("valueFrom", Json.object().with("secretKeyRef", keyOf()));
                        case 2 -> variable.with("valueFrom", Json.object().with("configMapKeyRef", keyOf()));
                        default ->
                            variable.with(
                                    "valueFrom",
                                    Json.object()
                                            .with(
                                                    "fieldRef",
                                                    Json.object().with("fieldPath", Json.text("status.podIP"))));
                    });
        }
        Json.Fields container = name(name)
                .with("image", Json.text("image:" + random.nextInt(2)))
                .with("command", Json.texts(List.of(name, "--secure-port=" + random.nextInt(3))))
                .with("env", new Json.Items(variables));
        if (random.nextInt(3) == 0) {
            String kind = random.nextBoolean() ? "secretRef" : "configMapRef";
            container = container.with("envFrom", list(Json.object().with(kind, object("name"))));
        }
        return list(container);
    }

    private Json.Fields keyOf() {
        return object("name").with("key", Json.text(random.nextInt(8) == 0 ? "none" : KEY));
    }

    @Override
    public String toString() {
        return "seed " + seed + ": " + Canonical.toString(pod);
    }
}
