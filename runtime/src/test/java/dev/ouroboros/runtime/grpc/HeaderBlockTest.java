package dev.ouroboros.runtime.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;
import static org.quicktheories.generators.SourceDSL.longs;

import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class HeaderBlockTest {
    @Test
    void readsTheExamplesOfTheStandard() throws ProtocolException {
        assertThat(decode("400a637573746f6d2d6b65790d637573746f6d2d686561646572"))
                .containsExactly(Map.entry("custom-key", "custom-header"));
        assertThat(decode("040c2f73616d706c652f70617468")).containsExactly(Map.entry(":path", "/sample/path"));
        assertThat(decode("100870617373776f726406736563726574")).containsExactly(Map.entry("password", "secret"));
        assertThat(decode("82")).containsExactly(Map.entry(":method", "GET"));
        assertThat(decode("828684418cf1e3c2e5f23a6ba0ab90f4ff"))
                .containsExactly(
                        Map.entry(":method", "GET"),
                        Map.entry(":scheme", "http"),
                        Map.entry(":path", "/"),
                        Map.entry(":authority", "www.example.com"));
    }

    @Test
    void knowsBothEndsOfTheStaticTable() throws ProtocolException {
        assertThat(decode("81")).containsExactly(Map.entry(":authority", ""));
        assertThat(decode("bd")).containsExactly(Map.entry("www-authenticate", ""));
        assertThat(decode("88")).containsExactly(Map.entry(":status", "200"));
        assertThat(decode("90")).containsExactly(Map.entry("accept-encoding", "gzip, deflate"));
        assertThat(decode("9f")).containsExactly(Map.entry("content-type", ""));
    }

    @Test
    void readsWhatItWrites() {
        qt().forAll(integers().between(0, 70_000), integers().between(1, 300)).check((valueLength, nameLength) -> {
            Map<String, String> headers = Map.of("n".repeat(nameLength), "v".repeat(valueLength));
            try {
                return HeaderBlock.decode(ByteBuffer.wrap(HeaderBlock.encode(headers)))
                        .equals(headers);
            } catch (ProtocolException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    @Test
    void acceptsThatTheTableIsEmptyAndNothingElse() throws ProtocolException {
        assertThat(decode("2088")).containsExactly(Map.entry(":status", "200"));
        assertThatThrownBy(() -> decode("3fe11f88")).hasMessageContaining("dynamic header table");
        assertThatThrownBy(() -> decode("be")).hasMessageContaining("header number 62");
        assertThatThrownBy(() -> decode("80")).hasMessageContaining("header number 0");
    }

    @Test
    void failsInOneWayOnlyOnAnyBytes() {
        qt().withExamples(5_000)
                .forAll(longs().all(), integers().between(0, 40))
                .check((seed, length) -> {
                    byte[] block = new byte[length];
                    new Random(seed).nextBytes(block);
                    try {
                        HeaderBlock.decode(ByteBuffer.wrap(block));
                    } catch (ProtocolException e) {
                        return !String.valueOf(e.getMessage()).isEmpty();
                    }
                    return true;
                });
    }

    private static Map<String, String> decode(String hex) throws ProtocolException {
        return HeaderBlock.decode(ByteBuffer.wrap(HexFormat.of().parseHex(hex)));
    }
}
