package dev.ouroboros.render;

import dev.ouroboros.model.asset.Asset;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.render.config.Field;
import dev.ouroboros.render.config.Located;
import dev.ouroboros.render.config.Settings;
import dev.ouroboros.render.config.YamlSyntax;
import dev.ouroboros.render.pki.ClientCredential;
import dev.ouroboros.render.pki.ClusterPki;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Files that the configuration names: certificates of the owner's CA and etcd, add-ons. */
final class InputFiles {
    private final Disk disk;
    private final Path base;
    private final Settings settings;
    private final InstantSource clock;
    private final List<Problem> problems;

    InputFiles(Disk disk, Path base, Settings settings, InstantSource clock, List<Problem> problems) {
        this.disk = disk;
        this.base = base;
        this.settings = settings;
        this.clock = clock;
        this.problems = problems;
    }

    /**
     * What the files hold.
     *
     * @param etcdFiles client files for etcd by asset path; empty when we make them
     * @param addOns manifests to take over
     */
    record Contents(
            Optional<ClusterPki.OwnAuthority> ownAuthority, SortedMap<String, String> etcdFiles, List<Asset> addOns) {}

    Contents read() {
        return new Contents(ownAuthority(), etcdFiles(), addOns());
    }

    private Optional<ClusterPki.OwnAuthority> ownAuthority() {
        Optional<Text> certificate = text(Field.CA_CERTIFICATE_FILE);
        Optional<Text> key = text(Field.CA_PRIVATE_KEY_FILE);
        if (certificate.isEmpty() || key.isEmpty()) {
            return Optional.empty();
        }
        ClusterPki.OwnAuthority own = new ClusterPki.OwnAuthority(
                certificate.get().content(),
                certificate.get().where(),
                key.get().content(),
                key.get().where());
        problems.addAll(own.check(clock.instant()));
        return Optional.of(own);
    }

    private SortedMap<String, String> etcdFiles() {
        SortedMap<String, String> files = new TreeMap<>();
        Optional<Text> ca = text(Field.ETCD_CA_FILE);
        Optional<Text> certificate = text(Field.ETCD_CERTIFICATE_FILE);
        Optional<Text> key = text(Field.ETCD_PRIVATE_KEY_FILE);
        if (ca.isEmpty() || certificate.isEmpty() || key.isEmpty()) {
            return files;
        }
        problems.addAll(new ClientCredential(
                        ca.get().content(),
                        ca.get().where(),
                        certificate.get().content(),
                        certificate.get().where(),
                        key.get().content(),
                        key.get().where())
                .check(clock.instant()));
        files.put(AssetLayout.ETCD_CA_CERTIFICATE, ca.get().content());
        files.put(AssetLayout.ETCD_CLIENT_CERTIFICATE, certificate.get().content());
        files.put(AssetLayout.ETCD_CLIENT_KEY, key.get().content());
        return files;
    }

    /** Add-ons byte by byte, under names that sort behind our manifests. */
    private List<Asset> addOns() {
        Optional<Located> field = settings.text(Field.ADD_ONS);
        if (field.isEmpty()) {
            return List.of();
        }
        Path directory = base.resolve(field.get().value());
        List<String> names = disk.list(directory).stream()
                .filter(name -> name.endsWith(".yaml") || name.endsWith(".yml") || name.endsWith(".json"))
                .toList();
        if (names.isEmpty()) {
            problems.add(new Problem(
                    ErrorCode.NOT_FOUND,
                    field.get().where(),
                    directory + " is missing or holds no manifest",
                    "a directory with .yaml, .yml or .json files",
                    "make the directory, or take the field out of the document"));
        }
        List<Asset> assets = new ArrayList<>();
        for (String name : names) {
            addOn(directory.resolve(name))
                    .ifPresent(text -> assets.add(Asset.secret(AssetLayout.ADD_ON_PREFIX + name, text)));
        }
        return assets;
    }

    private Optional<String> addOn(Path file) {
        Optional<byte[]> bytes = disk.read(file);
        if (bytes.isEmpty()) {
            return Optional.empty();
        }
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes.get()))
                    .toString();
            problems.addAll(YamlSyntax.check(text, file.toString()));
            return Optional.of(text);
        } catch (CharacterCodingException e) {
            problems.add(new Problem(
                    ErrorCode.INVALID_CONFIG,
                    file.toString(),
                    "is not UTF-8",
                    "YAML in UTF-8",
                    "convert it: iconv -f LATIN1 -t UTF-8 " + file));
            return Optional.empty();
        }
    }

    private record Text(String content, String where) {}

    private Optional<Text> text(Field field) {
        Optional<Located> name = settings.text(field);
        if (name.isEmpty()) {
            return Optional.empty();
        }
        Path file = base.resolve(name.get().value());
        String where = name.get().where() + " (" + file + ")";
        Optional<String> content = disk.readText(file);
        if (content.isEmpty()) {
            problems.add(new Problem(
                    ErrorCode.NOT_FOUND,
                    where,
                    "there is no such file",
                    "a file in PEM",
                    "correct the path; it is relative to the document's own directory"));
        }
        return content.map(found -> new Text(found, where));
    }
}
