package dev.ouroboros.recovery;

import dev.ouroboros.model.checkpoint.Checkpoint;
import dev.ouroboros.model.checkpoint.Content;
import dev.ouroboros.model.checkpoint.SavedFile;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.flags.CommandLine;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Compares what was recovered with this node's last-good checkpoints: a snapshot is older than the node, and later changes that the
 * node has are lost when the recovered control plane is started there.
 */
public final class NodeComparison {
    private NodeComparison() {}

    /**
     * One thing that is not the same.
     *
     * @param component name of the binary
     * @param what the image, a flag as {@code --flag}, or a file as {@code VOLUME/PATH}
     * @param recovered its value; of a file whether it is there; empty when what was recovered has none
     * @param onNode the same of the node's checkpoint
     */
    public record OnNode(String component, String what, Optional<String> recovered, Optional<String> onNode) {}

    /**
     * Everything in which the parts differ, in the order of components and names. A part of which the node has nothing is left out.
     *
     * @param node the last-good checkpoints of this node
     */
    public static List<OnNode> of(Map<Component, Checkpoint> recovered, List<Checkpoint> node) {
        List<OnNode> differences = new ArrayList<>();
        recovered.forEach((component, part) -> node.stream()
                .filter(checkpoint -> checkpoint.role() == component.role())
                .findFirst()
                .ifPresent(there -> {
                    differences.addAll(compare(component.id(), images(part), images(there)));
                    differences.addAll(compare(component.id(), flags(part), flags(there)));
                    differences.addAll(files(component.id(), part, there));
                }));
        return differences;
    }

    private static SortedMap<String, String> images(Checkpoint checkpoint) {
        return new TreeMap<>(Map.of("image", String.join(", ", checkpoint.images())));
    }

    private static SortedMap<String, String> flags(Checkpoint checkpoint) {
        CommandLine line = checkpoint.commandLine();
        SortedMap<String, String> flags = new TreeMap<>();
        for (String word : line.words()) {
            if (word.startsWith("--")) {
                String flag = word.split("=", 2)[0];
                List<String> values = line.values(flag.substring(2));
                flags.put(flag, values.isEmpty() ? "set" : String.join(" and ", values));
            }
        }
        return flags;
    }

    private static List<OnNode> compare(
            String component, SortedMap<String, String> recovered, SortedMap<String, String> onNode) {
        TreeSet<String> names = new TreeSet<>(recovered.keySet());
        names.addAll(onNode.keySet());
        return names.stream()
                .map(name -> new OnNode(
                        component,
                        name,
                        Optional.ofNullable(recovered.get(name)),
                        Optional.ofNullable(onNode.get(name))))
                .filter(difference -> !difference.recovered().equals(difference.onNode()))
                .toList();
    }

    /** Contents are keys: that they differ is said, never what they are. */
    private static List<OnNode> files(String component, Checkpoint recovered, Checkpoint onNode) {
        SortedMap<String, Content> ours = contents(recovered);
        SortedMap<String, Content> theirs = contents(onNode);
        TreeSet<String> names = new TreeSet<>(ours.keySet());
        names.addAll(theirs.keySet());
        return names.stream()
                .filter(name -> !Optional.ofNullable(ours.get(name)).equals(Optional.ofNullable(theirs.get(name))))
                .map(name -> new OnNode(component, name, presence(ours, name), presence(theirs, name)))
                .toList();
    }

    private static Optional<String> presence(SortedMap<String, Content> contents, String name) {
        return Optional.ofNullable(contents.get(name)).map(_ -> "another content");
    }

    private static SortedMap<String, Content> contents(Checkpoint checkpoint) {
        SortedMap<String, Content> contents = new TreeMap<>();
        for (SavedFile file : checkpoint.files()) {
            contents.put(file.volume() + "/" + file.path(), file.content());
        }
        return contents;
    }
}
