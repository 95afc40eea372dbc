package dev.ouroboros.cli.build;

import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.cli.program.WholeProgram;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.endpoint.KubeconfigFile;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.render.manifest.ManifestSet;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Uses what the other commands use, so that the build can record the classes they need in the ahead-of-time cache
 * (JEP 514): that is most of the difference between a start of 0.7 and of 0.2 seconds.
 */
@Command(name = "train", hidden = true, description = "Exercises the command line for the build's ahead-of-time cache.")
public final class TrainCommand implements Callable<Integer> {
    /** Nobody listens on the discard port: the client is used as far as its connection. */
    private static final URI NOWHERE = URI.create("https://127.0.0.1:9");

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Parameters(index = "0", description = "a cluster document")
    private Path config = Path.of("");

    @Parameters(index = "1", description = "a directory to render into")
    private Path directory = Path.of("");

    @Override
    public Integer call() {
        Disk disk = ThisMachine.disk();
        String[] render = {"render", "--config", config.toString(), "--asset-dir", directory.toString()};
        int rendered = WholeProgram.of(spec).commandLineOf(render).execute(render);
        if (rendered != ExitCode.DONE) {
            return rendered;
        }
        Map<String, String> manifests = new TreeMap<>();
        for (String name : disk.list(directory.resolve(AssetLayout.MANIFESTS))) {
            disk.readText(directory.resolve(AssetLayout.MANIFESTS).resolve(name))
                    .ifPresent(text -> manifests.put(name, text));
        }
        ManifestSet.parse(manifests);
        var endpoint = KubeconfigFile.read(directory.resolve(AssetLayout.ADMIN_KUBECONFIG), Optional.of(NOWHERE));
        try (ClusterClient client = ClusterClient.connect(endpoint)) {
            client.serverVersion();
            return ExitCode.FAILED;
        } catch (ProblemException e) {
            // As it must be: there is no server.
            return ExitCode.DONE;
        }
    }
}
