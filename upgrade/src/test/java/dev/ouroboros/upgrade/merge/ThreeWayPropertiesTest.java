package dev.ouroboros.upgrade.merge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.longs;

import dev.ouroboros.model.json.Json;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Over random pod specifications, and what two people made of each. */
final class ThreeWayPropertiesTest {
    /** @param base what both began with */
    private record Three(Json base, Json live, Json target) {
        static Three of(long seed) {
            Random random = new Random(seed);
            Model base = Model.of(random);
            return new Three(
                    base.json(),
                    base.changed(random).json(),
                    base.changed(random).json());
        }

        Merged merge(Preference preference) {
            return ThreeWay.merge(base, live, target, preference);
        }
    }

    @Test
    void withoutAChangeOfTheUserItIsTheTarget() {
        forAll(three -> assertThat(ThreeWay.merge(three.base(), three.base(), three.target(), Preference.LIVE))
                .isEqualTo(new Merged(three.target(), List.of(), List.of())));
    }

    @Test
    void withoutAChangeOfTheTargetItIsWhatTheUserMade() {
        forAll(three -> {
            Merged merged = ThreeWay.merge(three.base(), three.live(), three.base(), Preference.TARGET);
            assertThat(merged.result()).isEqualTo(three.live());
            assertThat(merged.conflicts()).isEmpty();
        });
    }

    @Test
    void mergedAgainItIsTheSame() {
        forAll(three -> {
            for (Preference preference : Preference.values()) {
                Merged merged = three.merge(preference);
                Merged again = ThreeWay.merge(three.base(), merged.result(), three.target(), preference);
                assertThat(again.result()).isEqualTo(merged.result());
            }
        });
    }

    @Test
    void noChangeOfTheUserIsLostWithoutAConflict() {
        forAll(three -> {
            Merged merged = three.merge(Preference.TARGET);
            SortedMap<String, String> base = Flat.of(three.base());
            SortedMap<String, String> live = Flat.of(three.live());
            SortedMap<String, String> result = Flat.of(merged.result());
            for (String path : paths(base, live)) {
                boolean changed = !String.valueOf(live.get(path)).equals(String.valueOf(base.get(path)));
                if (changed && !isIn(merged.conflicts(), path)) {
                    assertThat(result.get(path)).as(path).isEqualTo(live.get(path));
                }
            }
        });
    }

    @Test
    void noChangeOfTheTargetIsLostWithoutAConflict() {
        forAll(three -> {
            Merged merged = three.merge(Preference.LIVE);
            SortedMap<String, String> base = Flat.of(three.base());
            SortedMap<String, String> target = Flat.of(three.target());
            SortedMap<String, String> result = Flat.of(merged.result());
            for (String path : paths(base, target)) {
                boolean changed = !String.valueOf(target.get(path)).equals(String.valueOf(base.get(path)));
                if (changed && !isIn(merged.conflicts(), path)) {
                    assertThat(result.get(path)).as(path).isEqualTo(target.get(path));
                }
            }
        });
    }

    private static boolean isIn(List<Conflict> conflicts, String path) {
        return conflicts.stream().anyMatch(conflict -> path.startsWith(conflict.path()));
    }

    private static Set<String> paths(SortedMap<String, String> one, SortedMap<String, String> other) {
        TreeSet<String> paths = new TreeSet<>(one.keySet());
        paths.addAll(other.keySet());
        return paths;
    }

    private static void forAll(Consumer<Three> claim) {
        qt().withExamples(3000).forAll(longs().all()).checkAssert(seed -> claim.accept(Three.of(seed)));
    }

    /** What a pod's specification is made of here: names are few, so that both change the same. */
    private record Model(
            Map<String, String> labels,
            Map<String, Map<String, String>> containers,
            Map<String, String> flags,
            Map<String, String> gates,
            List<String> tolerations) {
        private static final List<String> NAMES = List.of("a", "b", "c", "d");

        static Model of(Random random) {
            Model model = new Model(
                    new LinkedHashMap<>(),
                    new LinkedHashMap<>(),
                    new LinkedHashMap<>(),
                    new LinkedHashMap<>(),
                    new ArrayList<>());
            for (int change = random.nextInt(20); change > 0; change--) {
                model.change(random);
            }
            return model;
        }

        Model changed(Random random) {
            Map<String, Map<String, String>> copies = new LinkedHashMap<>();
            containers.forEach((name, environment) -> copies.put(name, new LinkedHashMap<>(environment)));
            Model copy = new Model(
                    new LinkedHashMap<>(labels),
                    copies,
                    new LinkedHashMap<>(flags),
                    new LinkedHashMap<>(gates),
                    new ArrayList<>(tolerations));
            for (int change = random.nextInt(6); change > 0; change--) {
                copy.change(random);
            }
            return copy;
        }

        private void change(Random random) {
            String name = NAMES.get(random.nextInt(NAMES.size()));
            switch (random.nextInt(6)) {
                case 0 -> put(labels, name, random);
                case 1 -> put(flags, name, random);
                case 2 -> put(gates, name, random);
                case 3 -> put(containers.computeIfAbsent(name, _ -> new LinkedHashMap<>()), "E" + name, random);
                case 4 -> {
                    if (containers.remove(name) == null) {
                        containers.put(name, new LinkedHashMap<>());
                    }
                }
                default -> {
                    if (!tolerations.remove(name)) {
                        tolerations.add(name);
                    }
                    List<String> order = new ArrayList<>(containers.keySet());
                    Collections.shuffle(order, random);
                    order.forEach(key -> containers.put(key, containers.remove(key)));
                }
            }
        }

        private static void put(Map<String, String> values, String name, Random random) {
            if (random.nextInt(3) == 0) {
                values.remove(name);
            } else {
                values.put(name, Integer.toString(random.nextInt(3)));
            }
        }

        Json json() {
            List<Json> list = new ArrayList<>();
            containers.forEach((name, environment) -> list.add(container(name, environment)));
            Json.Fields named = Json.object().with("name", Json.text("pod"));
            Json.Fields metadata = labels.isEmpty() ? named : named.with("labels", texts(labels));
            Json.Fields spec = Json.object().with("containers", Json.items(list.stream()));
            return Json.object()
                    .with("metadata", metadata)
                    .with(
                            "spec",
                            tolerations.isEmpty()
                                    ? spec
                                    : spec.with(
                                            "tolerations",
                                            Json.items(tolerations.stream()
                                                    .map(key -> Json.object().with("key", Json.text(key))))));
        }

        private Json container(String name, Map<String, String> environment) {
            List<String> words = new ArrayList<>(List.of("program"));
            flags.forEach((flag, value) -> {
                words.add("--" + flag + (value.equals("1") ? "" : "=" + value));
                if (value.equals("1")) {
                    words.add(value);
                }
            });
            if (!gates.isEmpty()) {
                List<String> parts = new ArrayList<>();
                gates.forEach((gate, value) -> parts.add(gate + "=" + value));
                words.add("--feature-gates=" + String.join(",", parts));
            }
            List<Json> variables = new ArrayList<>();
            environment.forEach((key, value) ->
                    variables.add(Json.object().with("name", Json.text(key)).with("value", Json.text(value))));
            return Json.object()
                    .with("name", Json.text(name))
                    .with("command", Json.texts(words))
                    .with("env", Json.items(variables.stream()));
        }

        private static Json texts(Map<String, String> values) {
            Json.Fields fields = Json.object();
            for (Map.Entry<String, String> value : values.entrySet()) {
                fields = fields.with(value.getKey(), Json.text(value.getValue()));
            }
            return fields;
        }
    }
}
