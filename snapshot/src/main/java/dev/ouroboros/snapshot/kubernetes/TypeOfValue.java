package dev.ouroboros.snapshot.kubernetes;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.Optional;

/** Of which kind a stored object is, learnt without decoding all of it. */
public record TypeOfValue(String apiVersion, String kind) {
    private static final JsonFactory JSON = new JsonFactory();

    /** The group of the apiVersion; empty for the first API. */
    public String group() {
        int slash = apiVersion.indexOf('/');
        return slash < 0 ? "" : apiVersion.substring(0, slash);
    }

    /** @return empty for what is no object or encrypted */
    public static Optional<TypeOfValue> of(StoredValue value) throws UnreadableObjectException {
        return switch (value) {
            case StoredValue.ProtobufObject object -> Optional.of(new TypeOfValue(object.apiVersion(), object.kind()));
            case StoredValue.JsonObject(byte[] text) -> Optional.of(ofJson(text));
            case StoredValue.Encrypted encrypted -> Optional.empty();
            case StoredValue.Other other -> Optional.empty();
        };
    }

    /** An API server writes both first, so little of a large object is read. */
    private static TypeOfValue ofJson(byte[] text) throws UnreadableObjectException {
        String apiVersion = "";
        String kind = "";
        try (JsonParser parser = JSON.createParser(text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new UnreadableObjectException("is JSON, but no object");
            }
            for (String name = parser.nextFieldName();
                    name != null && (apiVersion.isEmpty() || kind.isEmpty());
                    name = parser.nextFieldName()) {
                JsonToken value = parser.nextToken();
                if (value == JsonToken.VALUE_STRING && name.equals("apiVersion")) {
                    apiVersion = parser.getText();
                } else if (value == JsonToken.VALUE_STRING && name.equals("kind")) {
                    kind = parser.getText();
                } else {
                    parser.skipChildren();
                }
            }
        } catch (IOException e) {
            throw new UnreadableObjectException("has JSON that cannot be read: " + e.getMessage());
        }
        return new TypeOfValue(apiVersion, kind);
    }
}
