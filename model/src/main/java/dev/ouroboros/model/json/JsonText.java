package dev.ouroboros.model.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamReadException;
import dev.ouroboros.model.json.Json.Bool;
import dev.ouroboros.model.json.Json.Fields;
import dev.ouroboros.model.json.Json.Items;
import dev.ouroboros.model.json.Json.Null;
import dev.ouroboros.model.json.Json.Numeric;
import dev.ouroboros.model.json.Json.Text;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON values as text. Bounded by Jackson's limits: 1000 levels, 20 MB a text. */
public final class JsonText {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private JsonText() {}

    /**
     * Reads exactly one value.
     *
     * @throws MalformedJson when it is none, is cut off, or something follows
     */
    public static Json read(byte[] text) throws MalformedJson {
        try (JsonParser parser = FACTORY.createParser(text)) {
            return one(parser);
        } catch (MalformedJson e) {
            throw e;
        } catch (IOException e) {
            throw malformed(e);
        }
    }

    /** As {@link #read(byte[])}, of UTF-8 text. */
    public static Json read(String text) throws MalformedJson {
        return read(text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Reads exactly one value from a stream, which it leaves open.
     *
     * @throws MalformedJson when it is none
     * @throws IOException when the stream fails
     */
    public static Json read(InputStream stream) throws IOException {
        try (JsonParser parser = FACTORY.createParser(stream).disable(JsonParser.Feature.AUTO_CLOSE_SOURCE)) {
            return one(parser);
        } catch (StreamReadException e) {
            throw malformed(e);
        }
    }

    /** The shortest text, in UTF-8. */
    public static String text(Json value) {
        return new String(write(value), StandardCharsets.UTF_8);
    }

    /** As {@link #text}, in UTF-8. */
    public static byte[] write(Json value) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator generator = FACTORY.createGenerator(bytes)) {
            write(value, generator);
        } catch (IOException e) {
            throw new IllegalStateException("memory can always be written", e);
        }
        return bytes.toByteArray();
    }

    /** Text that does not parse as JSON; the message says where. */
    public static final class MalformedJson extends IOException {
        private static final long serialVersionUID = 1;

        MalformedJson(String message, Throwable cause) {
            super(message, cause);
        }

        /** @param message what is wrong in a value that is JSON, but not as it must be */
        public MalformedJson(String message) {
            super(message);
        }
    }

    private static MalformedJson malformed(IOException e) {
        if (e instanceof StreamReadException read && read.getLocation() != null) {
            return new MalformedJson(
                    "line " + read.getLocation().getLineNr() + ", column "
                            + read.getLocation().getColumnNr() + ": " + read.getOriginalMessage(),
                    e);
        }
        return new MalformedJson(String.valueOf(e.getMessage()), e);
    }

    private static Json one(JsonParser parser) throws IOException {
        JsonToken first = parser.nextToken();
        if (first == null) {
            throw new MalformedJson("is empty");
        }
        Json value = value(parser);
        if (parser.nextToken() != null) {
            throw new MalformedJson("something follows the value in line "
                    + parser.currentTokenLocation().getLineNr());
        }
        return value;
    }

    private static Json value(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> {
                Map<String, Json> fields = new LinkedHashMap<>();
                for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
                    parser.nextToken();
                    fields.put(name, value(parser));
                }
                yield new Fields(fields);
            }
            case START_ARRAY -> {
                List<Json> items = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    items.add(value(parser));
                }
                yield new Items(items);
            }
            case VALUE_STRING -> new Text(parser.getText());
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> new Numeric(parser.getText());
            case VALUE_TRUE -> new Bool(true);
            case VALUE_FALSE -> new Bool(false);
            case VALUE_NULL -> Json.absent();
            case END_OBJECT, END_ARRAY, FIELD_NAME, VALUE_EMBEDDED_OBJECT, NOT_AVAILABLE ->
                throw new MalformedJson("unexpected " + parser.currentToken());
        };
    }

    private static void write(Json value, JsonGenerator generator) throws IOException {
        switch (value) {
            case Fields(Map<String, Json> values) -> {
                generator.writeStartObject();
                for (Map.Entry<String, Json> field : values.entrySet()) {
                    generator.writeFieldName(field.getKey());
                    write(field.getValue(), generator);
                }
                generator.writeEndObject();
            }
            case Items(List<Json> values) -> {
                generator.writeStartArray();
                for (Json item : values) {
                    write(item, generator);
                }
                generator.writeEndArray();
            }
            case Text(String text) -> generator.writeString(text);
            case Numeric(String literal) -> generator.writeNumber(literal);
            case Bool(boolean bool) -> generator.writeBoolean(bool);
            case Null() -> generator.writeNull();
        }
    }
}
