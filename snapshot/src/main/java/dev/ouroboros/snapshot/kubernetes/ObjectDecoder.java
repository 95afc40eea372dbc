package dev.ouroboros.snapshot.kubernetes;

import dev.ouroboros.model.json.Json;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Decodes stored objects. Not for several threads. */
public final class ObjectDecoder {
    private static final int MOST_UNKNOWN = 1000;

    private final ObjectTypes types = ObjectTypes.known();
    private final Set<String> unknownFields = new TreeSet<>();

    /**
     * The object as an API server would answer with it, in the version that it is stored in.
     *
     * @throws UnreadableObjectException when it is damaged, encrypted, or of a kind that is not known
     */
    public Json.Fields decode(StoredValue value) throws UnreadableObjectException {
        return switch (value) {
            case StoredValue.JsonObject(byte[] text) -> {
                if (PlainValues.json(text) instanceof Json.Fields fields) {
                    yield fields;
                }
                throw new UnreadableObjectException("is JSON, but no object");
            }
            case StoredValue.ProtobufObject object -> protobuf(object);
            case StoredValue.Encrypted encrypted ->
                throw new UnreadableObjectException("is encrypted with " + encrypted.label());
            case StoredValue.Other(String what) -> throw new UnreadableObjectException("is no object: " + what);
        };
    }

    private Json.Fields protobuf(StoredValue.ProtobufObject object) throws UnreadableObjectException {
        String type = types.typeOf(object.apiVersion(), object.kind())
                .orElseThrow(() -> new UnreadableObjectException("is a " + object.kind() + " of " + object.apiVersion()
                        + ", whose protobuf form this ouro does not know"));
        MessageDecoder decoder = new MessageDecoder(types);
        Map<String, Json> fields = new LinkedHashMap<>();
        fields.put("apiVersion", Json.text(object.apiVersion()));
        fields.put("kind", Json.text(object.kind()));
        fields.putAll(decoder.object(type, object.message()).values());
        decoder.unknownFields().stream()
                .sorted()
                .limit(MOST_UNKNOWN - unknownFields.size())
                .forEach(unknownFields::add);
        return new Json.Fields(fields);
    }

    /** Fields of objects decoded so far that this reader's schema does not have; they were left out. */
    public Set<String> unknownFields() {
        return Set.copyOf(unknownFields);
    }
}
