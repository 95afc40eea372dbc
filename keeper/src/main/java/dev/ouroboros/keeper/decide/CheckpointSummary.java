package dev.ouroboros.keeper.decide;

import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A summary of a node's checkpoints. The keeper publishes it on its Node, for readers that have no access to the node's disk.
 *
 * <p>As the annotation's value, in JSON: {@code {"format": 1, "at": TIME, "components": {"NAMESPACE/NAME": {"lastGood": SLOT,
 * "candidate": SLOT}}}}, each slot {@code {"revision": DIGEST, "savedAt": TIME}}; of a component whose slots cannot be read {@code
 * {"unknown": REASON}}. Unknown fields are ignored; a value that is not of this form, or of another format, is unknown as a whole.
 *
 * @param components those that have a checkpoint
 * @param unknown those whose slots cannot be read, and why
 */
public record CheckpointSummary(SortedMap<ComponentName, Saved> components, SortedMap<ComponentName, String> unknown) {
    /** On the Node, by its keeper. */
    public static final String ANNOTATION = "ouroboros.dev/checkpoints";

    /** Of a node without a checkpoint. */
    public static final CheckpointSummary NONE = new CheckpointSummary(new TreeMap<>(), new TreeMap<>());

    private static final long FORMAT = 1;
    private static final String UNKNOWN = "unknown";
    private static final String LAST_GOOD = "lastGood";
    private static final String CANDIDATE = "candidate";

    public CheckpointSummary {
        components = Collections.unmodifiableSortedMap(new TreeMap<>(components));
        unknown = Collections.unmodifiableSortedMap(new TreeMap<>(unknown));
    }

    /** The slots of one component; one of them at least has something. */
    public record Saved(Optional<Slot> lastGood, Optional<Slot> candidate) {}

    /** @param savedAt in whole seconds, by the node's clock; empty when that is not known */
    public record Slot(Revision revision, Optional<Instant> savedAt) {
        public Slot {
            savedAt = savedAt.map(CheckpointSummary::inSeconds);
        }
    }

    /** @param at when the keeper wrote it: since then nothing has changed, or the change was not published */
    public record Told(Instant at, CheckpointSummary summary) {}

    /** Knows when a checkpoint was saved. */
    public interface Times {
        Optional<Instant> savedAt(ComponentName component, Revision revision);
    }

    public static CheckpointSummary of(Map<ComponentName, Evidence<Slots>> slots, Times times) {
        SortedMap<ComponentName, Saved> components = new TreeMap<>();
        SortedMap<ComponentName, String> unknown = new TreeMap<>();
        slots.forEach((component, evidence) -> {
            switch (evidence) {
                case Unknown<Slots>(String why) -> unknown.put(component, why);
                case Known<Slots>(Slots known) -> {
                    if (!known.equals(Slots.NONE)) {
                        components.put(
                                component,
                                new Saved(
                                        known.lastGood().map(revision -> slot(component, revision, times)),
                                        known.candidate().map(revision -> slot(component, revision, times))));
                    }
                }
            }
        });
        return new CheckpointSummary(components, unknown);
    }

    private static Slot slot(ComponentName component, Revision revision, Times times) {
        return new Slot(revision, times.savedAt(component, revision));
    }

    private static Instant inSeconds(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS);
    }

    /** The components of which the two say different things. */
    SortedSet<ComponentName> differingFrom(CheckpointSummary other) {
        SortedSet<ComponentName> names = new TreeSet<>(components.keySet());
        names.addAll(other.components.keySet());
        names.addAll(unknown.keySet());
        names.addAll(other.unknown.keySet());
        names.removeIf(name -> Objects.equals(components.get(name), other.components.get(name))
                && Objects.equals(unknown.get(name), other.unknown.get(name)));
        return names;
    }

    /** The annotation's value. */
    public String text(Instant at) {
        SortedMap<String, Json> fields = new TreeMap<>();
        components.forEach((component, saved) -> fields.put(component.toString(), json(saved)));
        unknown.forEach((component, why) ->
                fields.put(component.toString(), Json.object().with(UNKNOWN, Json.text(why))));
        Json text = Json.object()
                .with("format", Json.number(FORMAT))
                .with("at", Json.text(inSeconds(at).toString()))
                .with("components", new Json.Fields(fields));
        return new String(JsonText.write(text), StandardCharsets.UTF_8);
    }

    private static Json json(Saved saved) {
        Json.Fields fields = Json.object();
        if (saved.lastGood().isPresent()) {
            fields = fields.with(LAST_GOOD, json(saved.lastGood().get()));
        }
        return saved.candidate().isPresent()
                ? fields.with(CANDIDATE, json(saved.candidate().get()))
                : fields;
    }

    private static Json json(Slot slot) {
        Json.Fields fields =
                Json.object().with("revision", Json.text(slot.revision().digest()));
        return slot.savedAt().isPresent()
                ? fields.with("savedAt", Json.text(slot.savedAt().get().toString()))
                : fields;
    }

    /** What an annotation's value says; unknown when it is not one that a keeper of this format wrote. */
    public static Evidence<Told> read(String text) {
        try {
            Json value = JsonText.read(text);
            OptionalLong format = value.at("format").integer();
            if (format.isEmpty() || format.getAsLong() != FORMAT) {
                return Evidence.unknown(
                        format.isEmpty()
                                ? "is not a keeper's: it has no format"
                                : "has format " + format.getAsLong() + "; known is format " + FORMAT);
            }
            SortedMap<ComponentName, Saved> components = new TreeMap<>();
            SortedMap<ComponentName, String> unknown = new TreeMap<>();
            for (Map.Entry<String, Json> entry : value.at("components").fields().entrySet()) {
                ComponentName component = component(entry.getKey());
                Optional<String> why = entry.getValue().at(UNKNOWN).text();
                if (why.isPresent()) {
                    unknown.put(component, why.get());
                } else {
                    components.put(component, saved(entry.getValue()));
                }
            }
            return Evidence.known(
                    new Told(time(value.at("at").text().orElse("")), new CheckpointSummary(components, unknown)));
        } catch (MalformedJson e) {
            return Evidence.unknown("is not JSON: " + e.getMessage());
        } catch (IllegalArgumentException | DateTimeException e) {
            return Evidence.unknown("is not as a keeper writes it: " + e.getMessage());
        }
    }

    private static ComponentName component(String name) {
        int slash = name.indexOf('/');
        if (slash < 0) {
            throw new IllegalArgumentException("'" + name + "' names no component");
        }
        return new ComponentName(name.substring(0, slash), name.substring(slash + 1));
    }

    private static Saved saved(Json value) {
        Saved saved = new Saved(slot(value.at(LAST_GOOD)), slot(value.at(CANDIDATE)));
        if (saved.lastGood().isEmpty() && saved.candidate().isEmpty()) {
            throw new IllegalArgumentException("a component has no checkpoint");
        }
        return saved;
    }

    private static Optional<Slot> slot(Json value) {
        if (value.isNull()) {
            return Optional.empty();
        }
        String digest = value.at("revision").text().orElse("");
        return Optional.of(
                new Slot(new Revision(digest), value.at("savedAt").text().map(CheckpointSummary::time)));
    }

    /** @throws DateTimeException when it is none */
    private static Instant time(String text) {
        return Instant.parse(text);
    }
}
