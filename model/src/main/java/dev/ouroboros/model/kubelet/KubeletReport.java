package dev.ouroboros.model.kubelet;

import dev.ouroboros.model.digest.Sha256;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What a node says of its kubelet: an annotation of its Node, written by its keeper or agent.
 *
 * @param state how what is wished stands
 * @param wish what of the annotation {@link KubeletWish#ANNOTATION} it is about, by {@link #digestOf}
 * @param running the generation that runs, as it was started; empty while that is not known
 * @param wanted the generation that is to run; empty where the wish was not understood
 * @param message for people; empty when there is nothing to say
 * @param programs digests of those that the node has; empty where that is not said, as by a keeper of before
 */
public record KubeletReport(
        State state, String wish, String running, String wanted, String message, Optional<SortedSet<String>> programs) {
    /** On a Node: this. */
    public static final String ANNOTATION = "ouroboros.dev/kubelet-status";

    /** How what is wished stands. */
    public enum State {
        /** It runs. */
        RUNNING("Running"),
        /** It waits: its program is not on the node yet. */
        WAITING("Waiting"),
        /** The guard tries it. */
        TRYING("Trying"),
        /** It did not run: the node went back. Another wish is tried. */
        FAILED("Failed"),
        /** It cannot be wished, or not be understood: nothing was done. */
        REFUSED("Refused"),
        /** The node was made by an ouro that knew no generations. */
        UNMANAGED("Unmanaged");

        private final String word;

        State(String word) {
            this.word = word;
        }

        public String word() {
            return word;
        }
    }

    public KubeletReport {
        programs = programs.map(known -> Collections.unmodifiableSortedSet(new TreeSet<>(known)));
    }

    /** One that does not say which programs there are. */
    public KubeletReport(State state, String wish, String running, String wanted, String message) {
        this(state, wish, running, wanted, message, Optional.empty());
    }

    /** By which a report says of which wish it is; empty of none. */
    public static String digestOf(String wish) {
        return wish.isBlank() ? "" : Sha256.hex(wish);
    }

    /** What a Node says of what is wished of it now; empty where its keeper or agent has not said anything of that. */
    public static Optional<KubeletReport> ofNode(Json node) {
        Json annotations = node.at("metadata", "annotations");
        String wish = annotations.at(KubeletWish.ANNOTATION).text().orElse("");
        return annotations
                .at(ANNOTATION)
                .text()
                .flatMap(KubeletReport::read)
                .filter(report -> report.wish().equals(digestOf(wish)));
    }

    /** Reads an annotation; empty when it is none of ours. */
    public static Optional<KubeletReport> read(String text) {
        try {
            Json json = JsonText.read(text);
            for (State state : State.values()) {
                if (json.at("state").equals(Json.text(state.word))) {
                    return Optional.of(new KubeletReport(
                            state,
                            json.at("wish").text().orElse(""),
                            json.at("running").text().orElse(""),
                            json.at("wanted").text().orElse(""),
                            json.at("message").text().orElse(""),
                            programs(json.at("programs"))));
                }
            }
        } catch (MalformedJson e) {
            return Optional.empty();
        }
        return Optional.empty();
    }

    private static Optional<SortedSet<String>> programs(Json said) {
        return said.isNull()
                ? Optional.empty()
                : Optional.of(said.items().stream()
                        .flatMap(digest -> digest.text().stream())
                        .collect(Collectors.toCollection(TreeSet::new)));
    }

    /** Whether it says that the node has not got a program. */
    public boolean lacks(String digest) {
        return programs.filter(known -> !known.contains(digest)).isPresent();
    }

    /** The same with another message. */
    public KubeletReport saying(String what) {
        return new KubeletReport(state, wish, running, wanted, what, programs);
    }

    /** As the annotation has it. */
    public Json.Fields json() {
        Json.Fields said = Json.object()
                .with("state", Json.text(state.word))
                .with("wish", Json.text(wish))
                .with("running", Json.text(running))
                .with("wanted", Json.text(wanted))
                .with("message", Json.text(message));
        return programs.map(
                        known -> said.with("programs", Json.items(known.stream().map(Json::text))))
                .orElse(said);
    }
}
