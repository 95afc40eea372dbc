package dev.ouroboros.upgrade.merge;

import dev.ouroboros.model.json.Json;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * An object as its leaves by path, so that two of them are compared as people compare them: list elements by their key, command lines by
 * flag. Null values are left out.
 */
public final class Flat {
    private final SortedMap<String, String> leaves = new TreeMap<>();

    private Flat() {}

    public static SortedMap<String, String> of(Json object) {
        Flat flat = new Flat();
        flat.add(Place.ROOT, object);
        return flat.leaves;
    }

    private void add(Place place, Json value) {
        switch (value) {
            case Json.Null _ -> {}
            case Json.Fields(Map<String, Json> fields)
            when !fields.isEmpty() -> fields.forEach((name, field) -> add(place.child(name), field));
            case Json.Items list when !list.values().isEmpty() -> addList(place, list);
            // An empty list says no more than a missing one.
            case Json.Items _ when !(ListKind.of(place) instanceof ListKind.Atomic) -> {}
            default -> leaves.put(place.text(), ListKind.textOf(value));
        }
    }

    private void addList(Place place, Json.Items list) {
        switch (ListKind.of(place)) {
            case ListKind.Keyed keyed -> {
                Optional<Map<String, Json>> elements = keyed.byKey(list);
                if (elements.isPresent()) {
                    elements.get().forEach((key, element) -> add(place.element(key), element));
                } else {
                    addWhole(place, list);
                }
            }
            case ListKind.Group() ->
                list.values()
                        .forEach(element -> leaves.put(
                                place.element(ListKind.textOf(element)).text(), "there"));
            case ListKind.Command() -> {
                Optional<Flags> flags = Flags.of(list);
                if (flags.isPresent()) {
                    addFlags(place, flags.get());
                } else {
                    addWhole(place, list);
                }
            }
            case ListKind.Atomic() -> addWhole(place, list);
        }
    }

    private void addFlags(Place place, Flags flags) {
        if (!flags.program().isEmpty()) {
            leaves.put(place.text(), String.join(" ", flags.program()));
        }
        flags.flags().keySet().forEach(name -> addFlag(place.flag(name), name, flags.values(name)));
    }

    private void addFlag(Place place, String name, List<String> values) {
        Optional<FlagParts> parts = FlagParts.of(name).filter(_ -> values.size() == 1);
        if (parts.isEmpty()) {
            leaves.put(place.text(), String.join(" ", values));
            return;
        }
        switch (parts.get()) {
            case MAP ->
                FlagParts.map(values.getFirst()).fields().forEach((part, value) -> add(place.element(part), value));
            case GROUP ->
                FlagParts.list(values.getFirst())
                        .forEach(part -> leaves.put(place.element(part).text(), "there"));
        }
    }

    private void addWhole(Place place, Json list) {
        leaves.put(place.text(), ListKind.textOf(list));
    }
}
