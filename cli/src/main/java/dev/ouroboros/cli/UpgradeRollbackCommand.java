package dev.ouroboros.cli;

import dev.ouroboros.cluster.AcceptanceCheck;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.upgrade.apply.ApplyListener;
import dev.ouroboros.upgrade.apply.AssetDeeds;
import dev.ouroboros.upgrade.apply.ClusterApplyApi;
import dev.ouroboros.upgrade.apply.Notebook;
import dev.ouroboros.upgrade.apply.Patience;
import dev.ouroboros.upgrade.apply.Upgrade;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ouro upgrade rollback}. */
@Command(
        name = "rollback",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Takes the last upgrade back, done or half done: the components get the manifests of before in the reverse order, and what was"
                    + " changed in the cluster since stays. Killed at any moment it goes on when it is run again."
        },
        footer = {"", "Example:", "  ouro upgrade rollback --asset-dir ./assets"})
final class UpgradeRollbackCommand implements Callable<Integer> {
    private static final Duration ACCEPTANCE = Duration.ofSeconds(60);

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private UpgradePlace place = new UpgradePlace();

    @Mixin
    private UpgradeWork work = new UpgradeWork();

    @Override
    public Integer call() {
        Disk disk = new LocalDisk();
        InstantSource clock = InstantSource.system();
        Path assets = place.assets();
        Notebook notebook = new Notebook(disk, assets);
        ApplyListener listener = work.listener(spec, clock);
        try (ClusterClient client = ClusterClient.connect(place.endpoint())) {
            ClusterApplyApi api = new ClusterApplyApi(client);
            AssetDeeds deeds = new AssetDeeds(
                    disk,
                    assets,
                    notebook,
                    new AssetDeeds.Works(
                            journal -> journal.snapshot().orElseThrow(),
                            (_, _) -> {},
                            _ -> {},
                            () -> {},
                            place.sandbox()
                                    .map(known -> new AssetDeeds.Document(
                                            known.paths().clusterDocument(), Optional.empty())),
                            () -> new AcceptanceCheck(client, ACCEPTANCE).run()));
            Patience patience = new Patience(listener, work.timeout(), clock);
            Upgrade upgrade = new Upgrade(notebook, api, listener, patience, clock);
            return work.tell(upgrade.rollback(work.choice(), deeds), spec);
        }
    }
}
