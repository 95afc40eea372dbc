package dev.ouroboros.cli.sandbox;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.cli.cluster.SandboxOptions;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.console.TextTable;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.sandbox.NodeStatus;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.up.NodeRoles;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ouro nodes}. */
@Command(
        name = "nodes",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Lists the nodes of all sandboxes on this machine, or of one.",
            "Their roles are what their labels say, as long as the cluster answers."
        },
        footer = {"", "Example:", "  ouro nodes -o json"})
public final class NodesCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private SandboxOptions options = new SandboxOptions();

    @Mixin
    private final OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        List<Sandbox> sandboxes = options.givenName().isPresent()
                ? List.of(options.existing())
                : SandboxOptions.host().sandboxes();
        List<NodeStatus> nodes = new ArrayList<>();
        Map<String, Boolean> controlPlanes = new HashMap<>();
        List<Problem> problems = new ArrayList<>();
        for (Sandbox sandbox : sandboxes) {
            try {
                nodes.addAll(sandbox.status());
                NodeRoles.controlPlanes(sandbox)
                        .forEach((node, controlPlane) ->
                                controlPlanes.put(key(sandbox.name().value(), node), controlPlane));
            } catch (ProblemException e) {
                // Only this sandbox could not be read: the others are shown.
                problems.addAll(e.problems());
            }
        }
        output.print(spec, data(nodes, controlPlanes), () -> table(nodes, controlPlanes));
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
        return ExitCode.DONE;
    }

    private static String table(List<NodeStatus> nodes, Map<String, Boolean> controlPlanes) {
        TextTable table = new TextTable("NODE", "SANDBOX", "STATE", "ROLE", "ADDRESS", "PID", "KUBERNETES");
        for (NodeStatus node : nodes) {
            table.row(
                    node.node(),
                    node.sandbox(),
                    state(node),
                    role(node, controlPlanes).orElse("-"),
                    node.address().orElse("-"),
                    node.pid().map(String::valueOf).orElse("-"),
                    node.kubernetesVersion().orElse("-"));
        }
        return table.toString();
    }

    private static ArrayNode data(List<NodeStatus> nodes, Map<String, Boolean> controlPlanes) {
        ArrayNode all = JsonNodeFactory.instance.arrayNode();
        for (NodeStatus node : nodes) {
            ObjectNode one = all.addObject()
                    .put("node", node.node())
                    .put("sandbox", node.sandbox())
                    .put("state", state(node));
            role(node, controlPlanes).ifPresent(role -> one.put("role", role));
            node.address().ifPresent(address -> one.put("address", address));
            node.pid().ifPresent(pid -> one.put("pid", pid));
            node.kubernetesVersion().ifPresent(version -> one.put("kubernetesVersion", version));
        }
        return all;
    }

    /** The role by the Node's label; empty while the cluster does not answer, and for a node that has not joined. */
    private static Optional<String> role(NodeStatus node, Map<String, Boolean> controlPlanes) {
        return Optional.ofNullable(controlPlanes.get(key(node.sandbox(), node.node())))
                .map(controlPlane -> controlPlane ? "control-plane" : "worker");
    }

    /** Identifies a node: two sandboxes may have nodes of the same name. */
    private static String key(String sandbox, String node) {
        return sandbox + "/" + node;
    }

    private static String state(NodeStatus node) {
        return node.state().name().toLowerCase(Locale.ROOT);
    }
}
