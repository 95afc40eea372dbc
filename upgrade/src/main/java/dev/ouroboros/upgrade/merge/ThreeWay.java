package dev.ouroboros.upgrade.merge;

import dev.ouroboros.model.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Brings an object from what it was made as (<em>base</em>) to what it should be (<em>target</em>) without undoing what was changed in
 * the cluster meanwhile (<em>live</em>). At every place:
 *
 * <ol>
 *   <li>live is the target already, or the target is the base: live stays;
 *   <li>live is the base: the target;
 *   <li>all three differ: their parts are merged, where there are parts ({@link ListKind}; command lines by flag); where there are
 *       none, it is a {@link Conflict}, and the {@link Preference} says what stands there.
 * </ol>
 *
 * <p>So {@code merge(b, b, t) = t} and {@code merge(b, l, b) = l}, and merging again with the result as live gives the same. Fields
 * that only a server writes are live's: base and target have none of them ({@link ServerFields}). Base and target should have gone
 * through the server's defaults, else what it adds by default looks as if somebody had set it.
 */
public final class ThreeWay {
    /** Maps with arbitrary keys: each key is merged on its own, even when the whole map was removed. */
    private static final Set<String> FREE = Set.of(
            "annotations",
            "labels",
            "nodeSelector",
            "matchLabels",
            "data",
            "binaryData",
            "stringData",
            "limits",
            "requests");

    private final Preference preference;
    private final List<Conflict> conflicts = new ArrayList<>();

    private ThreeWay(Preference preference) {
        this.preference = preference;
    }

    /**
     * Merges.
     *
     * @param base absent when it is unknown: then what live and target both have, but not alike, is a conflict
     * @param live what the cluster has, with its server's fields
     */
    public static Merged merge(Json base, Json live, Json target, Preference preference) {
        ThreeWay merge = new ThreeWay(preference);
        Json plainBase = withoutNulls(ServerFields.without(base));
        Json plainTarget = withoutNulls(ServerFields.without(target));
        Json plainLive = withoutNulls(ServerFields.without(live));
        Json result = merge.merge(Place.ROOT, plainBase, plainLive, plainTarget);
        return new Merged(
                withServerFields(result, live), kept(plainBase, plainLive, plainTarget, result), merge.conflicts);
    }

    private Json merge(Place place, Json base, Json live, Json target) {
        if (live.equals(target) || base.equals(target)) {
            return live;
        }
        if (base.equals(live)) {
            return target;
        }
        if (areAll(Json.Fields.class, FREE.contains(place.field()), base, live, target)) {
            return fields(place, base, live, target);
        }
        boolean mayLackList = !(ListKind.of(place) instanceof ListKind.Command);
        if (areAll(Json.Items.class, mayLackList, base, live, target)) {
            return list(place, base, live, target);
        }
        return conflict(place, base, live, target);
    }

    /** Whether they are of this type; base may be absent, the others only if {@code mayLack}. */
    private static boolean areAll(Class<? extends Json> type, boolean mayLack, Json base, Json live, Json target) {
        return (base.isNull() || type.isInstance(base))
                && (type.isInstance(live) || (mayLack && live.isNull()))
                && (type.isInstance(target) || (mayLack && target.isNull()));
    }

    private Json conflict(Place place, Json base, Json live, Json target) {
        conflicts.add(new Conflict(place.text(), base, live, target));
        return preference == Preference.LIVE ? live : target;
    }

    private Json fields(Place place, Json base, Json live, Json target) {
        return parts(place::child, base, live, target);
    }

    /** @param places the place of a part by its name */
    private Json parts(Function<String, Place> places, Json base, Json live, Json target) {
        Set<String> names = new LinkedHashSet<>(live.fields().keySet());
        names.addAll(target.fields().keySet());
        Map<String, Json> result = new LinkedHashMap<>();
        for (String name : names) {
            Json merged = merge(places.apply(name), base.at(name), live.at(name), target.at(name));
            if (!merged.isNull()) {
                result.put(name, merged);
            }
        }
        return result.isEmpty() && (live.isNull() || target.isNull()) ? Json.absent() : new Json.Fields(result);
    }

    private Json list(Place place, Json base, Json live, Json target) {
        return switch (ListKind.of(place)) {
            case ListKind.Keyed keyed -> {
                Optional<Map<String, Json>> ofBase = keyed.byKey(base);
                Optional<Map<String, Json>> ofLive = keyed.byKey(live);
                Optional<Map<String, Json>> ofTarget = keyed.byKey(target);
                yield ofBase.isPresent() && ofLive.isPresent() && ofTarget.isPresent()
                        ? orEmpty(keyed(place, ofBase.get(), ofLive.get(), ofTarget.get()), live, target)
                        : conflict(place, base, live, target);
            }
            case ListKind.Group() -> orEmpty(group(base.items(), live.items(), target.items()), live, target);
            case ListKind.Command() -> {
                Optional<Flags> ofBase = Flags.of(base);
                Optional<Flags> ofLive = Flags.of(live);
                Optional<Flags> ofTarget = Flags.of(target);
                yield ofBase.isPresent() && ofLive.isPresent() && ofTarget.isPresent()
                        ? command(place, ofBase.get(), ofLive.get(), ofTarget.get())
                        : conflict(place, base, live, target);
            }
            case ListKind.Atomic() -> conflict(place, base, live, target);
        };
    }

    private static Json orEmpty(List<Json> result, Json live, Json target) {
        return result.isEmpty() && (live.isNull() || target.isNull()) ? Json.absent() : new Json.Items(result);
    }

    private List<Json> keyed(Place place, Map<String, Json> base, Map<String, Json> live, Map<String, Json> target) {
        Map<String, Json> merged = new LinkedHashMap<>();
        for (String key : Order.insert(live.keySet(), target.keySet())) {
            Json element = merge(place.element(key), of(base, key), of(live, key), of(target, key));
            if (!element.isNull()) {
                merged.put(key, element);
            }
        }
        return order(place, base, live, target).stream()
                .map(merged::get)
                .filter(Objects::nonNull)
                .toList();
    }

    /** The target's order, unless somebody has changed the order in the cluster, which may have a reason, in env for example. */
    private List<String> order(Place place, Map<String, Json> base, Map<String, Json> live, Map<String, Json> target) {
        List<String> liveCommon = Order.common(live.keySet(), target::containsKey);
        List<String> targetCommon = Order.common(target.keySet(), live::containsKey);
        if (liveCommon.equals(targetCommon) || isOrdered(liveCommon, base)) {
            return Order.insert(target.keySet(), live.keySet());
        }
        // This looks at all of the target's keys, so that merging the result again gets the same answer.
        boolean isTargetOrdered = isOrdered(List.copyOf(target.keySet()), base);
        if (!isTargetOrdered) {
            conflict(place, keys(base.keySet()), keys(live.keySet()), keys(target.keySet()));
        }
        return preference == Preference.LIVE || isTargetOrdered
                ? Order.insert(live.keySet(), target.keySet())
                : Order.insert(target.keySet(), live.keySet());
    }

    private static boolean isOrdered(List<String> keys, Map<String, Json> base) {
        return Order.common(keys, base::containsKey).equals(Order.common(base.keySet(), keys::contains));
    }

    private static Json keys(Set<String> keys) {
        return Json.texts(List.copyOf(keys));
    }

    private static Json of(Map<String, Json> elements, String key) {
        return elements.getOrDefault(key, Json.absent());
    }

    /** The cluster's elements without those that the target removes, and with those that it adds. */
    private static <T> List<T> group(List<T> base, List<T> live, List<T> target) {
        Set<T> result = new LinkedHashSet<>(live);
        base.stream().filter(element -> !target.contains(element)).forEach(result::remove);
        target.stream().filter(element -> !base.contains(element)).forEach(result::add);
        return List.copyOf(result);
    }

    private Json command(Place place, Flags base, Flags live, Flags target) {
        Json program = merge(
                new Place(place.text(), "", ""),
                Json.texts(base.program()),
                Json.texts(live.program()),
                Json.texts(target.program()));
        Map<String, List<Flags.Use>> merged = new LinkedHashMap<>();
        for (String name : Order.insert(live.flags().keySet(), target.flags().keySet())) {
            List<Flags.Use> uses = flag(place.flag(name), name, base, live, target);
            if (!uses.isEmpty()) {
                merged.put(name, uses);
            }
        }
        List<String> words =
                program.items().stream().flatMap(word -> word.text().stream()).toList();
        return new Flags(words, merged).toJson();
    }

    private List<Flags.Use> flag(Place place, String name, Flags base, Flags live, Flags target) {
        List<String> ofBase = base.values(name);
        List<String> ofLive = live.values(name);
        List<String> ofTarget = target.values(name);
        if (ofLive.equals(ofTarget) || ofBase.equals(ofTarget)) {
            return live.uses(name);
        }
        if (ofBase.equals(ofLive)) {
            return target.uses(name);
        }
        if (ofLive.size() == 1 && ofTarget.size() == 1 && ofBase.size() <= 1) {
            Optional<String> parts = FlagParts.of(name)
                    .flatMap(kind ->
                            parts(kind, place, String.join("", ofBase), ofLive.getFirst(), ofTarget.getFirst()));
            if (parts.isPresent()) {
                return List.of(Flags.Use.of(name, parts.get()));
            }
        }
        // A second use in the cluster alone is no list: of most flags the last use wins, and was meant to.
        if (ofBase.size() > 1 || ofTarget.size() > 1) {
            return group(ofBase, ofLive, ofTarget).stream()
                    .map(value -> Flags.Use.of(name, value))
                    .toList();
        }
        conflict(place, value(ofBase), value(ofLive), value(ofTarget));
        return preference == Preference.LIVE ? live.uses(name) : target.uses(name);
    }

    private static Json value(List<String> values) {
        return values.isEmpty() ? Json.absent() : Json.text(String.join(" ", values));
    }

    private Optional<String> parts(FlagParts kind, Place place, String base, String live, String target) {
        return switch (kind) {
            case GROUP ->
                Optional.of(
                        String.join(",", group(FlagParts.list(base), FlagParts.list(live), FlagParts.list(target))));
            case MAP ->
                Optional.of(FlagParts.text(
                        parts(place::element, FlagParts.map(base), FlagParts.map(live), FlagParts.map(target))));
        };
    }

    /** The merged object with what its server wrote into the live one. */
    private static Json withServerFields(Json result, Json live) {
        if (!(result instanceof Json.Fields fields) || !(live instanceof Json.Fields)) {
            return result;
        }
        Json plain = ServerFields.without(live);
        Json.Fields all = fields;
        for (Map.Entry<String, Json> field : live.fields().entrySet()) {
            if (plain.at(field.getKey()).isNull()) {
                all = all.with(field.getKey(), field.getValue());
            }
        }
        if (!(all.at("metadata") instanceof Json.Fields metadata)) {
            return all;
        }
        for (Map.Entry<String, Json> field : live.at("metadata").fields().entrySet()) {
            if (plain.at("metadata", field.getKey()).isNull() && !field.getKey().equals("annotations")) {
                metadata = metadata.with(field.getKey(), field.getValue());
            }
        }
        for (Map.Entry<String, Json> annotation :
                live.at("metadata", "annotations").fields().entrySet()) {
            if (plain.at("metadata", "annotations", annotation.getKey()).isNull()) {
                Json.Fields known = metadata.at("annotations") instanceof Json.Fields some ? some : Json.object();
                metadata = metadata.with("annotations", known.with(annotation.getKey(), annotation.getValue()));
            }
        }
        return all.with("metadata", metadata);
    }

    /** Paths at which live differs from base and from target, and the result is as in live. */
    private static List<String> kept(Json base, Json live, Json target, Json result) {
        SortedMap<String, String> ofBase = Flat.of(base);
        SortedMap<String, String> ofLive = Flat.of(live);
        SortedMap<String, String> ofTarget = Flat.of(target);
        SortedMap<String, String> ofResult = Flat.of(result);
        Set<String> paths = new TreeSet<>(ofLive.keySet());
        paths.addAll(ofBase.keySet());
        return paths.stream()
                .filter(path ->
                        !same(path, ofLive, ofBase) && !same(path, ofLive, ofTarget) && same(path, ofLive, ofResult))
                .toList();
    }

    private static boolean same(String path, SortedMap<String, String> one, SortedMap<String, String> other) {
        return Objects.equals(one.get(path), other.get(path));
    }

    /** The value without fields that are null: they are not there. */
    public static Json withoutNulls(Json value) {
        return switch (value) {
            case Json.Fields(Map<String, Json> fields) -> {
                Map<String, Json> kept = new LinkedHashMap<>();
                fields.forEach((name, field) -> {
                    if (!field.isNull()) {
                        kept.put(name, withoutNulls(field));
                    }
                });
                yield new Json.Fields(kept);
            }
            case Json.Items items -> Json.items(items.values().stream().map(ThreeWay::withoutNulls));
            case Json.Text text -> text;
            case Json.Numeric number -> number;
            case Json.Bool bool -> bool;
            case Json.Null nothing -> nothing;
        };
    }
}
