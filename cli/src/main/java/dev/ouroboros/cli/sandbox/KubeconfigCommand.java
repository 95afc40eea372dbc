package dev.ouroboros.cli.sandbox;

import dev.ouroboros.cli.cluster.SandboxOptions;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ouro kubeconfig}. */
@Command(
        name = "kubeconfig",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Prints the path of the administrator's kubeconfig of a sandbox, and nothing else.",
        footer = {"", "Example:", "  export KUBECONFIG=$(ouro kubeconfig)"})
public final class KubeconfigCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private SandboxOptions options = new SandboxOptions();

    @Override
    public Integer call() {
        Path kubeconfig = options.existing().paths().kubeconfig();
        if (!Files.exists(kubeconfig)) {
            throw ProblemException.of(
                    ErrorCode.NOT_FOUND,
                    "sandbox " + options.name(),
                    "has no kubeconfig: it is half-made",
                    "",
                    "run 'ouro up --name " + options.name() + "', which goes on");
        }
        PrintWriter out = spec.commandLine().getOut();
        out.println(kubeconfig);
        out.flush();
        return ExitCode.DONE;
    }
}
