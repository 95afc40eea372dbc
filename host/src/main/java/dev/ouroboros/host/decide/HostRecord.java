package dev.ouroboros.host.decide;

import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.kubelet.KubeletGeneration;
import dev.ouroboros.model.net.Cidr;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.render.manifest.KubeletSettings;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * What {@code ouro host prepare} did to a host, for a later run of it and for {@code reset}.
 *
 * <p>It is written before the first file is, with the digests of what each had of us and of what it is about to get: a run that was
 * killed half-way is not taken for an edit.
 *
 * @param files the SHA-256 of contents that are ours, by path
 * @param directories that were made
 * @param enabled services that were not enabled before
 * @param restarts services that are to be started again because of what was written; none when a run has come to its end
 * @param sysctls what they were before, by their names below {@code /proc/sys}
 * @param packages that were installed; they stay
 * @param node which one the host was made; empty in a record of before this was written down
 * @param dataLeft whether a reset left data of a cluster here, which are of no use to anybody else
 */
public record HostRecord(
        SortedMap<String, SortedSet<String>> files,
        SortedSet<String> directories,
        SortedSet<String> enabled,
        SortedSet<String> restarts,
        SortedMap<String, String> sysctls,
        SortedSet<String> packages,
        Optional<Node> node,
        boolean dataLeft) {
    public static final String FILE = StateLayout.path(StateLayout.HOST) + "/manifest.json";
    private static final String API_VERSION = "ouroboros.dev/v1alpha1";
    private static final String KIND = "HostManifest";
    private static final String SYSCTLS = "variables";
    /** Name under which an earlier ouro wrote only the first character of each variable's value. */
    private static final String FIRST_CHARACTERS = "sysctls";

    private static final String NODE = "node";
    private static final String DATA_LEFT = "dataLeft";

    /** What a node keeps from its first preparation on, because a kubelet and an etcd with data cannot be given another one. */
    public record Node(String name, InetAddress address, CgroupDriver cgroupDriver) {
        /** The node as the kubelet's base generation has it; empty where that does not tell all of it. */
        public static Optional<Node> of(KubeletGeneration made) {
            return of(
                    // An earlier ouro wrote the name as it was typed, and the kubelet takes it in lower case.
                    Optional.ofNullable(made.arguments().get(KubeletSettings.NODE_NAME))
                            .map(name -> name.toLowerCase(Locale.ROOT)),
                    Optional.ofNullable(made.arguments().get(KubeletSettings.NODE_ADDRESS)),
                    made.config().at("cgroupDriver").text());
        }

        private static Optional<Node> of(
                Optional<String> name, Optional<String> address, Optional<String> cgroupDriver) {
            return name.flatMap(known -> address.flatMap(Cidr::address)
                    .flatMap(at -> cgroupDriver.flatMap(CgroupDriver::of).map(driver -> new Node(known, at, driver))));
        }
    }

    public HostRecord {
        SortedMap<String, SortedSet<String>> copy = new TreeMap<>();
        files.forEach((path, digests) -> copy.put(path, new TreeSet<>(digests)));
        files = copy;
        directories = new TreeSet<>(directories);
        enabled = new TreeSet<>(enabled);
        restarts = new TreeSet<>(restarts);
        sysctls = new TreeMap<>(sysctls);
        packages = new TreeSet<>(packages);
    }

    public static HostRecord empty() {
        return new HostRecord(
                new TreeMap<>(),
                new TreeSet<>(),
                new TreeSet<>(),
                new TreeSet<>(),
                new TreeMap<>(),
                new TreeSet<>(),
                Optional.empty(),
                false);
    }

    /** Whether nothing of ours is here but data that a reset left. */
    public boolean isOfDataAlone() {
        return dataLeft && files.isEmpty() && packages.isEmpty();
    }

    /** Whether content with this digest at this path was written by us. */
    public boolean wrote(String path, String digest) {
        return files.getOrDefault(path, new TreeSet<>()).contains(digest);
    }

    /** This record, with digests of contents that are about to be written. */
    public HostRecord writing(Map<String, String> digests) {
        SortedMap<String, SortedSet<String>> both = new TreeMap<>();
        files.forEach((path, known) -> both.put(path, new TreeSet<>(known)));
        digests.forEach((path, digest) ->
                both.computeIfAbsent(path, key -> new TreeSet<>()).add(digest));
        return withFiles(both);
    }

    /** This record, when all of these contents are written: at these paths no other content is ours any more. */
    public HostRecord written(Map<String, String> digests) {
        SortedMap<String, SortedSet<String>> after = new TreeMap<>(files);
        digests.forEach((path, digest) -> after.put(path, new TreeSet<>(List.of(digest))));
        return withFiles(after);
    }

    public HostRecord withoutFile(String path) {
        SortedMap<String, SortedSet<String>> rest = new TreeMap<>(files);
        rest.remove(path);
        return withFiles(rest);
    }

    private HostRecord withFiles(SortedMap<String, SortedSet<String>> changed) {
        return new HostRecord(changed, directories, enabled, restarts, sysctls, packages, node, dataLeft);
    }

    public HostRecord withDirectory(String path) {
        return new HostRecord(files, with(directories, path), enabled, restarts, sysctls, packages, node, dataLeft);
    }

    public HostRecord withEnabled(String unit) {
        return new HostRecord(files, directories, with(enabled, unit), restarts, sysctls, packages, node, dataLeft);
    }

    /** This record, with a unit that must be started again, by this run or, when that is killed, by the next. */
    public HostRecord withRestart(String unit) {
        return new HostRecord(files, directories, enabled, with(restarts, unit), sysctls, packages, node, dataLeft);
    }

    public HostRecord restarted(String unit) {
        SortedSet<String> rest = new TreeSet<>(restarts);
        rest.remove(unit);
        return new HostRecord(files, directories, enabled, rest, sysctls, packages, node, dataLeft);
    }

    /** This record, with a variable's value from before. The first one that was found stays: a second run finds ours. */
    public HostRecord withSysctl(String name, String before) {
        SortedMap<String, String> more = new TreeMap<>(sysctls);
        more.putIfAbsent(name, before);
        return new HostRecord(files, directories, enabled, restarts, more, packages, node, dataLeft);
    }

    public HostRecord withPackages(List<String> installed) {
        SortedSet<String> more = new TreeSet<>(packages);
        more.addAll(installed);
        return new HostRecord(files, directories, enabled, restarts, sysctls, more, node, dataLeft);
    }

    /** This record, of a host that is made this node. Data that an earlier reset left belong to the node. */
    public HostRecord withNode(Node made) {
        return new HostRecord(files, directories, enabled, restarts, sysctls, packages, Optional.of(made), false);
    }

    /** This record, when a reset has taken back everything but data and the directories that they are in. */
    public HostRecord ofDataAlone(Collection<String> stillThere) {
        return new HostRecord(
                new TreeMap<>(),
                new TreeSet<>(stillThere),
                new TreeSet<>(),
                new TreeSet<>(),
                new TreeMap<>(),
                new TreeSet<>(),
                node,
                true);
    }

    public byte[] json() {
        Json.Fields digests = Json.object();
        for (Map.Entry<String, SortedSet<String>> file : files.entrySet()) {
            digests = digests.with(file.getKey(), Json.texts(List.copyOf(file.getValue())));
        }
        Json.Fields before = Json.object();
        for (Map.Entry<String, String> sysctl : sysctls.entrySet()) {
            before = before.with(sysctl.getKey(), Json.text(sysctl.getValue()));
        }
        Json.Fields record = Json.object()
                .with("apiVersion", Json.text(API_VERSION))
                .with("kind", Json.text(KIND))
                .with("files", digests)
                .with("directories", Json.texts(List.copyOf(directories)))
                .with("enabled", Json.texts(List.copyOf(enabled)))
                .with("restarts", Json.texts(List.copyOf(restarts)))
                .with(SYSCTLS, before)
                .with("packages", Json.texts(List.copyOf(packages)))
                .with(DATA_LEFT, Json.bool(dataLeft));
        return JsonText.write(node.map(made -> record.with(
                        NODE,
                        Json.object()
                                .with("name", Json.text(made.name()))
                                .with("address", Json.text(made.address().getHostAddress()))
                                .with(
                                        "cgroupDriver",
                                        Json.text(made.cgroupDriver().value()))))
                .orElse(record));
    }

    /**
     * Reads what {@link #json} wrote.
     *
     * @throws ProblemException DAMAGED_FILE: then nobody knows what is ours
     */
    public static HostRecord parse(String text, String where) {
        Json json;
        try {
            json = JsonText.read(text);
        } catch (MalformedJson e) {
            throw new ProblemException(damaged(where, "is no JSON: " + e.getMessage()), e);
        }
        if (!json.at("apiVersion").equals(Json.text(API_VERSION))
                || !json.at("kind").equals(Json.text(KIND))) {
            throw new ProblemException(damaged(where, "is not of kind " + KIND + " in " + API_VERSION));
        }
        SortedMap<String, SortedSet<String>> files = new TreeMap<>();
        json.at("files").fields().forEach((path, digests) -> files.put(path, new TreeSet<>(texts(digests))));
        SortedMap<String, String> sysctls = new TreeMap<>();
        json.at(SYSCTLS).fields().forEach((name, value) -> value.text().ifPresent(before -> sysctls.put(name, before)));
        json.at(FIRST_CHARACTERS)
                .fields()
                .forEach((name, value) -> value.text()
                        .filter(before -> isWhole(name, before))
                        .ifPresent(before -> sysctls.putIfAbsent(name, before)));
        Function<String, SortedSet<String>> set = name -> new TreeSet<>(texts(json.at(name)));
        return new HostRecord(
                files,
                set.apply("directories"),
                set.apply("enabled"),
                set.apply("restarts"),
                sysctls,
                set.apply("packages"),
                Node.of(
                        json.at(NODE, "name").text(),
                        json.at(NODE, "address").text(),
                        json.at(NODE, "cgroupDriver").text()),
                json.at(DATA_LEFT).equals(Json.bool(true)));
    }

    /** No number but 0 begins with 0, and a variable whose value of ours has one digit has no others. */
    private static boolean isWhole(String name, String first) {
        String ours =
                HostFiles.SYSCTL_VALUES.getOrDefault(name, HostFiles.KUBELET_SYSCTL_VALUES.getOrDefault(name, ""));
        return ours.length() == 1 || first.equals("0");
    }

    private static Problem damaged(String where, String what) {
        return new Problem(
                ErrorCode.DAMAGED_FILE,
                where,
                what,
                "the list of files that 'ouro host prepare' wrote",
                "move it away: every file that it names then counts as somebody else's");
    }

    private static SortedSet<String> with(SortedSet<String> set, String more) {
        SortedSet<String> all = new TreeSet<>(set);
        all.add(more);
        return all;
    }

    private static List<String> texts(Json items) {
        List<String> texts = new ArrayList<>();
        items.items().forEach(item -> item.text().ifPresent(texts::add));
        return texts;
    }
}
