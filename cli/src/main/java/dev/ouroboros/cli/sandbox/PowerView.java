package dev.ouroboros.cli.sandbox;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.cli.cluster.SandboxOptions;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.console.TextTable;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.sandbox.Reboot;
import java.time.Instant;
import java.time.InstantSource;
import picocli.CommandLine.Model.CommandSpec;

/** What the commands that take a node's power away or give it back have in common. */
final class PowerView {
    private PowerView() {}

    static Reboot reboot(SandboxOptions.Found found) {
        return new Reboot(found.sandbox(), found.node(), ThisMachine.disk(), InstantSource.system());
    }

    /** Says when it lost its power and when its kubelet was started. */
    static void print(CommandSpec spec, OutputOptions output, SandboxOptions.Found found, Reboot.Outcome outcome) {
        output.print(spec, data(found, outcome), () -> table(found, outcome));
    }

    private static String table(SandboxOptions.Found found, Reboot.Outcome outcome) {
        TextTable table = new TextTable("NODE", "SANDBOX", "POWER CUT", "KUBELET STARTED");
        table.row(
                found.node().name(),
                found.sandbox().name().value(),
                outcome.powerCutAt().map(Instant::toString).orElse("-"),
                outcome.kubeletStartedAt().map(Instant::toString).orElse("-"));
        return table.toString();
    }

    private static ObjectNode data(SandboxOptions.Found found, Reboot.Outcome outcome) {
        ObjectNode data = JsonNodeFactory.instance
                .objectNode()
                .put("node", found.node().name())
                .put("sandbox", found.sandbox().name().value());
        outcome.powerCutAt().ifPresent(moment -> data.put("powerCutAt", moment.toString()));
        outcome.kubeletStartedAt().ifPresent(moment -> data.put("kubeletStartedAt", moment.toString()));
        return data;
    }
}
