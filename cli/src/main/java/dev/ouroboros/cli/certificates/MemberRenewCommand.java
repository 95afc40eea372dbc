package dev.ouroboros.cli.certificates;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.etcd.EtcdAuthorityOptions;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.etcd.decide.EtcdTlsFiles;
import dev.ouroboros.etcd.membership.MemberCertificates;
import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ouro certificates renew-member}. */
@Command(
        name = "renew-member",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Has the certificates of this node's member of etcd issued again, if a third of their life is left or less: run on the node, with etcd's authority. etcd reads them at its next handshake; nothing is"
                    + " restarted, and keys stay.",
            "A steward does that by itself (docs/certificates.md)."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ouro certificates renew-member --asset-dir ./assets",
            "  ouro exec ouroboros -- ouro certificates renew-member    # in a sandbox"
        })
final class MemberRenewCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Option(names = "--all", description = "All of them, whether or not they are due.")
    private boolean all;

    @Mixin
    private final EtcdAuthorityOptions authority = new EtcdAuthorityOptions();

    @Option(
            names = "--etcd-manifest",
            paramLabel = "FILE",
            defaultValue = "/etc/kubernetes/manifests/etcd.yaml",
            description = "etcd's manifest, where the kubelet looks for it (default: ${DEFAULT-VALUE}).")
    private Path manifest = Path.of("");

    @Mixin
    private final LifetimeOption lifetime = new LifetimeOption();

    @Mixin
    private final OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        ThisMachine.requireRoot("ouro certificates renew-member", "keys of etcd are root's");
        EtcdTlsFiles files = ThisMachine.disk()
                .readText(manifest)
                .map(text -> EtcdTlsFiles.of(manifest.toString(), text))
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.NOT_FOUND,
                        manifest.toString(),
                        "does not exist",
                        "the manifest of this node's member of etcd",
                        "run this on the node of a member, or name its manifest with --etcd-manifest"));
        Credential signer = signer();
        MemberCertificates.Renewed renewed = new MemberCertificates(
                        ThisMachine.disk(),
                        files,
                        Optional.of(signer),
                        lifetime.policy(),
                        InstantSource.system(),
                        new SecureRandom())
                .renew(all);
        List<Path> changed = renewed.changed();
        if (changed.isEmpty()) {
            // "None is due" would be wrong where some could not be renewed.
            renewed.requireAll();
        }
        output.print(
                spec,
                data(changed),
                () -> changed.isEmpty()
                        ? "nothing to do: none is due\n"
                        : "issued again: "
                                + changed.stream().map(Path::toString).collect(Collectors.joining(", ")) + "\n");
        renewed.requireAll();
        return ExitCode.DONE;
    }

    private Credential signer() {
        return MemberCertificates.authority(ThisMachine.disk(), authority.certificate(), authority.key())
                .orElseThrow(
                        () -> ProblemException.of(
                                ErrorCode.INVALID_KEY_MATERIAL,
                                authority.certificate() + " and " + authority.key(),
                                "are not a certificate and its key",
                                "the authority that signed the certificates of etcd's members",
                                "name both with --etcd-ca-path and --etcd-ca-key-path; ours are in tls of the asset directory"));
    }

    private static ObjectNode data(List<Path> changed) {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        ArrayNode files = data.putArray("renewed");
        changed.forEach(file -> files.add(file.toString()));
        return data;
    }
}
