package dev.ouroboros.snapshot.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ObjectDecoderTest {
    private final ObjectDecoder decoder = new ObjectDecoder();

    /** Writes the wire format, as far as these tests need it. */
    private static final class Message {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();

        Message number(int field, long value) {
            varint((long) field << 3);
            varint(value);
            return this;
        }

        Message bytes(int field, byte[] value) {
            varint((long) field << 3 | 2);
            varint(value.length);
            out.writeBytes(value);
            return this;
        }

        Message text(int field, String value) {
            return bytes(field, value.getBytes(StandardCharsets.UTF_8));
        }

        Message message(int field, Message value) {
            return bytes(field, value.out.toByteArray());
        }

        private void varint(long value) {
            long rest = value;
            while ((rest & ~0x7fL) != 0) {
                out.write(((int) rest & 0x7f) | 0x80);
                rest >>>= 7;
            }
            out.write((int) rest);
        }
    }

    private static byte[] stored(String apiVersion, String kind, Message object) {
        Message unknown = new Message()
                .message(1, new Message().text(1, apiVersion).text(2, kind))
                .message(2, object);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes("k8s\0".getBytes(StandardCharsets.US_ASCII));
        all.writeBytes(unknown.out.toByteArray());
        return all.toByteArray();
    }

    private String decode(String apiVersion, String kind, Message object) throws Exception {
        Json decoded = decoder.decode(StoredValue.of(stored(apiVersion, kind, object)));
        return new String(JsonText.write(decoded), StandardCharsets.UTF_8);
    }

    @Test
    void keepsTheZeroOfAPointerAndDropsThatOfAValue() throws Exception {
        Message spec = new Message().number(1, 0).number(5, 0);
        assertThat(decode("apps/v1", "Deployment", new Message().message(2, spec)))
                .isEqualTo("{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"spec\":{\"replicas\":0}}");
    }

    @Test
    void putsAnInlineMessageIntoTheOneAroundIt() throws Exception {
        Message volume = new Message().text(1, "v").message(2, new Message().message(2, new Message()));
        assertThat(decode("v1", "Pod", new Message().message(2, new Message().message(1, volume))))
                .contains("\"volumes\":[{\"name\":\"v\",\"emptyDir\":{}}]");
    }

    @Test
    void writesTimesQuantitiesAndPortsAsJsonDoes() throws Exception {
        Message metadata = new Message().text(1, "a").message(8, new Message().number(1, 1_700_000_000));
        Message port = new Message()
                .number(3, 80)
                .message(4, new Message().number(1, 1).text(3, "http"));
        assertThat(decode(
                        "v1", "Service", new Message().message(1, metadata).message(2, new Message().message(1, port))))
                .contains("\"creationTimestamp\":\"2023-11-14T22:13:20Z\"", "\"port\":80,\"targetPort\":\"http\"");
        Message storage = new Message().text(1, "storage").message(2, new Message().text(1, "8Gi"));
        assertThat(decode("v1", "PersistentVolume", new Message().message(2, new Message().message(1, storage))))
                .contains("\"capacity\":{\"storage\":\"8Gi\"}");
    }

    @Test
    void writesSecretsAsBase64() throws Exception {
        Message entry = new Message().text(1, "key").bytes(2, new byte[] {0, (byte) 0xff});
        assertThat(decode("v1", "Secret", new Message().message(2, entry))).contains("\"data\":{\"key\":\"AP8=\"}");
    }

    @Test
    void tellsOfFieldsThatItDoesNotKnow() throws Exception {
        decode("v1", "ConfigMap", new Message().text(4711, "from the future"));
        assertThat(decoder.unknownFields()).containsExactly("core/v1.ConfigMap field 4711");
    }

    @Test
    void namesAKindThatItDoesNotKnow() {
        assertThatThrownBy(() -> decode("v9", "Gadget", new Message()))
                .isInstanceOf(UnreadableObjectException.class)
                .hasMessageContaining("Gadget of v9");
    }

    @Test
    void refusesAMessageThatNestsWithoutEnd() {
        Message schema = new Message().text(1, "a");
        for (int level = 0; level < 2_000; level++) {
            // "not", a schema in a schema
            schema = new Message().message(28, schema);
        }
        Message version = new Message().message(4, new Message().message(1, schema));
        Message definition = new Message().message(2, new Message().message(7, version));
        assertThatThrownBy(() -> decode("apiextensions.k8s.io/v1", "CustomResourceDefinition", definition))
                .isInstanceOf(UnreadableObjectException.class)
                .hasMessageContaining("levels deep");
    }

    @Test
    void readsJsonAsItIs() throws Exception {
        byte[] text = "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"spec\":{\"a\":1.50}}"
                .getBytes(StandardCharsets.UTF_8);
        assertThat(JsonText.write(decoder.decode(StoredValue.of(text)))).isEqualTo(text);
        assertThat(TypeOfValue.of(StoredValue.of(text))).contains(new TypeOfValue("example.com/v1", "Widget"));
    }

    @Test
    void namesWhatItCannotRead() {
        for (byte[] value : new byte[][] {
            {}, {1, 2, 3}, {(byte) 0xd9, (byte) 0xd9, (byte) 0xf7}, "{".getBytes(StandardCharsets.US_ASCII)
        }) {
            assertThatThrownBy(() -> decoder.decode(StoredValue.of(value)))
                    .isInstanceOf(UnreadableObjectException.class);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0s",
        "1, 1ns",
        "1500, 1.5µs",
        "20000000, 20ms",
        "1500000000, 1.5s",
        "5400000000000, 1h30m0s",
        "-60000000000, -1m0s"
    })
    void writesDurationsAsGoDoes(long nanos, String text) {
        assertThat(PlainValues.duration(nanos)).isEqualTo(text);
    }
}
