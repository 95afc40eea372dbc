package dev.ouroboros.cli.sandbox;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.cli.cluster.SandboxOptions;
import dev.ouroboros.cli.console.OutcomeOptions;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.sandbox.Leftover;
import dev.ouroboros.sandbox.Sandbox;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ouro down}. */
@Command(
        name = "down",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Removes a sandbox with everything that is in it, and proves that nothing is left.",
        footer = {
            "",
            "Example:",
            "  ouro down --name test",
            "",
            "It removes a half-made sandbox too, and what is left of one after this machine has crashed."
        })
public final class DownCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private SandboxOptions options = new SandboxOptions();

    @Option(names = "--all", description = "Every sandbox on this machine.")
    private boolean all;

    @Mixin
    private final OutcomeOptions output = new OutcomeOptions();

    /** What was removed of one sandbox, and what is still there. */
    private record Removed(Sandbox sandbox, List<Leftover> before, List<Leftover> left) {}

    @Override
    public Integer call() {
        if (all && options.givenName().isPresent()) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "--all and --name",
                    "say different things",
                    "one of them",
                    "leave --name out to take all of them down");
        }
        List<Sandbox> sandboxes = all ? SandboxOptions.host().sandboxes() : List.of(options.sandbox());
        SpokenLines lines = new SpokenLines(spec);
        if (sandboxes.isEmpty()) {
            lines.say("there is no sandbox: nothing to do");
        }
        List<Removed> removed = new ArrayList<>();
        List<Problem> problems = new ArrayList<>();
        for (Sandbox sandbox : sandboxes) {
            try {
                removed.add(remove(sandbox, lines));
            } catch (ProblemException e) {
                // Only this sandbox could not be removed: the others are.
                problems.addAll(e.problems());
            }
        }
        output.print(spec, () -> data(removed));
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
        return removed.stream().allMatch(each -> each.left().isEmpty()) ? ExitCode.DONE : ExitCode.FAILED;
    }

    private static ObjectNode data(List<Removed> removed) {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        ArrayNode all = data.putArray("sandboxes");
        for (Removed each : removed) {
            ObjectNode sandbox =
                    all.addObject().put("sandbox", each.sandbox().name().toString());
            ObjectNode counts = sandbox.putObject("removed");
            counts(each.before()).forEach((kind, count) -> counts.put(kind.toString(), count));
            ArrayNode left = sandbox.putArray("left");
            each.left().forEach(leftover -> left.add(leftover.toString()));
        }
        return data;
    }

    private static Removed remove(Sandbox sandbox, SpokenLines lines) {
        List<Leftover> before = sandbox.inventory();
        if (before.isEmpty()) {
            lines.say("there is no sandbox " + sandbox.name() + ": nothing to do");
            return new Removed(sandbox, List.of(), List.of());
        }
        List<Leftover> left = sandbox.remove();
        lines.say("sandbox " + sandbox.name() + ": removed " + count(before));
        if (left.isEmpty()) {
            lines.say("looked again for processes, mounts, loop devices, network devices, control groups and files:"
                    + " nothing is left");
        }
        left.forEach(leftover -> lines.say("left: " + leftover));
        return new Removed(sandbox, before, left);
    }

    /** As in {@code process 3, loop device 1}. */
    private static String count(List<Leftover> leftovers) {
        return counts(leftovers).entrySet().stream()
                .map(entry -> entry.getKey() + " " + entry.getValue())
                .collect(Collectors.joining(", "));
    }

    private static Map<Leftover.Kind, Long> counts(List<Leftover> leftovers) {
        return leftovers.stream().collect(Collectors.groupingBy(Leftover::kind, TreeMap::new, Collectors.counting()));
    }
}
