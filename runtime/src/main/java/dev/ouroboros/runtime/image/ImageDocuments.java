package dev.ouroboros.runtime.image;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ProtocolException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The JSON documents of an image: manifests and indices, which refer to other blobs. */
final class ImageDocuments {
    private static final String NAME_ANNOTATION = "io.containerd.image.name";
    private static final JsonFactory JSON = new JsonFactory();

    private ImageDocuments() {}

    /**
     * What a manifest or index refers to.
     *
     * @param role {@code config}, {@code layers} or {@code manifests}
     * @param name that the reference is annotated with; empty when it is not
     */
    record Reference(String role, Descriptor descriptor, String name) {}

    /** All references in their order. */
    static List<Reference> references(byte[] document) throws IOException {
        List<Reference> references = new ArrayList<>();
        try (JsonParser parser = JSON.createParser(document)) {
            expect(parser, parser.nextToken(), JsonToken.START_OBJECT);
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                JsonToken value = parser.nextToken();
                switch (field) {
                    case "config" -> references.add(reference(parser, field));
                    case "layers", "manifests" -> {
                        expect(parser, value, JsonToken.START_ARRAY);
                        while (parser.nextToken() != JsonToken.END_ARRAY) {
                            references.add(reference(parser, field));
                        }
                    }
                    default -> parser.skipChildren();
                }
            }
        }
        return List.copyOf(references);
    }

    private static Reference reference(JsonParser parser, String role) throws IOException {
        expect(parser, parser.currentToken(), JsonToken.START_OBJECT);
        Map<String, String> fields = new HashMap<>();
        String name = "";
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String field = parser.currentName();
            JsonToken value = parser.nextToken();
            if (field.equals("annotations") && value == JsonToken.START_OBJECT) {
                name = annotations(parser).getOrDefault(NAME_ANNOTATION, "");
            } else if (value.isScalarValue()) {
                fields.put(field, parser.getText());
            } else {
                parser.skipChildren();
            }
        }
        return new Reference(
                role,
                Descriptor.of(
                        fields.getOrDefault("mediaType", ""),
                        fields.getOrDefault("digest", ""),
                        size(fields.getOrDefault("size", ""))),
                name);
    }

    private static Map<String, String> annotations(JsonParser parser) throws IOException {
        Map<String, String> annotations = new HashMap<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String key = parser.currentName();
            parser.nextToken();
            annotations.put(key, parser.getText());
        }
        return annotations;
    }

    private static long size(String number) throws ProtocolException {
        try {
            return Long.parseLong(number);
        } catch (NumberFormatException e) {
            throw new ProtocolException("'" + number + "' is no size of a blob");
        }
    }

    private static void expect(JsonParser parser, JsonToken found, JsonToken expected) throws IOException {
        if (found != expected) {
            throw new ProtocolException("an image's document has " + found + " in place of " + expected + " at "
                    + parser.currentLocation().offsetDescription());
        }
    }

    /** The {@code index.json} of an OCI image layout that holds one image, with its name as containerd's own export has it. */
    static byte[] index(String name, Descriptor image) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = JSON.createGenerator(out)) {
            json.writeStartObject();
            json.writeNumberField("schemaVersion", 2);
            json.writeArrayFieldStart("manifests");
            json.writeStartObject();
            json.writeStringField("mediaType", image.mediaType());
            json.writeStringField("digest", image.digest());
            json.writeNumberField("size", image.size());
            json.writeObjectFieldStart("annotations");
            json.writeStringField(NAME_ANNOTATION, name);
            json.writeEndObject();
            json.writeEndObject();
            json.writeEndArray();
            json.writeEndObject();
        }
        return out.toByteArray();
    }
}
