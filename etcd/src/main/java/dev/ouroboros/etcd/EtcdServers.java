package dev.ouroboros.etcd;

import dev.ouroboros.endpoint.ClientFiles;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.etcd.decide.EtcdMemberPod;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The endpoints of an etcd: each member with our credentials for it.
 *
 * @param members in the order in which they are asked
 */
public record EtcdServers(List<Endpoint> members) {

    public EtcdServers {
        members = List.copyOf(members);
        if (members.isEmpty()) {
            throw new IllegalArgumentException("an etcd has a member");
        }
    }

    /**
     * Reads the endpoints, with the client keys of an asset directory.
     *
     * @param urls as in an API server's {@code --etcd-servers}
     * @throws ProblemException with everything that is wrong with them or the files
     */
    public static EtcdServers ofAssets(List<String> urls, Path assetDirectory) {
        return of(
                urls,
                new ClientFiles(
                        Optional.of(assetDirectory.resolve(AssetLayout.ETCD_CA_CERTIFICATE)),
                        Optional.of(assetDirectory.resolve(AssetLayout.ETCD_CLIENT_CERTIFICATE)),
                        Optional.of(assetDirectory.resolve(AssetLayout.ETCD_CLIENT_KEY))));
    }

    /**
     * Reads the endpoints, with the keys that a member itself has: they are a client's too.
     *
     * @param urls client URLs
     * @throws ProblemException with everything that is wrong with them or the files
     */
    public static EtcdServers ofMember(List<String> urls, EtcdMemberPod member) {
        return of(
                urls,
                new ClientFiles(
                        member.fileOnNode("trusted-ca-file").map(Path::of),
                        member.fileOnNode("cert-file").map(Path::of),
                        member.fileOnNode("key-file").map(Path::of)));
    }

    /**
     * Reads what a person gave.
     *
     * @param urls as in an API server's {@code --etcd-servers}
     * @throws ProblemException with everything that is wrong with them or the files
     */
    public static EtcdServers of(List<String> urls, ClientFiles files) {
        List<Problem> problems = new ArrayList<>();
        List<Endpoint> members = new ArrayList<>();
        for (String url : urls) {
            try {
                URI server = URI.create(url.strip());
                if ("https".equalsIgnoreCase(server.getScheme()) && server.getHost() != null) {
                    members.add(files.endpoint(withPort(server)));
                } else {
                    problems.add(notHttps(url));
                }
            } catch (IllegalArgumentException e) {
                problems.add(notHttps(url));
            } catch (ProblemException e) {
                e.problems().stream()
                        .filter(problem -> !problems.contains(problem))
                        .forEach(problems::add);
            }
        }
        if (urls.isEmpty()) {
            problems.add(notHttps(""));
        }
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
        return new EtcdServers(members);
    }

    /** A client URL of a member, with the keys that we have for those that were named. */
    Evidence<Endpoint> at(String url) {
        try {
            return Evidence.known(members.getFirst().at(URI.create(url)));
        } catch (IllegalArgumentException e) {
            return Evidence.unknown("its client URL " + url + " cannot be asked: " + e.getMessage());
        }
    }

    /** The servers that were named, and where a member says that clients reach it. */
    public EtcdServers with(EtcdMember member) {
        Set<Endpoint> all = new LinkedHashSet<>(members);
        for (String url : member.clientUrls()) {
            if (at(url) instanceof Known<Endpoint>(Endpoint place)) {
                all.add(place);
            }
        }
        return new EtcdServers(List.copyOf(all));
    }

    private static URI withPort(URI server) {
        return server.getPort() < 0 ? URI.create("https://" + server.getHost() + ":" + Component.ETCD.port()) : server;
    }

    private static Problem notHttps(String url) {
        return new Problem(
                ErrorCode.INVALID_FLAG,
                "--etcd-servers",
                url.isEmpty() ? "is empty" : "\"" + url + "\" is no https URL",
                "URLs as in https://10.0.0.1:2379, separated by commas",
                url.startsWith("http:")
                        ? "an etcd without TLS is saved by its own tool: etcdctl snapshot save"
                        : "give its --advertise-client-urls");
    }
}
