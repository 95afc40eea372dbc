package dev.ouroboros.node.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class NodeNameTest {
    @Test
    void isTheHostNameInLowerCase() {
        assertThat(NodeName.of("Rack2-A.example\n")).contains("rack2-a.example");
        assertThat(NodeName.of("\n")).isEmpty();
    }
}
