package dev.ouroboros.upgrade.apply;

import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.upgrade.decide.UpgradeMilestone;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The journal of an asset directory's upgrade, and the manifests that the cluster was made from before each of its changes. A directory of
 * kept manifests gets its final name when it is complete. A change is journalled after its former manifests are kept aside and before any
 * part of it is done: an upgrade that was refused earlier leaves the journal and the kept manifests of the upgrade before it.
 */
public final class UpgradeJournalFile {
    private static final String OWN = ".ouroboros";
    private static final String OPEN_FILE = "rw-r--r--";

    private final Disk disk;
    private final Path assets;
    private final Path journal;
    private final Path aside;

    /** @param assets the asset directory */
    public UpgradeJournalFile(Disk disk, Path assets) {
        this.disk = disk;
        this.assets = assets;
        this.journal = assets.resolve(OWN).resolve("upgrade.json");
        this.aside = assets.resolve(OWN).resolve("upgrade");
    }

    /** The lock file of a run that changes the cluster from this directory; its parent is created. */
    public Path lock() {
        disk.createDirectories(assets.resolve(OWN), Disk.OWNER_ONLY_DIRECTORY);
        return assets.resolve(OWN).resolve("upgrade.lock");
    }

    /**
     * The journal of the last upgrade that changed anything, if there was one.
     *
     * @throws ProblemException DAMAGED_FILE when it cannot be read
     */
    public Optional<UpgradeJournal> read() {
        return disk.readText(journal)
                .map(text -> {
                    try {
                        return UpgradeJournal.of(JsonText.read(text));
                    } catch (MalformedJson | IllegalArgumentException | java.time.DateTimeException e) {
                        throw new ProblemException(
                                new Problem(
                                        ErrorCode.DAMAGED_FILE,
                                        journal.toString(),
                                        "cannot be read: " + e.getMessage(),
                                        "the journal of 'ouro upgrade apply'",
                                        "move it away if no upgrade is under way"),
                                e);
                    }
                })
                .filter(known -> known.preferences().size() > 1 || isKept(known, 0));
    }

    void write(UpgradeJournal next) {
        disk.createDirectories(assets.resolve(OWN), Disk.OWNER_ONLY_DIRECTORY);
        disk.write(
                journal,
                (new String(JsonText.write(next.toJson()), StandardCharsets.UTF_8) + "\n")
                        .getBytes(StandardCharsets.UTF_8),
                OPEN_FILE);
    }

    /** Deletes what earlier upgrades kept aside: a new upgrade is journalled, so that is not needed any more. */
    void clearOthers(UpgradeJournal known) {
        disk.list(aside).stream()
                .filter(name -> !name.equals(known.id()))
                .forEach(name -> disk.deleteTree(aside.resolve(name)));
    }

    /** Where the manifests before the nth change are; an asset directory as far as manifests go. */
    public Path before(UpgradeJournal known, int change) {
        return aside.resolve(known.id()).resolve(Integer.toString(change));
    }

    /** Whether those manifests are there, whole. */
    boolean isKept(UpgradeJournal known, int change) {
        return disk.status(before(known, change)).isPresent();
    }

    /** Where manifests are gathered; renamed when they are complete. */
    Path gathering(UpgradeJournal known) {
        Path partial = aside.resolve(known.id()).resolve("gathering");
        disk.deleteTree(partial);
        disk.createDirectories(partial, Disk.OWNER_ONLY_DIRECTORY);
        return partial;
    }

    void gathered(UpgradeJournal known, int change) {
        disk.rename(aside.resolve(known.id()).resolve("gathering"), before(known, change));
    }

    /** The changes so far. The manifests before the last change are the asset directory's own until they are kept aside. */
    List<Hop> hops(UpgradeJournal known) {
        List<Hop> hops = new ArrayList<>();
        for (int change = 0; change < known.preferences().size(); change++) {
            Path directory = isKept(known, change) ? before(known, change) : assets;
            hops.add(new Hop(
                    NamedManifests.read(disk, directory), known.preferences().get(change)));
        }
        return hops;
    }

    /**
     * The directory with the manifests that the cluster was made from: those kept aside, where an upgrade was interrupted while it wrote its
     * target's and changed nothing else.
     */
    public Path made() {
        return read().filter(known -> !known.isDone(UpgradeMilestone.DONE) && !known.isUnderWay())
                .map(known -> before(known, 0))
                .orElse(assets);
    }

    /** The asset directory's manifests as they are. */
    NamedManifests current() {
        return NamedManifests.read(disk, assets);
    }

    /** The manifests that the cluster was made from when the upgrade began. */
    NamedManifests former(UpgradeJournal known) {
        return NamedManifests.read(disk, isKept(known, 0) ? before(known, 0) : assets);
    }
}
