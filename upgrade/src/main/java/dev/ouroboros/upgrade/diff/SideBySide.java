package dev.ouroboros.upgrade.diff;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.upgrade.merge.Flat;
import dev.ouroboros.upgrade.merge.ServerFields;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Compares what the sides say of one object, leaf by leaf; list elements by their key and command lines by flag, as a merge does. A
 * checkpoint is a pod of its own, with files instead of Secrets: only its images and command lines are compared. Of a process only the
 * command line is compared, in which the kubelet has replaced {@code $(NAME)} by values.
 */
final class SideBySide {
    private static final Pattern COMMAND = Pattern.compile(".*\\.containers\\[[^]]+]\\.(command|args) --?[^ ]+.*");
    private static final Pattern IMAGE = Pattern.compile(".*\\.containers\\[[^]]+]\\.image");
    private static final Pattern VARIABLE = Pattern.compile("\\$\\([A-Za-z_][A-Za-z0-9_]*\\)");

    private SideBySide() {}

    /**
     * What is known of an object; a side that could not be asked is absent.
     *
     * @param intent as the server would store it
     * @param checkpoint a pod
     * @param process the words of its command line
     */
    record Known(Json intent, Optional<Json> api, Optional<Json> checkpoint, Optional<List<String>> process) {}

    static List<Difference> compare(String object, Known known) {
        SortedMap<String, String> intent = Flat.of(ServerFields.without(known.intent()));
        Optional<SortedMap<String, String>> api = known.api().map(found -> Flat.of(ServerFields.without(found)));
        Optional<SortedMap<String, String>> checkpoint = known.checkpoint().map(SideBySide::ofPod);
        Optional<SortedMap<String, String>> process =
                known.process().map(words -> ofProcess(words, api.orElse(intent)));
        TreeSet<String> paths = new TreeSet<>(intent.keySet());
        api.ifPresent(leaves -> paths.addAll(leaves.keySet()));
        checkpoint.ifPresent(
                leaves -> leaves.keySet().stream().filter(SideBySide::isSaved).forEach(paths::add));
        process.ifPresent(leaves -> paths.addAll(leaves.keySet()));
        List<Difference> differences = new ArrayList<>();
        for (String path : paths) {
            Map<Side, Optional<String>> values = new EnumMap<>(Side.class);
            values.put(Side.INTENT, Optional.ofNullable(intent.get(path)));
            api.ifPresent(leaves -> values.put(Side.API, Optional.ofNullable(leaves.get(path))));
            if (isSaved(path)) {
                checkpoint.ifPresent(leaves -> values.put(Side.CHECKPOINT, Optional.ofNullable(leaves.get(path))));
            }
            if (COMMAND.matcher(path).matches()) {
                process.ifPresent(leaves -> values.put(Side.PROCESS, Optional.ofNullable(leaves.get(path))));
            }
            if (differ(values)) {
                differences.add(Difference.of(object, path, values));
            }
        }
        return differences;
    }

    private static boolean isSaved(String path) {
        return COMMAND.matcher(path).matches() || IMAGE.matcher(path).matches();
    }

    private static SortedMap<String, String> ofPod(Json pod) {
        return Flat.of(Json.object()
                .with("spec", Json.object().with("template", Json.object().with("spec", pod.at("spec")))));
    }

    /** The process's flags, under the path of the container's: a process does not say whether they came from command or args. */
    private static SortedMap<String, String> ofProcess(List<String> words, SortedMap<String, String> like) {
        SortedMap<String, String> flags = new TreeMap<>();
        Optional<String> prefix = like.keySet().stream()
                .filter(path -> COMMAND.matcher(path).matches())
                .map(path -> path.substring(0, path.indexOf(" -")))
                .findFirst();
        prefix.ifPresent(before -> {
            String container = before.substring(before.lastIndexOf('[') + 1, before.lastIndexOf(']'));
            String field = before.substring(before.lastIndexOf('.') + 1);
            Json pod = Json.object()
                    .with(
                            "spec",
                            Json.object()
                                    .with(
                                            "containers",
                                            new Json.Items(List.of(Json.object()
                                                    .with("name", Json.text(container))
                                                    .with(field, Json.texts(words))))));
            ofPod(pod).forEach((path, value) -> {
                if (COMMAND.matcher(path).matches()) {
                    flags.put(path, value);
                }
            });
        });
        return flags;
    }

    private static boolean differ(Map<Side, Optional<String>> values) {
        List<Optional<String>> all = List.copyOf(values.values());
        for (int one = 0; one < all.size(); one++) {
            for (int other = one + 1; other < all.size(); other++) {
                if (!areSame(all.get(one), all.get(other))) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean areSame(Optional<String> one, Optional<String> other) {
        if (one.equals(other)) {
            return true;
        }
        return one.isPresent()
                && other.isPresent()
                && (isMadeOf(one.get(), other.get()) || isMadeOf(other.get(), one.get()));
    }

    /** Whether a text is what the kubelet makes of a template with variables. */
    private static boolean isMadeOf(String template, String text) {
        if (!VARIABLE.matcher(template).find()) {
            return false;
        }
        StringBuilder expression = new StringBuilder();
        for (String part : VARIABLE.split(template, -1)) {
            expression.append(expression.isEmpty() ? "" : ".*").append(Pattern.quote(part));
        }
        return text.matches(expression.toString());
    }
}
