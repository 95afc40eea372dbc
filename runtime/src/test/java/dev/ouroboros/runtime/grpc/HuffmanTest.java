package dev.ouroboros.runtime.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

final class HuffmanTest {
    @Test
    void decodesTheExamplesOfTheStandard() throws ProtocolException {
        assertThat(decode("f1e3c2e5f23a6ba0ab90f4ff")).isEqualTo("www.example.com");
        assertThat(decode("a8eb10649cbf")).isEqualTo("no-cache");
        assertThat(decode("25a849e95ba97d7f")).isEqualTo("custom-key");
        assertThat(decode("d07abe941054d444a8200595040b8166e082a62d1bff")).isEqualTo("Mon, 21 Oct 2013 20:13:21 GMT");
        assertThat(decode("94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007"))
                .isEqualTo("foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1");
        assertThat(decode("")).isEmpty();
    }

    /** Kraft's sum is 1 exactly: no code is missing, none is another one's beginning. */
    @Test
    void tableIsComplete() {
        long sum = 0;
        for (int symbol = 0; symbol <= 256; symbol++) {
            sum += 1L << (30 - Huffman.length(symbol));
        }
        assertThat(sum).isEqualTo(1L << 30);
    }

    @Test
    void refusesWhatIsCutOff() {
        assertThatThrownBy(() -> decode("f1e3c2e5f23a6ba0ab90f4ffff")).hasMessageContaining("cut off");
        assertThatThrownBy(() -> decode("a8eb10649cb0")).hasMessageContaining("cut off");
    }

    @Test
    void refusesTheEndOfAStringInsideOfIt() {
        assertThatThrownBy(() -> decode("ffffffff")).hasMessageContaining("end of a string");
    }

    private static String decode(String hex) throws ProtocolException {
        return Huffman.decode(ByteBuffer.wrap(HexFormat.of().parseHex(hex)));
    }
}
