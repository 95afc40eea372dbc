package dev.ouroboros.upgrade.plan;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import dev.ouroboros.upgrade.decide.Intent.Program;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Asks a Kubernetes program which flags it does not know. {@code --help} leaves out deprecated flags, so each flag is passed after
 * {@code --help}: the program reports an unknown flag before it prints the help, and in no case does it start to serve.
 */
public final class BinaryFlags {
    private static final Pattern GATE = Pattern.compile("(?:\\w+:)?(\\w+)=true\\|false");

    private final Processes processes;
    private final Path directory;

    /** @param directory with the programs */
    public BinaryFlags(Processes processes, Path directory) {
        this.processes = processes;
        this.directory = directory;
    }

    /** Those of the flags, given without dashes, that the program refuses. */
    public Evidence<Set<String>> unknown(Component component, Collection<String> flags) {
        String binary = directory.resolve(component.id()).toString();
        Set<String> unknown = new TreeSet<>();
        for (String flag : flags) {
            try {
                Result result = processes.run(Command.of(binary, "--help", "--" + flag));
                String said = result.output() + result.error();
                if (said.contains("unknown flag: --" + flag)) {
                    unknown.add(flag);
                } else if (!result.succeeded() && !said.contains("--" + flag)) {
                    return Evidence.unknown(binary + " --help ended with " + result.exitCode());
                }
            } catch (ProblemException e) {
                return Evidence.unknown(e.describe());
            }
        }
        return Evidence.known(Set.copyOf(unknown));
    }

    /** What a program says of flags, and which feature gates it lists. */
    public Evidence<Program> ask(Component component, Collection<String> flags) {
        return unknown(component, flags).flatMap(refused -> {
            try {
                String help = processes
                        .run(Command.of(directory.resolve(component.id()).toString(), "--help"))
                        .orThrow();
                Set<String> gates = GATE.matcher(help)
                        .results()
                        .map(match -> match.group(1))
                        .collect(Collectors.toSet());
                return Evidence.known(new Program(refused, gates));
            } catch (ProblemException e) {
                return Evidence.unknown(e.describe());
            }
        });
    }
}
