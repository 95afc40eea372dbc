package dev.ouroboros.cli.cluster;

import dev.ouroboros.endpoint.ClientFiles;
import dev.ouroboros.etcd.EtcdServers;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.sandbox.SandboxEtcd;
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
            return SandboxEtcd.servers(sandbox.existing());
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

    /** The etcd that was named, or the one of the sandbox that was; that of another cluster is not known. */
    public Evidence<EtcdServers> of(StatusTarget target) {
        if (given()) {
            return Evidence.known(servers());
        }
        try {
            return target.sandbox()
                    .map(SandboxEtcd::servers)
                    .<Evidence<EtcdServers>>map(Evidence::known)
                    .orElseGet(() ->
                            Evidence.unknown("give --etcd-servers and our keys to it, as to 'ouro snapshot save'"));
        } catch (ProblemException e) {
            return Evidence.unknown(e.problems().getFirst().describe());
        }
    }

    /**
     * As {@link #of(StatusTarget)}, for commands that cannot do without.
     *
     * @throws ProblemException BAD_USAGE when none was named
     */
    public EtcdServers requiredOf(StatusTarget target) {
        return switch (of(target)) {
            case Evidence.Known<EtcdServers>(EtcdServers known) -> known;
            case Evidence.Unknown<EtcdServers>(String why) ->
                throw ProblemException.of(ErrorCode.BAD_USAGE, "etcd", "is not named", "one of its members", why);
        };
    }
}
