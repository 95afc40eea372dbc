package dev.ouroboros.etcd;

import dev.ouroboros.etcd.decide.EtcdMemberPod;
import dev.ouroboros.etcd.decide.TemporaryMember;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.flags.CommandLine;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.port.Listeners;
import java.net.URI;
import java.util.List;
import java.util.stream.Stream;

/** The API servers that run on this node, and at which URLs they look for etcd. Those of other nodes, and at other ports, are not seen. */
public final class LocalApiServers {
    private static final String FLAG = "kube-apiserver: --etcd-servers";
    private static final String NEXT =
            "add it to the API server's flags, which the keeper exchanges without an outage (docs/etcd.md)";

    private final Listeners listeners;

    public LocalApiServers(Listeners listeners) {
        this.listeners = listeners;
    }

    /** Of each that says so in its flags. */
    private List<List<URI>> etcdServers() {
        return Stream.of(Component.API_SERVER.port(), Component.API_SERVER.understudyPort())
                .flatMap(port -> listeners.on(port).orElse(List.of()).stream())
                .map(listener ->
                        etcdServers(new CommandLine(List.of(listener.command().split(" ", -1)))))
                .filter(known -> !known.isEmpty())
                .toList();
    }

    private static List<URI> etcdServers(CommandLine apiServer) {
        return Stream.of(apiServer.value("etcd-servers").orElse("").split(",", -1))
                .map(String::strip)
                .filter(url -> !url.isEmpty())
                .map(URI::create)
                .toList();
    }

    /**
     * Requires that each knows one of these members.
     *
     * @param urls client URLs
     * @throws ProblemException CHANGE_REFUSED when one does not
     */
    public void requireKnown(List<String> urls) {
        for (List<URI> known : etcdServers()) {
            if (urls.stream().map(URI::create).noneMatch(url -> reaches(known, url))) {
                throw ProblemException.of(
                        ErrorCode.CHANGE_REFUSED,
                        FLAG,
                        "names none of the other members: it would have no etcd while that one is away",
                        "one of " + String.join(", ", urls),
                        NEXT);
            }
        }
    }

    private static boolean reaches(List<URI> known, URI member) {
        return known.stream()
                .anyMatch(url -> url.getPort() == member.getPort()
                        && String.valueOf(url.getHost()).equals(member.getHost()));
    }

    /**
     * Requires that each knows both doors of this node's member.
     *
     * @throws ProblemException CHANGE_REFUSED when one does not
     */
    void requireBothDoors(EtcdMemberPod etcd) {
        int first = etcd.clientPort();
        int second = TemporaryMember.SECOND_DOOR.port(first);
        for (List<URI> known : etcdServers()) {
            boolean hasBoth = known.stream()
                    .filter(url -> url.getPort() == second)
                    .anyMatch(door -> known.stream()
                            .anyMatch(url ->
                                    url.getPort() == first && door.getHost().equals(url.getHost())));
            if (!hasBoth) {
                String host = URI.create(etcd.clientUrl()).getHost();
                throw ProblemException.of(
                        ErrorCode.CHANGE_REFUSED,
                        FLAG,
                        "is " + known + ": it would have no etcd while that one is started anew",
                        "beside https://" + host + ":" + first + " a second URL, https://" + host + ":" + second,
                        NEXT);
            }
        }
    }
}
