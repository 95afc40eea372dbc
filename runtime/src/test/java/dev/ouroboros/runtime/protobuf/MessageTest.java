package dev.ouroboros.runtime.protobuf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;
import static org.quicktheories.generators.SourceDSL.longs;
import static org.quicktheories.generators.SourceDSL.strings;

import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class MessageTest {
    @Test
    void writesTheExamplesOfTheEncodingGuide() {
        assertThat(hex(new MessageWriter().number(1, 150))).isEqualTo("089601");
        assertThat(hex(new MessageWriter().text(2, "testing"))).isEqualTo("120774657374696e67");
        assertThat(hex(new MessageWriter().message(3, new MessageWriter().number(1, 150))))
                .isEqualTo("1a03089601");
        assertThat(hex(new MessageWriter().number(1, -2))).isEqualTo("08feffffffffffffffff01");
    }

    @Test
    void leavesOutDefaultsButNotEmptyMessages() {
        assertThat(hex(new MessageWriter().number(1, 0).text(2, "").bytes(3, new byte[0])))
                .isEmpty();
        assertThat(hex(new MessageWriter().message(4, new MessageWriter()))).isEqualTo("2200");
    }

    @Test
    void readsWhatWasWritten() {
        qt().forAll(
                        longs().all(),
                        strings().allPossible().ofLengthBetween(0, 300),
                        integers().between(1, (1 << 29) - 1))
                .check((number, text, field) -> {
                    byte[] message = new MessageWriter()
                            .number(field, number)
                            .text(field, text)
                            .map(field, Map.of(text, text))
                            .toBytes();
                    return reads(message, field, number, text);
                });
    }

    private static boolean reads(byte[] message, int field, long number, String text) {
        try {
            MessageReader reader = new MessageReader(message);
            boolean good = true;
            if (number != 0) {
                good = reader.next() && reader.field() == field && reader.number() == number;
            }
            // A lone half of a surrogate pair has no encoding: it comes back as a question mark.
            String expected = new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
            if (!text.isEmpty()) {
                good &= reader.next() && reader.text().equals(expected);
            }
            Map<String, String> map = new LinkedHashMap<>();
            good &= reader.next();
            reader.entryInto(map);
            return good && map.equals(Map.of(expected, expected)) && !reader.next();
        } catch (MalformedMessageException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void skipsWhatIsNotAskedFor() throws MalformedMessageException {
        byte[] message = HexFormat.of().parseHex("0896010d010203041101020304050607081a03414243" + "2007");
        MessageReader reader = new MessageReader(message);
        long last = 0;
        while (reader.next()) {
            if (reader.field() == 4) {
                last = reader.number();
            }
        }
        assertThat(last).isEqualTo(7);
    }

    @Test
    void refusesWhatIsCutOff() {
        byte[] whole = new MessageWriter()
                .message(1, new MessageWriter().text(1, "abc"))
                .bytes(2, new byte[200])
                .toBytes();
        assertThatThrownBy(() -> readAll(Arrays.copyOf(whole, whole.length - 1)))
                .isInstanceOf(MalformedMessageException.class);
        assertThatThrownBy(() -> readAll(HexFormat.of().parseHex("0880")))
                .hasMessageContaining("in the middle of a number");
        assertThatThrownBy(() -> readAll(HexFormat.of().parseHex("08ffffffffffffffffffff01")))
                .hasMessageContaining("more than 10 bytes");
        assertThatThrownBy(() -> readAll(HexFormat.of().parseHex("0b"))).hasMessageContaining("wire type");
        assertThatThrownBy(() -> readAll(HexFormat.of().parseHex("00"))).hasMessageContaining("field number 0");
        assertThatThrownBy(() -> readAll(HexFormat.of().parseHex("12ffffffffffffffffff01")))
                .hasMessageContaining("longer than its message");
    }

    @Test
    void refusesAValueOfAnotherType() throws MalformedMessageException {
        MessageReader reader =
                new MessageReader(new MessageWriter().number(1, 5).toBytes());
        assertThat(reader.next()).isTrue();
        assertThatThrownBy(reader::text).hasMessageContaining("field 1 is VARINT, expected DELIMITED");
    }

    @Test
    void failsInOneWayOnlyOnAnyBytes() {
        qt().withExamples(5_000)
                .forAll(longs().all(), integers().between(0, 40))
                .check((seed, length) -> {
                    byte[] message = new byte[length];
                    new Random(seed).nextBytes(message);
                    try {
                        readAll(message);
                    } catch (MalformedMessageException e) {
                        return !String.valueOf(e.getMessage()).isEmpty();
                    }
                    return true;
                });
    }

    private static void readAll(byte[] message) throws MalformedMessageException {
        MessageReader reader = new MessageReader(message);
        while (reader.next()) {
            // skips it
        }
    }

    private static String hex(MessageWriter message) {
        return HexFormat.of().formatHex(message.toBytes());
    }
}
