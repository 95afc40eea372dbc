package dev.ouroboros.cli;

import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.sandbox.Leftover;
import dev.ouroboros.sandbox.Sandbox;
import java.io.PrintWriter;
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
final class DownCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private SandboxOptions options = new SandboxOptions();

    @Option(names = "--all", description = "Every sandbox on this machine.")
    private boolean all;

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
        PrintWriter err = spec.commandLine().getErr();
        if (sandboxes.isEmpty()) {
            err.println("there is no sandbox: nothing to do");
        }
        boolean clean = true;
        for (Sandbox sandbox : sandboxes) {
            clean &= remove(sandbox, err);
        }
        err.flush();
        return clean ? Ouro.EXIT_DONE : Ouro.EXIT_FAILED;
    }

    private static boolean remove(Sandbox sandbox, PrintWriter err) {
        List<Leftover> before = sandbox.inventory();
        if (before.isEmpty()) {
            err.println("there is no sandbox " + sandbox.name() + ": nothing to do");
            return true;
        }
        List<Leftover> left = sandbox.remove();
        err.println("sandbox " + sandbox.name() + ": removed " + count(before));
        if (left.isEmpty()) {
            err.println("looked again for processes, mounts, loop devices, network devices, control groups and files:"
                    + " nothing is left");
            return true;
        }
        left.forEach(leftover -> err.println("left: " + leftover));
        return false;
    }

    /** As in {@code process 3, loop device 1}. */
    private static String count(List<Leftover> leftovers) {
        Map<Leftover.Kind, Long> counts =
                leftovers.stream().collect(Collectors.groupingBy(Leftover::kind, TreeMap::new, Collectors.counting()));
        return counts.entrySet().stream()
                .map(entry -> entry.getKey() + " " + entry.getValue())
                .collect(Collectors.joining(", "));
    }
}
