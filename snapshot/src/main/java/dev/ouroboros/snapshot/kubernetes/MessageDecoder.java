package dev.ouroboros.snapshot.kubernetes;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.snapshot.kubernetes.ObjectTypes.Field;
import dev.ouroboros.snapshot.kubernetes.ObjectTypes.Kind;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Turns the protobuf form of an object into the JSON that an API server would answer with: fields in the order of their
 * declaration, what JSON leaves out left out, and an empty value kept where only its presence says something.
 */
final class MessageDecoder {
    /** Objects nest by their schema; only the schema of a custom resource nests by itself. */
    private static final int DEEPEST = 128;

    private static final int MOST_UNKNOWN = 100;

    private final ObjectTypes types;
    private int seen;
    private final Set<String> unknown = new TreeSet<>();

    MessageDecoder(ObjectTypes types) {
        this.types = types;
    }

    /** Fields that the schema does not have and that were left out, as {@code type field number}. */
    Set<String> unknownFields() {
        return Set.copyOf(unknown);
    }

    Json.Fields object(String type, ByteBuffer message) throws UnreadableObjectException {
        return new Json.Fields(fields(type, message, 0));
    }

    private Map<String, Json> fields(String type, ByteBuffer message, int depth) throws UnreadableObjectException {
        if (depth > DEEPEST) {
            throw new UnreadableObjectException("nests more than " + DEEPEST + " levels deep");
        }
        List<Field> declared = types.fields(type);
        Map<Integer, Field> byNumber = HashMap.newHashMap(declared.size());
        declared.forEach(field -> byNumber.put(field.number(), field));
        Map<Field, Object> values = new HashMap<>();
        WireReader in = new WireReader(message);
        while (in.next()) {
            if (++seen > PlainValues.MOST_VALUES) {
                throw new UnreadableObjectException("has more than " + PlainValues.MOST_VALUES + " values");
            }
            Field field = byNumber.get(in.field());
            if (field == null && unknown.size() < MOST_UNKNOWN) {
                unknown.add(type + " field " + in.field());
            }
            if (field == null) {
                in.skip();
            } else {
                take(field, in, values, depth);
            }
        }
        Map<String, Json> result = new LinkedHashMap<>();
        for (Field field : declared) {
            Object value = values.get(field);
            if (value != null) {
                put(field, finished(value), result);
            }
        }
        return result;
    }

    private void take(Field field, WireReader in, Map<Field, Object> values, int depth)
            throws UnreadableObjectException {
        switch (field.kind()) {
            case Kind.Repeated(Kind element) -> {
                @SuppressWarnings("unchecked")
                List<Json> list = (List<Json>) values.computeIfAbsent(field, absent -> new ArrayList<Json>());
                if (in.type() == WireReader.DELIMITED && element == Kind.Plain.INT) {
                    list.addAll(PlainValues.packed(in.delimited()));
                } else {
                    list.add(value(element, in, depth));
                }
            }
            case Kind.Mapped(Kind value) -> {
                @SuppressWarnings("unchecked")
                Map<String, Json> map =
                        (Map<String, Json>) values.computeIfAbsent(field, absent -> new TreeMap<String, Json>());
                entry(value, in.delimited(), map, depth);
            }
            case Kind.Message(String type) -> values.put(field, message(type, in.delimited(), depth));
            case Kind.Plain plain -> values.put(field, PlainValues.read(plain, in));
        }
    }

    private static Json finished(Object value) {
        if (value instanceof List<?> list) {
            return Json.items(list.stream().map(Json.class::cast));
        }
        if (value instanceof Map<?, ?> map) {
            Map<String, Json> fields = new LinkedHashMap<>();
            map.forEach((key, item) -> fields.put((String) key, (Json) item));
            return new Json.Fields(fields);
        }
        return (Json) value;
    }

    private void put(Field field, Json value, Map<String, Json> result) {
        if (field.inline()) {
            result.putAll(value.fields());
        } else if (!isLeftOut(field, value)) {
            result.put(field.json(), value);
        }
    }

    /** As Go's {@code omitempty}: a message is never empty, a pointer only when it is not there. */
    private static boolean isLeftOut(Field field, Json value) {
        if (value.isNull()) {
            return true;
        }
        if (field.pointer()) {
            return false;
        }
        if (field.omitZero() && value.equals(Json.object())) {
            return true;
        }
        return field.omitEmpty()
                && switch (value) {
                    case Json.Text(String text) -> text.isEmpty() && field.kind() != Kind.Plain.QUANTITY;
                    case Json.Numeric(String literal) ->
                        (literal.equals("0") || literal.equals("0.0")) && field.kind() != Kind.Plain.INTORSTRING;
                    case Json.Bool(boolean bool) -> !bool;
                    case Json.Items(List<Json> items) -> items.isEmpty();
                    case Json.Fields(Map<String, Json> fields) ->
                        fields.isEmpty() && field.kind() instanceof Kind.Mapped;
                    case Json.Null() -> true;
                };
    }

    private Json value(Kind kind, WireReader in, int depth) throws UnreadableObjectException {
        return switch (kind) {
            case Kind.Message(String type) -> message(type, in.delimited(), depth);
            case Kind.Plain plain -> PlainValues.read(plain, in);
            case Kind.Repeated repeated -> throw new IllegalStateException("protobuf has no list of " + repeated);
            case Kind.Mapped mapped -> throw new IllegalStateException("protobuf has no list of " + mapped);
        };
    }

    private void entry(Kind kind, ByteBuffer message, Map<String, Json> map, int depth)
            throws UnreadableObjectException {
        WireReader in = new WireReader(message);
        String key = "";
        Json value = PlainValues.empty(kind);
        while (in.next()) {
            switch (in.field()) {
                case 1 -> key = in.text();
                case 2 -> value = value(kind, in, depth);
                default -> in.skip();
            }
        }
        map.put(key, value);
    }

    private Json message(String type, ByteBuffer message, int depth) throws UnreadableObjectException {
        Map<String, Json> fields = fields(type, message, depth + 1);
        return switch (type.substring(type.lastIndexOf('.') + 1)) {
            case "JSONSchemaPropsOrArray" ->
                fields.getOrDefault("schema", fields.getOrDefault("jSONSchemas", Json.absent()));
            case "JSONSchemaPropsOrBool" ->
                fields.getOrDefault("schema", fields.getOrDefault("allows", Json.bool(false)));
            case "JSONSchemaPropsOrStringArray" ->
                fields.getOrDefault("schema", fields.getOrDefault("property", Json.absent()));
            default -> new Json.Fields(fields);
        };
    }
}
