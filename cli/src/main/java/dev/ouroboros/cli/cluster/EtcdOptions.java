package dev.ouroboros.cli.cluster;

import dev.ouroboros.endpoint.ClientFiles;
import dev.ouroboros.etcd.EtcdServers;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.node.NodeLayout;
import dev.ouroboros.sandbox.node.RunningNode;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Where a live etcd is and who we are to it; named as by {@code bootkube recover}. */
public final class EtcdOptions {
    @Option(
            names = "--etcd-servers",
            split = ",",
            paramLabel = "URL",
            description = "Client URLs of etcd's members. Where one is enough, the first that answers is taken.")
    private List<String> servers = List.of();

    @Option(names = "--etcd-ca-path", paramLabel = "FILE", description = "Who signed etcd's certificate.")
    private Optional<Path> authority = Optional.empty();

    @Option(names = "--etcd-certificate-path", paramLabel = "FILE", description = "Our certificate.")
    private Optional<Path> certificate = Optional.empty();

    @Option(names = "--etcd-private-key-path", paramLabel = "FILE", description = "Its key.")
    private Optional<Path> key = Optional.empty();

    /** Whether any of them was given. */
    public boolean given() {
        return !servers.isEmpty() || authority.isPresent() || certificate.isPresent() || key.isPresent();
    }

    public EtcdServers servers() {
        return EtcdServers.of(servers, new ClientFiles(authority, certificate, key));
    }

    /**
     * The etcd that was named, or the one of a sandbox.
     *
     * @throws ProblemException when both were named, or neither is there
     */
    public EtcdServers serversOr(SandboxOptions sandbox) {
        if (!given()) {
            return of(sandbox.existing());
        }
        if (sandbox.givenName().isPresent()) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "--name",
                    "is given beside --etcd-servers",
                    "one of the two",
                    "leave --name out, or --etcd-servers");
        }
        return servers();
    }

    /** The etcd of a sandbox, as its API servers find it: every member that has power, and the first node's keys. */
    public static EtcdServers of(Sandbox sandbox) {
        RunningNode node = sandbox.requireNode("run 'ouro up --name " + sandbox.name() + "'");
        List<String> members = sandbox.nodes().stream()
                .filter(each -> each.hasEtcd() && each.running().isPresent())
                .map(each -> "https://" + each.requireAddress())
                .toList();
        return EtcdServers.ofAssets(members, node.file(NodeLayout.ASSETS));
    }
}
