package dev.ouroboros.upgrade.decide;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.manifest.Manifest;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.util.List;
import java.util.stream.Stream;

/**
 * How many members the etcd of a cluster has, as its API servers are told. A snapshot is put back where there is one: restored on one of
 * several it would leave the others with what was before.
 */
public final class EtcdMembership {
    static final String BY_HAND =
            "a new cluster of one control-plane node is made of the saved snapshot, which others join: docs/recovery.md";

    private EtcdMembership() {}

    /** What the API servers among the manifests name; 0 when none does. Two ports of one host are two doors to its member (docs/etcd.md). */
    static int count(List<Manifest> manifests) {
        return manifests.stream()
                .flatMap(manifest -> manifest.commandLine(Component.API_SERVER).value("etcd-servers").stream())
                .mapToInt(urls -> (int) Stream.of(urls.split(",", -1))
                        .map(String::strip)
                        .filter(url -> !url.isEmpty())
                        .map(url -> url.replaceFirst(":\\d+/?$", ""))
                        .distinct()
                        .count())
                .max()
                .orElse(0);
    }

    /** @throws ProblemException UNSUPPORTED_CLUSTER when a snapshot cannot be put back, before anything is done about it */
    public static void requireOne(List<Manifest> manifests) {
        int members = count(manifests);
        if (members > 1) {
            throw ProblemException.of(
                    ErrorCode.UNSUPPORTED_CLUSTER,
                    "etcd",
                    "has " + members
                            + " members, and putting several back to a snapshot is not supported; nothing was changed",
                    "an etcd of one member",
                    "go forward with 'ouro upgrade apply'; or " + BY_HAND);
        }
    }
}
