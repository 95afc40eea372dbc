package dev.ouroboros.images.binary;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Which binaries there are, and for which machines. */
final class BinariesTest {
    @Test
    void aBinaryThatIsNeededAndNotThereIsNamedWithItsSource() {
        Map<Binary, Path> required = Arrays.stream(Binary.values())
                .filter(Binary::required)
                .collect(Collectors.toMap(Function.identity(), binary -> Path.of("/bin", binary.fileName())));
        Binaries binaries = new Binaries("/some/directory", "1.36.2", "3.6.9", required, List.of());

        assertThat(binaries.file(Binary.KUBELET)).isEqualTo(Path.of("/bin/kubelet"));
        Refusal.of(() -> binaries.file(Binary.ETCDUTL), ErrorCode.NOT_FOUND)
                .line("/some/directory: has no etcdutl; use another source of binaries");
    }

    @Test
    void aMachineOfAnotherArchitectureIsRefusedAsItNamesItself() {
        assertThat(Architecture.of("x86_64")).isEqualTo(Architecture.AMD64);
        assertThat(Architecture.of("arm64")).isEqualTo(Architecture.ARM64);
        Refusal.of(() -> Architecture.of("riscv64"), ErrorCode.MISSING_TOOL)
                .line(
                        "this machine: has the architecture riscv64; expected amd64 or arm64; run ouro on a machine with one of these");
    }
}
