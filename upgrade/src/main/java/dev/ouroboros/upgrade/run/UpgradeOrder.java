package dev.ouroboros.upgrade.run;

import dev.ouroboros.change.decide.KubeletManner;
import dev.ouroboros.etcd.EtcdServers;
import dev.ouroboros.model.kubelet.KubeletWish;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.upgrade.apply.Hooks;
import dev.ouroboros.upgrade.merge.Preference;
import dev.ouroboros.upgrade.plan.PlanRequest;
import dev.ouroboros.upgrade.plan.Wanted;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * What somebody asks of an upgrade.
 *
 * @param target what the cluster is to become; empty to go on with what is under way
 * @param plan what is planned before an upgrade begins
 * @param etcd how etcd is saved before anything is changed
 * @param images sees to images that the nodes cannot pull; empty when they pull
 * @param before what is run before anything is changed
 * @param after what is run when the cluster is at its target
 * @param kubelets what every node's kubelet is to be afterwards; empty to leave them
 * @param choice what wins where cluster and target both changed something; empty to stop there
 */
public record UpgradeOrder(
        Optional<Target> target,
        Supplier<PlanRequest> plan,
        EtcdSaving etcd,
        Optional<Consumer<List<String>>> images,
        Hooks.Asked before,
        Hooks.Asked after,
        Optional<Kubelets> kubelets,
        Optional<Preference> choice) {

    /**
     * Another kubelet for every node.
     *
     * @param version that it says of itself
     * @param wish what its version needs; asked for when its turn comes, and brings the program to where that can be done from here
     * @param manner how one node follows the other
     */
    public record Kubelets(KubernetesVersion version, Supplier<KubeletWish> wish, KubeletManner manner) {}

    /**
     * A Cluster document, and what wins over it.
     *
     * @param document empty when none was given
     */
    public record Target(Optional<Path> document, Wanted wanted) {
        /** @throws ProblemException BAD_USAGE when none was given */
        Path requiredDocument() {
            return document.orElseThrow(() -> ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "--config",
                    "is missing",
                    "the Cluster document that the asset directory was rendered from",
                    "add --config FILE; a sandbox (--name) has one of its own"));
        }
    }

    /**
     * How etcd is saved.
     *
     * @param directory where to
     * @param servers where it is; empty for where the document says, with the asset directory's keys
     */
    public record EtcdSaving(Optional<Path> directory, Optional<Supplier<EtcdServers>> servers) {}
}
