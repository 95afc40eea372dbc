package dev.ouroboros.model.json;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * A JSON value. Objects keep the order of their fields, numbers their text, so that what is read and written again without a
 * change is the same. What is not there reads as empty, at any depth: {@code pod.at("spec", "nodeName").text()}.
 */
public sealed interface Json {
    record Fields(Map<String, Json> values) implements Json {
        public Fields {
            values = FieldMap.of(values);
        }

        /** The same with one field set, in its place if there was one, else as the last. */
        public Fields with(String name, Json value) {
            return new Fields(FieldMap.of(values).with(name, value));
        }

        public Fields without(String name) {
            return new Fields(FieldMap.of(values).without(name));
        }
    }

    record Items(List<Json> values) implements Json {
        public Items {
            values = List.copyOf(values);
        }
    }

    record Text(String value) implements Json {}

    /** @param literal as it was written; arithmetic is the reader's business */
    record Numeric(String literal) implements Json {}

    record Bool(boolean value) implements Json {}

    record Null() implements Json {
        private static final Null ABSENT = new Null();
    }

    static Json absent() {
        return Null.ABSENT;
    }

    /** An object without fields, to begin with. */
    static Fields object() {
        return new Fields(Map.of());
    }

    static Json text(String value) {
        return new Text(value);
    }

    static Json number(long value) {
        return new Numeric(Long.toString(value));
    }

    static Json bool(boolean value) {
        return new Bool(value);
    }

    static Items items(Stream<? extends Json> values) {
        return new Items(values.<Json>map(value -> value).toList());
    }

    static Items texts(List<String> values) {
        return items(values.stream().map(Text::new));
    }

    /** The value below these field names; {@link Null} where one of them is missing. */
    default Json at(String... path) {
        Json here = this;
        for (String name : path) {
            here = here.at(name);
        }
        return here;
    }

    /** The value of this field; {@link Null} where it is missing. */
    default Json at(String name) {
        return this instanceof Fields(Map<String, Json> values) ? values.getOrDefault(name, absent()) : absent();
    }

    /** The text of a text value. */
    default Optional<String> text() {
        return this instanceof Text(String value) ? Optional.of(value) : Optional.empty();
    }

    /** The value of a whole number that fits. */
    default OptionalLong integer() {
        return this instanceof Numeric(String literal) && isWhole(literal)
                ? OptionalLong.of(Long.parseLong(literal))
                : OptionalLong.empty();
    }

    /** As {@code -?[0-9]{1,18}}, which is asked too often for a pattern. */
    private static boolean isWhole(String literal) {
        int first = literal.startsWith("-") ? 1 : 0;
        int digits = literal.length() - first;
        return digits >= 1
                && digits <= 18
                && literal.chars().skip(first).allMatch(letter -> letter >= '0' && letter <= '9');
    }

    /** True only for the value true. */
    default boolean isTrue() {
        return this instanceof Bool(boolean value) && value;
    }

    default boolean isNull() {
        return this instanceof Null;
    }

    /** The elements of an array; none for anything else. */
    default List<Json> items() {
        return this instanceof Items(List<Json> values) ? values : List.of();
    }

    /** The fields of an object; none for anything else. */
    default Map<String, Json> fields() {
        return this instanceof Fields(Map<String, Json> values) ? values : Map.of();
    }
}
