package dev.ouroboros.upgrade.apply;

import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.render.FormerManifests;
import dev.ouroboros.upgrade.decide.Direction;
import dev.ouroboros.upgrade.decide.UpgradeMilestone;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

/** The tasks of an upgrade: those on the asset directory itself, and through {@link OutsideTasks} those on etcd, hooks, images and acceptance. */
public final class AssetDirectoryTasks implements UpgradeTasks {
    private static final String DOCUMENT = "cluster.yaml";

    private final Disk disk;
    private final Path assets;
    private final UpgradeJournalFile journalFile;
    private final OutsideTasks outside;

    /**
     * The tasks that others implement.
     *
     * @param save saves etcd
     * @param hook runs what people want to be run at a milestone
     * @param images sees to the images of manifests
     * @param render writes the target into the asset directory
     * @param document the Cluster document that belongs to the directory and is kept and changed with it, and its new text
     * @param accept tries the cluster and says what does not work
     */
    public record OutsideTasks(
            Function<UpgradeJournal, UpgradeJournal.Snapshot> save,
            BiConsumer<UpgradeMilestone, UpgradeJournal> hook,
            Consumer<NamedManifests> images,
            Runnable render,
            Optional<Document> document,
            Function<UpgradeJournal, Optional<Problem>> accept) {}

    /** @param text its new content; empty to leave it as it is */
    public record Document(Path file, Optional<String> text) {}

    public AssetDirectoryTasks(Disk disk, Path assets, UpgradeJournalFile journalFile, OutsideTasks outside) {
        this.disk = disk;
        this.assets = assets;
        this.journalFile = journalFile;
        this.outside = outside;
    }

    @Override
    public UpgradeJournal.Snapshot save(UpgradeJournal journal) {
        return outside.save().apply(journal);
    }

    @Override
    public void hook(UpgradeMilestone mark, UpgradeJournal journal) {
        outside.hook().accept(mark, journal);
    }

    @Override
    public void images(NamedManifests target) {
        outside.images().accept(target);
    }

    @Override
    public void keep(UpgradeJournal journal) {
        int change = journal.preferences().size() - 1;
        if (!journalFile.isKept(journal, change)) {
            Path gathering = journalFile.gathering(journal);
            new FormerManifests(disk).keep(assets, gathering);
            outside.document()
                    .flatMap(document -> disk.readText(document.file()))
                    .ifPresent(text -> write(gathering.resolve(DOCUMENT), text));
            journalFile.gathered(journal, change);
        }
    }

    @Override
    public void render(UpgradeJournal journal) {
        if (journal.direction() == Direction.BACK) {
            Path first = journalFile.before(journal, 0);
            new FormerManifests(disk).giveBack(first, assets);
            disk.readText(first.resolve(DOCUMENT))
                    .ifPresent(text -> outside.document().ifPresent(document -> write(document.file(), text)));
        } else {
            outside.render().run();
            outside.document().ifPresent(document -> document.text().ifPresent(text -> write(document.file(), text)));
        }
    }

    private void write(Path file, String text) {
        disk.write(file, text.getBytes(StandardCharsets.UTF_8), "rw-r--r--");
    }

    @Override
    public void accept(UpgradeJournal journal) {
        outside.accept().apply(journal).ifPresent(problem -> {
            throw new ProblemException(problem);
        });
    }
}
