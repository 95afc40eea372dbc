package dev.ouroboros.sandbox.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.sandbox.NodeRecord;
import java.util.List;
import org.junit.jupiter.api.Test;

final class NetworkSplitTest {
    private static final NodeRecord A = new NodeRecord("a", 2);
    private static final NodeRecord B = new NodeRecord("b", 3);
    private static final NodeRecord C = new NodeRecord("c", 4);

    @Test
    void eachGroupIsDroppedFromEveryOther() {
        String rules = new NetworkSplit(List.of(List.of(A, B), List.of(C))).rules();

        assertThat(rules)
                .startsWith(NetworkSplit.HEAL)
                .contains("iifname { \"node2\", \"node3\" } oifname { \"node4\" } drop")
                .contains("iifname { \"node4\" } oifname { \"node2\", \"node3\" } drop");
    }

    @Test
    void whatIsNoSplitIsRefused() {
        Refusal.of(() -> new NetworkSplit(List.of(List.of(A, B))), ErrorCode.BAD_USAGE)
                .lineContains("one group only");
        Refusal.of(() -> new NetworkSplit(List.of(List.of(A), List.of())), ErrorCode.BAD_USAGE)
                .lineContains("empty group");
        Refusal.of(() -> new NetworkSplit(List.of(List.of(A), List.of(B, A))), ErrorCode.BAD_USAGE)
                .lineContains("node a twice");
    }
}
