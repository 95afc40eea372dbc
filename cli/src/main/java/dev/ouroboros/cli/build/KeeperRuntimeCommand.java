package dev.ouroboros.cli.build;

import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.images.oci.JavaRuntime;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Links the Java runtime of the keeper's image for {@code scripts/dist}, whose archive runs where there is no JDK to link it. */
@Command(
        name = "keeper-runtime",
        hidden = true,
        description = "Links the keeper's Java runtime and prints where it is.")
public final class KeeperRuntimeCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        JavaRuntime runtime = new JavaRuntime(
                ThisMachine.processes(),
                ThisMachine.disk(),
                ThisMachine.cache(),
                Path.of(System.getProperty("java.home")));
        spec.commandLine().getOut().println(runtime.resolve(err::println));
        return ExitCode.DONE;
    }
}
