package dev.ouroboros.render;

import dev.ouroboros.model.asset.Asset;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** An asset directory on disk: what is there, and what has to change. */
final class AssetDirectory {
    private static final String OPEN_FILE = "rw-r--r--";

    /** Files that only make sense together: of a pair, a run that was killed leaves a half that nothing has used yet. */
    private static final List<List<String>> PAIRS = List.of(
            List.of(AssetLayout.CA_CERTIFICATE, AssetLayout.CA_KEY),
            List.of(AssetLayout.FRONT_PROXY_CA_CERTIFICATE, AssetLayout.FRONT_PROXY_CA_KEY),
            List.of(AssetLayout.ETCD_CA_CERTIFICATE, AssetLayout.ETCD_CA_KEY),
            List.of(AssetLayout.SERVICE_ACCOUNT_PUBLIC_KEY, AssetLayout.SERVICE_ACCOUNT_KEY));

    private final Disk disk;
    private final Path directory;
    private final Ledger ledger;

    AssetDirectory(Disk disk, Path directory) {
        this.disk = disk;
        this.directory = directory;
        Path file = directory.resolve(AssetLayout.LEDGER);
        this.ledger = disk.readText(file)
                .map(json -> Ledger.parse(json, file.toString()))
                .orElseGet(Ledger::empty);
    }

    Optional<String> read(String path) {
        return disk.readText(directory.resolve(path));
    }

    /** Texts of these files, as far as they exist; the half of a pair counts as missing. */
    Map<String, String> read(Set<String> paths) {
        Map<String, String> texts = new TreeMap<>();
        paths.forEach(path -> read(path).ifPresent(text -> texts.put(path, text)));
        if (!ledger.complete()) {
            PAIRS.stream()
                    .filter(pair -> pair.stream().anyMatch(path -> !texts.containsKey(path)))
                    .flatMap(List::stream)
                    .filter(path -> texts.containsKey(path) && ledger.wrote(path, texts.getOrDefault(path, "")))
                    .forEach(texts::remove);
        }
        return texts;
    }

    /** How this directory differs from these assets. */
    Changes compare(List<Asset> assets) {
        List<Asset> different = new ArrayList<>();
        List<String> same = new ArrayList<>();
        List<String> edited = new ArrayList<>();
        for (Asset asset : assets) {
            Optional<String> text = read(asset.path());
            if (text.isPresent() && text.get().equals(asset.text())) {
                same.add(asset.path());
            } else {
                different.add(asset);
                if (text.isPresent() && !ledger.wrote(asset.path(), text.get())) {
                    edited.add(asset.path());
                }
            }
        }
        List<String> obsolete = new ArrayList<>();
        Set<String> wanted = assets.stream().map(Asset::path).collect(Collectors.toSet());
        for (String path : ledger.hashes().keySet()) {
            Optional<String> text = read(path);
            if (!wanted.contains(path) && isManifest(path) && text.isPresent()) {
                obsolete.add(path);
                if (!ledger.wrote(path, text.get())) {
                    edited.add(path);
                }
            }
        }
        return new Changes(different, same, obsolete, edited);
    }

    /**
     * What has to be done.
     *
     * @param different to be written
     * @param same already right
     * @param obsolete to be removed
     * @param edited those of the different and obsolete ones that a person edited
     */
    record Changes(List<Asset> different, List<String> same, List<String> obsolete, List<String> edited) {}

    /**
     * Refuses edited files before anything is written.
     *
     * @throws ProblemException EDITED_FILE for each file that a person edited
     */
    void refuseEdited(Changes changes) {
        List<Problem> problems = changes.edited().stream()
                .map(path -> new Problem(
                        ErrorCode.EDITED_FILE,
                        directory.resolve(path).toString(),
                        "was not written by render, or was edited since",
                        "",
                        "make the change in the cluster's configuration, move the file away, or run with"
                                + " --overwrite-edited"))
                .toList();
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
    }

    /** Makes the changes. This may be killed at any instruction and run again. */
    void apply(Changes changes, List<Asset> assets) {
        Ledger next = Ledger.of(texts(assets));
        if (changes.different().isEmpty() && changes.obsolete().isEmpty() && next.equals(ledger)) {
            return;
        }
        disk.createDirectories(directory, Disk.OWNER_ONLY_DIRECTORY);
        write(AssetLayout.LEDGER, ledger.during(next).json(), true);
        changes.different().forEach(asset -> write(asset.path(), asset.text(), asset.secret()));
        changes.obsolete().forEach(path -> disk.delete(directory.resolve(path)));
        write(AssetLayout.LEDGER, next.json(), true);
    }

    private void write(String path, String text, boolean secret) {
        Path parent = directory.resolve(path.substring(0, path.lastIndexOf('/')));
        disk.createDirectories(parent, Disk.OWNER_ONLY_DIRECTORY);
        disk.write(
                directory.resolve(path),
                text.getBytes(StandardCharsets.UTF_8),
                secret ? Disk.OWNER_ONLY_FILE : OPEN_FILE);
    }

    private static SortedMap<String, String> texts(List<Asset> assets) {
        SortedMap<String, String> texts = new TreeMap<>();
        assets.forEach(asset -> texts.put(asset.path(), asset.text()));
        return texts;
    }

    /** Keys and kubeconfigs are never removed. */
    private static boolean isManifest(String path) {
        return path.startsWith(AssetLayout.MANIFESTS + "/") || path.startsWith(AssetLayout.BOOTSTRAP_MANIFESTS + "/");
    }
}
