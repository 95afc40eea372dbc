package dev.ouroboros.cli.etcd;

import dev.ouroboros.cli.cluster.EtcdOptions;
import dev.ouroboros.cli.cluster.SandboxOptions;
import dev.ouroboros.cli.cluster.TargetHints;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.doctor.EtcdMemberExam;
import dev.ouroboros.etcd.EtcdCluster;
import dev.ouroboros.etcd.EtcdClusterSource;
import dev.ouroboros.etcd.EtcdClusterSource.Detail;
import dev.ouroboros.model.ailment.Finding;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ouro etcd status}. */
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Shows every member of an etcd: of a sandbox, or of the cluster of which --etcd-servers names a member. The others are asked where they"
                    + " say that clients reach them.",
            "Exit code 3 when there is a warning or a problem."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ouro etcd status",
            "  ouro etcd status --hash -o json",
            "  ouro etcd status --etcd-servers https://10.0.0.1:2379 \\",
            "      --etcd-ca-path ca.crt --etcd-certificate-path client.crt --etcd-private-key-path client.key"
        })
final class EtcdStatusCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Option(names = "--hash", description = "Compare the members' data, too: each reads its whole database for it.")
    private boolean withHashes;

    @Mixin
    private final SandboxOptions sandbox = new SandboxOptions();

    @Mixin
    private final EtcdOptions etcd = new EtcdOptions();

    @Mixin
    private final OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        EtcdClusterSource source = new EtcdClusterSource(etcd.serversOr(sandbox));
        EtcdCluster seen = withHashes ? source.look(Detail.WAL_SYNCS, Detail.HASHES) : source.look(Detail.WAL_SYNCS);
        List<Finding> findings = EtcdMemberExam.ofAll(seen);
        TargetHints hints = TargetHints.of(spec);
        output.print(spec, EtcdView.data(seen, findings, hints), () -> EtcdView.text(seen, findings, hints));
        return findings.stream().anyMatch(Finding::isWrong) ? ExitCode.FINDINGS : ExitCode.DONE;
    }
}
