package dev.ouroboros.cli.upgrade;

import dev.ouroboros.cli.cluster.EtcdOptions;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.kubelet.KubeletMannerOptions;
import dev.ouroboros.cli.kubelet.KubeletProgram;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.etcd.EtcdServers;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.SandboxEtcd;
import dev.ouroboros.sandbox.up.SandboxImages;
import dev.ouroboros.upgrade.apply.Upgrade;
import dev.ouroboros.upgrade.decide.UpgradePlan;
import dev.ouroboros.upgrade.plan.PlanText;
import dev.ouroboros.upgrade.run.ClusterUpgrade;
import dev.ouroboros.upgrade.run.UpgradeOrder;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ouro upgrade apply}. */
@Command(
        name = "apply",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Brings a cluster to another version, or to a Cluster document that was changed: saves etcd, renders the asset directory, changes"
                    + " one component after the other and waits for each; then, with --kubelet, the kubelet of one node after the other. What was"
                    + " changed in the cluster stays.",
            "Killed at any moment it goes on when it is run again; without TARGET and --config too."
        },
        footer = {
            "",
            "Examples:",
            "  ouro upgrade apply 1.21.0 --config cluster.yaml --asset-dir ./assets --snapshot-dir /backup",
            "  ouro upgrade apply 1.36.3 --emulated-version 1.35 --name default --binaries ./kubernetes-1.36.3",
            "  ouro upgrade apply --name default --config changed.yaml"
        })
final class UpgradeApplyCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private final UpgradeTarget target = new UpgradeTarget();

    @Option(
            names = "--snapshot-dir",
            paramLabel = "DIR",
            description = "Where etcd is saved to before anything is changed (default: a sandbox's own directory).")
    private Optional<Path> snapshotDirectory = Optional.empty();

    @Mixin
    private EtcdOptions etcd = new EtcdOptions();

    @Mixin
    private HookOptions hooks = new HookOptions();

    @Mixin
    private KubeletMannerOptions manner = new KubeletMannerOptions();

    @Mixin
    private UpgradeWork work = new UpgradeWork();

    @Override
    public Integer call() {
        ProcedureListener listener = new SpokenLines(spec, InstantSource.system());
        UpgradeOrder order = order(listener);
        ClusterUpgrade upgrade = work.of(target.place().site(), listener);
        return switch (upgrade.apply(order)) {
            case ClusterUpgrade.Applied.Ended(Upgrade.Outcome outcome) -> {
                outcome.journal().ifPresent(target.place()::remember);
                if (outcome.conflicts().isEmpty()) {
                    order.kubelets().ifPresent(upgrade::applyKubelets);
                }
                String kubelets = order.kubelets()
                        .map(asked -> ", and every kubelet is " + asked.version())
                        .orElse("");
                yield work.tell(outcome, "the asset directory says already what is asked for" + kubelets, spec);
            }
            case ClusterUpgrade.Applied.Blocked(UpgradePlan plan) -> {
                new SpokenLines(spec)
                        .say(PlanText.findings(plan) + "nothing was changed; 'ouro upgrade plan' says more");
                yield ExitCode.FINDINGS;
            }
        };
    }

    private UpgradeOrder order(ProcedureListener listener) {
        Optional<Sandbox> sandbox = target.place().sandbox();
        Optional<Supplier<EtcdServers>> servers =
                etcd.given() ? Optional.of(etcd::servers) : sandbox.map(known -> () -> SandboxEtcd.servers(known));
        return new UpgradeOrder(
                target.isGiven()
                        ? Optional.of(new UpgradeOrder.Target(target.config(), target.wanted()))
                        : Optional.empty(),
                () -> target.request(Optional.empty(), false),
                new UpgradeOrder.EtcdSaving(
                        snapshotDirectory.or(() -> sandbox.map(Sandbox::paths)
                                .map(paths -> paths.directory().resolve("snapshots"))),
                        servers),
                sandbox.map(known -> new SandboxImages(
                                known, ThisMachine.processes(), ThisMachine::images, target.binaries(), listener::did)
                        ::require),
                hooks.before(),
                hooks.after(),
                target.kubelet().map(file -> kubelets(KubeletProgram.of(file), listener)),
                work.choice());
    }

    private UpgradeOrder.Kubelets kubelets(KubeletProgram program, ProcedureListener listener) {
        return new UpgradeOrder.Kubelets(
                program.version(),
                () -> {
                    program.bring(target.place().cluster(), listener::did);
                    return program.wish();
                },
                manner.manner());
    }
}
