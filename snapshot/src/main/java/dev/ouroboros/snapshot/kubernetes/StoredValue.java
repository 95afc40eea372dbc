package dev.ouroboros.snapshot.kubernetes;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/** How a value in etcd is written, told by its first bytes. */
public sealed interface StoredValue {
    /** @param text of one JSON value */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    record JsonObject(byte[] text) implements StoredValue {}

    /** {@code runtime.Unknown}: the kind, and the message of that kind. */
    record ProtobufObject(String apiVersion, String kind, ByteBuffer message) implements StoredValue {}

    /**
     * Encrypted by an API server; cannot be read without the key.
     *
     * @param provider aescbc, aesgcm, secretbox, or kms
     * @param version of the provider's format, as v1
     * @param key the key's name; of a KMS the plugin's
     * @param payload behind the prefix
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    record Encrypted(String provider, String version, String key, byte[] payload) implements StoredValue {
        /** As people look for it in an EncryptionConfiguration. */
        public String label() {
            return provider.equals("kms") ? "kms " + version + " " + key : provider + " " + key;
        }
    }

    /** Of a form that this reader does not know. */
    record Other(String what) implements StoredValue {}

    String ENCRYPTED = "k8s:enc:";
    String PROTOBUF = "k8s\0";
    String CBOR = "\u00d9\u00d9\u00f7";
    /** The longest prefix of an encrypted value that is looked at. */
    int LONGEST_PREFIX = 512;

    static StoredValue of(byte[] value) throws UnreadableObjectException {
        if (startsWith(value, PROTOBUF)) {
            return envelope(ByteBuffer.wrap(value, PROTOBUF.length(), value.length - PROTOBUF.length()));
        }
        if (startsWith(value, ENCRYPTED)) {
            return encrypted(value);
        }
        int first = 0;
        while (first < value.length && Character.isWhitespace(value[first])) {
            first++;
        }
        if (first < value.length && value[first] == '{') {
            return new JsonObject(value);
        }
        if (startsWith(value, CBOR)) {
            return new Other("CBOR (the API server's feature gate CBORServingAndStorage)");
        }
        return new Other(
                value.length == 0
                        ? "empty"
                        : "bytes that begin with " + HexFormat.of().formatHex(value, 0, Math.min(8, value.length)));
    }

    private static boolean startsWith(byte[] value, String prefix) {
        return value.length >= prefix.length()
                && new String(value, 0, prefix.length(), StandardCharsets.ISO_8859_1).equals(prefix);
    }

    private static StoredValue envelope(ByteBuffer message) throws UnreadableObjectException {
        WireReader in = new WireReader(message);
        String apiVersion = "";
        String kind = "";
        ByteBuffer raw = ByteBuffer.allocate(0);
        String encoding = "";
        while (in.next()) {
            switch (in.field()) {
                case 1 -> {
                    WireReader type = new WireReader(in.delimited());
                    while (type.next()) {
                        switch (type.field()) {
                            case 1 -> apiVersion = type.text();
                            case 2 -> kind = type.text();
                            default -> type.skip();
                        }
                    }
                }
                case 2 -> raw = in.delimited();
                case 3 -> encoding = in.text();
                default -> in.skip();
            }
        }
        return encoding.isEmpty() ? new ProtobufObject(apiVersion, kind, raw) : new Other("encoded as " + encoding);
    }

    /** {@code k8s:enc:PROVIDER:VERSION:KEY:}; of KMS v2 the same. */
    private static StoredValue encrypted(byte[] value) {
        String start = new String(value, 0, Math.min(value.length, LONGEST_PREFIX), StandardCharsets.ISO_8859_1);
        String[] parts = start.substring(ENCRYPTED.length()).split(":", 4);
        if (parts.length < 4) {
            return new Other("encrypted, but cut off within its prefix");
        }
        int length = ENCRYPTED.length() + parts[0].length() + parts[1].length() + parts[2].length() + 3;
        String key = new String(parts[2].getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
        return new Encrypted(parts[0], parts[1], key, Arrays.copyOfRange(value, length, value.length));
    }
}
