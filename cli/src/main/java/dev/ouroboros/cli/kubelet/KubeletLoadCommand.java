package dev.ouroboros.cli.kubelet;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.ouroboros.cli.cluster.StatusTarget;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ouro kubelet load}. */
@Command(
        name = "load",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Puts another kubelet on this machine, or on the nodes of a sandbox, where it waits until it is wished ('ouro kubelet set --program'). What runs goes on.",
            "Run it on each machine whose kubelet is to be another one."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  ouro kubelet load ./kubelet", "  ouro kubelet load ./kubelet --name ouroboros"})
final class KubeletLoadCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "A kubelet for this machine's architecture.")
    private Path file = Path.of("");

    @Mixin
    private StatusTarget target = new StatusTarget();

    @Mixin
    private final OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        ThisMachine.requireRoot("ouro kubelet load", "programs of a node are root's");
        KubeletProgram program = KubeletProgram.of(file);
        program.bring(target, new SpokenLines(spec)::say);
        output.print(
                spec,
                JsonNodeFactory.instance
                        .objectNode()
                        .put("version", program.version().tag())
                        .put("digest", program.digest()),
                () -> "kubelet " + program.version().tag() + ", SHA-256 " + program.digest() + "\n");
        return ExitCode.DONE;
    }
}
