package dev.ouroboros.cli.keeper;

import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.keeper.KeeperFlags;
import dev.ouroboros.keeper.KeeperMain;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The daemon, as the keeper's image runs it, for where there is no image: its flags are its own. */
@Command(
        name = "keeper",
        description = "Keeps the control plane of this node: checkpoints its components and stands in for them.",
        footer = {
            "",
            "'ouro keeper --help' lists the flags of the daemon.",
            "",
            "Example:",
            "  ouro keeper --node-name=node-1 --node-address=192.0.2.10 --service-cluster-ip=10.3.0.1 \\",
            "      --kubeconfig=/etc/kubernetes/secrets/kubeconfig"
        })
public final class KeeperCommand implements Callable<Integer> {
    @Parameters(arity = "0..*", paramLabel = "FLAG", description = "of the daemon, as --name=value")
    private List<String> flags = List.of();

    @Override
    public Integer call() {
        if (flags.contains("--help")) {
            System.out.print(KeeperFlags.USAGE);
            return ExitCode.DONE;
        }
        return KeeperMain.run(flags, System.err);
    }
}
