package dev.ouroboros.snapshot.kubernetes;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The shapes of Kubernetes' built-in objects, of all versions from 1.20 on at once, read from {@code types.txt}:
 *
 * <pre>
 * core/v1.Pod v1                     a type; with an apiVersion when it is an object of its own
 *  1 o metadata @meta/v1.ObjectMeta  number, flags, name in JSON, type
 * </pre>
 *
 * Flags: {@code o} JSON leaves out an empty value, {@code z} even an empty message, {@code p} a pointer: what is there
 * counts, even if it is empty; {@code i} its fields belong to the message around it; {@code -} none.
 */
final class ObjectTypes {
    private static final String RESOURCE = "types.txt";

    record Field(
            int number, String json, Kind kind, boolean omitEmpty, boolean omitZero, boolean pointer, boolean inline) {}

    /** How a value is written. */
    sealed interface Kind {
        record Repeated(Kind element) implements Kind {}

        /** Of text to the kind. */
        record Mapped(Kind value) implements Kind {}

        record Message(String type) implements Kind {}

        enum Plain implements Kind {
            STRING,
            INT,
            BOOL,
            DOUBLE,
            BYTES,
            TIME,
            MICROTIME,
            DURATION,
            QUANTITY,
            INTORSTRING,
            /** A message that holds JSON. */
            RAW,
            /** A message that holds a list of texts. */
            STRINGS
        }
    }

    private final Map<String, List<Field>> types;
    private final Map<String, String> objects;

    private ObjectTypes(Map<String, List<Field>> types, Map<String, String> objects) {
        this.types = types;
        this.objects = objects;
    }

    /** Read once; it does not change. */
    static ObjectTypes known() {
        return Loaded.TYPES;
    }

    private static final class Loaded {
        private static final ObjectTypes TYPES = load();
    }

    private static ObjectTypes load() {
        try (InputStream stream = ObjectTypes.class.getResourceAsStream(RESOURCE)) {
            if (stream == null) {
                throw new IllegalStateException(RESOURCE + " is missing from the module");
            }
            return read(new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ObjectTypes read(BufferedReader lines) throws IOException {
        Map<String, List<Field>> types = new HashMap<>();
        Map<String, String> objects = new HashMap<>();
        List<Field> fields = new ArrayList<>();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith("#")) {
                continue;
            }
            if (line.startsWith(" ")) {
                fields.add(field(line.strip().split(" ", -1)));
                continue;
            }
            String[] words = line.split(" ", -1);
            fields = new ArrayList<>();
            types.put(words[0], fields);
            if (words.length > 1) {
                objects.put(words[1] + " " + words[0].substring(words[0].lastIndexOf('.') + 1), words[0]);
            }
        }
        types.replaceAll((name, list) -> List.copyOf(list));
        return new ObjectTypes(Map.copyOf(types), Map.copyOf(objects));
    }

    private static Field field(String[] words) {
        String flags = words[1];
        return new Field(
                Integer.parseInt(words[0]),
                words[2],
                kind(words[3]),
                flags.contains("o"),
                flags.contains("z"),
                flags.contains("p"),
                flags.contains("i"));
    }

    private static Kind kind(String text) {
        if (text.startsWith("[]")) {
            return new Kind.Repeated(kind(text.substring(2)));
        }
        if (text.startsWith("map:")) {
            return new Kind.Mapped(kind(text.substring(4)));
        }
        if (text.startsWith("@")) {
            return new Kind.Message(text.substring(1));
        }
        return switch (text) {
            case "string" -> Kind.Plain.STRING;
            case "int" -> Kind.Plain.INT;
            case "bool" -> Kind.Plain.BOOL;
            case "double" -> Kind.Plain.DOUBLE;
            case "bytes" -> Kind.Plain.BYTES;
            case "time" -> Kind.Plain.TIME;
            case "microtime" -> Kind.Plain.MICROTIME;
            case "duration" -> Kind.Plain.DURATION;
            case "quantity" -> Kind.Plain.QUANTITY;
            case "intorstring" -> Kind.Plain.INTORSTRING;
            case "raw" -> Kind.Plain.RAW;
            case "strings" -> Kind.Plain.STRINGS;
            default -> throw new IllegalStateException("unknown type " + text + " in " + RESOURCE);
        };
    }

    Optional<String> typeOf(String apiVersion, String kind) {
        return Optional.ofNullable(objects.get(apiVersion + " " + kind));
    }

    List<Field> fields(String type) {
        return Optional.ofNullable(types.get(type))
                .orElseThrow(() -> new IllegalStateException(RESOURCE + " has no type " + type));
    }
}
