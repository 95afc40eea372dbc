package dev.ouroboros.upgrade.apply;

import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.Manifest;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.render.Rendered;
import dev.ouroboros.render.lint.ManifestFile;
import dev.ouroboros.render.manifest.ManifestSet;
import dev.ouroboros.upgrade.decide.ObjectName;
import dev.ouroboros.upgrade.decide.UpgradeStage;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The objects of a directory's manifests by name.
 *
 * @param objects as the files have them
 */
public record NamedManifests(SortedMap<ObjectName, Json> objects) {
    public NamedManifests {
        objects = Collections.unmodifiableSortedMap(new TreeMap<>(objects));
    }

    /**
     * Reads the manifests of an asset directory.
     *
     * @throws dev.ouroboros.model.problem.ProblemException when one is not YAML
     */
    public static NamedManifests read(Disk disk, Path directory) {
        SortedMap<ObjectName, Json> objects = new TreeMap<>();
        Path manifests = directory.resolve(AssetLayout.MANIFESTS);
        for (String name : disk.list(manifests)) {
            if (isManifest(name)) {
                disk.readText(manifests.resolve(name)).ifPresent(text -> parse(text, manifests.resolve(name), objects));
            }
        }
        return new NamedManifests(objects);
    }

    /** The manifests of what was rendered. */
    public static NamedManifests of(Rendered made) {
        Map<String, String> texts = new TreeMap<>();
        made.assets().forEach(asset -> texts.put(asset.path(), asset.text()));
        return of(texts);
    }

    /** The manifests among an asset directory's files. */
    static NamedManifests of(Map<String, String> texts) {
        SortedMap<ObjectName, Json> objects = new TreeMap<>();
        texts.forEach((path, text) -> {
            if (path.startsWith(AssetLayout.MANIFESTS + "/") && isManifest(path)) {
                parse(text, Path.of(path), objects);
            }
        });
        return new NamedManifests(objects);
    }

    private static boolean isManifest(String name) {
        return !name.startsWith(".") && (name.endsWith(".yaml") || name.endsWith(".yml") || name.endsWith(".json"));
    }

    private static void parse(String text, Path file, SortedMap<ObjectName, Json> objects) {
        ManifestFile.manifests(text, file.toString())
                .forEach(object -> objects.put(ObjectName.of(object), withPlainNumbers(object)));
    }

    /** YAML has octal and hexadecimal numbers, JSON has not. */
    private static Json withPlainNumbers(Json value) {
        return switch (value) {
            case Json.Fields(Map<String, Json> fields) -> {
                Map<String, Json> plain = new LinkedHashMap<>();
                fields.forEach((name, field) -> plain.put(name, withPlainNumbers(field)));
                yield new Json.Fields(plain);
            }
            case Json.Items(List<Json> items) -> Json.items(items.stream().map(NamedManifests::withPlainNumbers));
            case Json.Numeric(String literal)
            when literal.matches("0o?[0-7]+") -> Json.number(Long.parseLong(literal.replace("o", ""), 8));
            case Json.Numeric(String literal)
            when literal.startsWith("0x") -> Json.number(Long.parseLong(literal.substring(2), 16));
            case Json.Numeric number -> number;
            case Json.Text text -> text;
            case Json.Bool bool -> bool;
            case Json.Null nothing -> nothing;
        };
    }

    public Json get(ObjectName name) {
        return objects.getOrDefault(name, Json.absent());
    }

    /** All of them. */
    public List<Manifest> manifests() {
        return objects.values().stream()
                .map(object -> new Manifest(AssetLayout.MANIFESTS, object))
                .toList();
    }

    /** The objects of a stage, in the order in which they are written. */
    public List<ObjectName> of(UpgradeStage stage) {
        return objects.keySet().stream()
                .filter(name -> stageOf(name) == stage)
                .sorted(Comparator.comparingInt(name -> ManifestSet.stage(name.kind())))
                .toList();
    }

    private UpgradeStage stageOf(ObjectName name) {
        Json object = get(name);
        boolean makesPods = name.kind().equals("Pod")
                || name.kind().equals("Job")
                || !object.at("spec", "template", "spec").isNull();
        return UpgradeStage.of(name, makesPods);
    }

    /** The images of all of them, in the order of their names. */
    public List<String> images() {
        return objects.keySet().stream()
                .flatMap(name -> images(name).stream())
                .distinct()
                .sorted()
                .toList();
    }

    /** The images of an object's containers. */
    public List<String> images(ObjectName name) {
        return imagesOf(get(name).at("spec", "template", "spec"));
    }

    /** The images of a pod. */
    static List<String> imagesOf(Json pod) {
        return Stream.of("initContainers", "containers")
                .flatMap(field -> pod.at(field).items().stream())
                .flatMap(container -> container.at("image").text().stream())
                .toList();
    }
}
