package dev.ouroboros.sandbox;

import dev.ouroboros.etcd.EtcdServers;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.sandbox.node.NodeLayout;
import dev.ouroboros.sandbox.node.RunningNode;
import java.util.List;

/** The etcd of a sandbox, as this machine reaches it. */
public final class SandboxEtcd {
    private SandboxEtcd() {}

    /**
     * Every member that has power, with the first node's keys.
     *
     * @throws ProblemException when the first node, which has the keys, does not run
     */
    public static EtcdServers servers(Sandbox sandbox) {
        RunningNode node = sandbox.requireNode("run 'ouro up --name " + sandbox.name() + "'");
        List<String> members = sandbox.nodes().stream()
                .filter(each -> each.hasEtcd() && each.running().isPresent())
                .map(each -> "https://" + each.requireAddress())
                .toList();
        return EtcdServers.ofAssets(members, node.file(NodeLayout.ASSETS));
    }
}
