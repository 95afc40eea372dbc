package dev.ouroboros.facts;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.problem.Nearest;
import dev.ouroboros.model.version.KubernetesVersion;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which flags the components of one version have. {@code flags.txt} lists what {@code --help} of the oldest and of the newest
 * verified version prints; {@code flags.yaml} has the ranges of those that came or went.
 *
 * <p>A flag that only one of the two lists names and that has no range is accepted in every version between them, and one that no list
 * names in every version after them: nothing is refused without evidence.
 */
public final class KnownFlags {
    private static final String RESOURCE = "flags.txt";

    private final KubernetesVersion version;
    private final List<Fact> changed;
    private final Map<Component, Set<String>> listed;
    private final Map<Component, Set<String>> everListed = new TreeMap<>();
    private KubernetesVersion newestListed = KubernetesVersion.of(0, 0);

    KnownFlags(KubernetesVersion version) {
        this.version = version;
        this.changed = FactFile.load("flags.yaml").getOrDefault("flags", List.of());
        this.listed = load();
    }

    /** What is known about a flag in this version. */
    public sealed interface Verdict {
        record Known() implements Verdict {}

        /** It exists, but not in this version. */
        record OtherVersion(VersionRange range, Optional<String> successor, String source) implements Verdict {}

        /** No version has it. */
        record Unknown(Optional<String> nearest) implements Verdict {}
    }

    /**
     * Judges a flag, given without its dashes. Where one with underscores is none, the same with dashes counts: to newer programs
     * they are one (WordSepNormalizeFunc in k8s.io/component-base/cli/flag).
     */
    public Verdict judge(Component component, String flag) {
        Verdict verdict = judgeAsWritten(component, flag);
        return verdict instanceof Verdict.Known || flag.indexOf('_') < 0
                ? verdict
                : judgeAsWritten(component, flag.replace('_', '-'));
    }

    private Verdict judgeAsWritten(Component component, String flag) {
        List<Fact> facts = changed.stream()
                .filter(fact -> fact.is("component", component.id()) && fact.is("flag", flag))
                .toList();
        if (facts.stream().anyMatch(fact -> fact.range().contains(version))) {
            return new Verdict.Known();
        }
        if (!facts.isEmpty()) {
            Fact fact = facts.getLast();
            return new Verdict.OtherVersion(fact.range(), fact.find("successor"), fact.source());
        }
        Set<String> known = listed.getOrDefault(component, Set.of());
        boolean mayBeNew = version.minorVersion().compareTo(newestListed) > 0;
        return known.contains(flag) || mayBeNew ? new Verdict.Known() : new Verdict.Unknown(Nearest.to(flag, known));
    }

    /** Every flag of a component that some version has. */
    public SortedSet<String> ever(Component component) {
        SortedSet<String> flags = new TreeSet<>(everListed.getOrDefault(component, Set.of()));
        changed.stream()
                .filter(fact -> fact.is("component", component.id()))
                .forEach(fact -> flags.add(fact.get("flag")));
        return flags;
    }

    /**
     * A flag that is gone in this version and was there in an earlier one.
     *
     * @param successor what to write instead; empty when nobody said
     */
    public record Gone(String flag, VersionRange range, Optional<String> successor, String source) {}

    /** Flags of a component that a version had and this one has not, as far as the ranges tell; in the order of the data. */
    public List<Gone> goneSince(Component component, KubernetesVersion before) {
        return changed.stream()
                .filter(fact -> fact.is("component", component.id()))
                .filter(fact -> fact.range().contains(before) && fact.range().endedBefore(version))
                .map(fact -> new Gone(fact.get("flag"), fact.range(), fact.find("successor"), fact.source()))
                .toList();
    }

    /**
     * Each line is {@code component range flag...}: the range is {@code -} (both lists have these), {@code -VERSION} (only the
     * oldest, so gone in VERSION at the latest) or {@code VERSION-} (only the newest, so new after VERSION).
     */
    private Map<Component, Set<String>> load() {
        Map<Component, Set<String>> flags = new TreeMap<>();
        try (InputStream stream = KnownFlags.class.getResourceAsStream(RESOURCE)) {
            if (stream == null) {
                throw new IllegalStateException("missing resource " + RESOURCE);
            }
            BufferedReader reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8));
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (!line.isBlank() && !line.startsWith("#")) {
                    add(line, flags);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(RESOURCE, e);
        }
        return flags;
    }

    private void add(String line, Map<Component, Set<String>> flags) {
        String[] words = line.split(" ");
        Component component = Component.ofId(words[0])
                .orElseThrow(() -> new IllegalStateException(RESOURCE + ": no component " + words[0]));
        goneIn(words[1]).filter(bound -> bound.compareTo(newestListed) > 0).ifPresent(bound -> newestListed = bound);
        List<String> names = List.of(words).subList(2, words.length);
        everListed.computeIfAbsent(component, key -> new TreeSet<>()).addAll(names);
        if (includes(words[1], version.minorVersion())) {
            Set<String> known = flags.computeIfAbsent(component, key -> new TreeSet<>());
            known.addAll(names);
        }
    }

    private static boolean includes(String range, KubernetesVersion version) {
        Optional<KubernetesVersion> after = KubernetesVersion.parse(range.substring(0, range.indexOf('-')));
        return after.map(bound -> bound.compareTo(version) < 0).orElse(true)
                && goneIn(range).map(bound -> version.compareTo(bound) < 0).orElse(true);
    }

    /** A flag that is gone in a version is one that the list of that version does not name. */
    private static Optional<KubernetesVersion> goneIn(String range) {
        return KubernetesVersion.parse(range.substring(range.indexOf('-') + 1));
    }
}
