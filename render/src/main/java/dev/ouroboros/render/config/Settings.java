package dev.ouroboros.render.config;

import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a person set, by field, with the place of each value; not yet checked. From a document, from flags, or both. */
public final class Settings {
    private final Map<Field, Located> texts;
    private final Map<Field, List<Located>> lists;
    private final Map<Field, Map<String, Located>> maps;

    private Settings(Builder builder) {
        this.texts = new EnumMap<>(builder.texts);
        this.lists = new EnumMap<>(builder.lists);
        this.maps = new EnumMap<>(builder.maps);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** A text or boolean that is set and not empty. */
    public Optional<Located> text(Field field) {
        return Optional.ofNullable(texts.get(field))
                .filter(text -> !text.value().isEmpty());
    }

    /** True when the field is set, be it to the empty text. */
    public boolean isSet(Field field) {
        return texts.containsKey(field) || lists.containsKey(field) || maps.containsKey(field);
    }

    /** The entries of a list; empty when it is not set. */
    public List<Located> list(Field field) {
        return lists.getOrDefault(field, List.of());
    }

    /** The entries of a mapping; empty when it is not set. */
    public Map<String, Located> map(Field field) {
        return maps.getOrDefault(field, Map.of());
    }

    /** These settings with each field that {@code winner} sets replaced. */
    public Settings with(Settings winner) {
        Builder both = builder();
        both.texts.putAll(texts);
        both.lists.putAll(lists);
        both.maps.putAll(maps);
        both.texts.putAll(winner.texts);
        both.lists.putAll(winner.lists);
        both.maps.putAll(winner.maps);
        return both.build();
    }

    /** Collects settings. */
    public static final class Builder {
        private final Map<Field, Located> texts = new EnumMap<>(Field.class);
        private final Map<Field, List<Located>> lists = new EnumMap<>(Field.class);
        private final Map<Field, Map<String, Located>> maps = new EnumMap<>(Field.class);

        private Builder() {}

        public Builder set(Field field, String value, String where) {
            texts.put(field, new Located(value, where));
            return this;
        }

        public Builder setList(Field field, List<Located> values) {
            lists.put(field, List.copyOf(values));
            return this;
        }

        /** A list from a flag with commas, as bootkube's. */
        public Builder setList(Field field, String commaSeparated, String where) {
            return setList(
                    field,
                    List.of(commaSeparated.split(",")).stream()
                            .map(String::strip)
                            .filter(value -> !value.isEmpty())
                            .map(value -> new Located(value, where))
                            .toList());
        }

        public Builder setMap(Field field, Map<String, Located> values) {
            maps.put(field, Collections.unmodifiableMap(new LinkedHashMap<>(values)));
            return this;
        }

        public Settings build() {
            return new Settings(this);
        }
    }
}
