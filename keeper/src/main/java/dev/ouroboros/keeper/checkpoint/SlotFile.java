package dev.ouroboros.keeper.checkpoint;

import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a component's slots name, whether or not those generations exist.
 *
 * @param history what was last-good, the latest first: for people
 */
record SlotFile(Slots slots, List<Revision> history) {
    static final SlotFile EMPTY = new SlotFile(Slots.NONE, List.of());

    private static final int REMEMBERED = 10;
    private static final String CANDIDATE = "candidate";
    private static final String LAST_GOOD = "lastGood";
    private static final String HISTORY = "history";

    SlotFile {
        history = List.copyOf(history);
    }

    static SlotFile of(Json content) {
        return new SlotFile(
                new Slots(revision(content.at(CANDIDATE)), revision(content.at(LAST_GOOD))),
                content.at(HISTORY).items().stream()
                        .flatMap(item -> revision(item).stream())
                        .toList());
    }

    Json content() {
        Json.Fields content = Json.object();
        if (slots.candidate().isPresent()) {
            content = content.with(CANDIDATE, Json.text(slots.candidate().get().digest()));
        }
        if (slots.lastGood().isPresent()) {
            content = content.with(LAST_GOOD, Json.text(slots.lastGood().get().digest()));
        }
        return content.with(
                HISTORY, Json.texts(history.stream().map(Revision::digest).toList()));
    }

    Set<Revision> named() {
        Set<Revision> named = new LinkedHashSet<>();
        slots.candidate().ifPresent(named::add);
        slots.lastGood().ifPresent(named::add);
        return named;
    }

    SlotFile withCandidate(Optional<Revision> candidate) {
        return new SlotFile(new Slots(candidate, slots.lastGood()), history);
    }

    /** The candidate becomes the last-good in one step. */
    SlotFile promoted(Revision candidate) {
        List<Revision> longer = new ArrayList<>(history);
        longer.remove(candidate);
        longer.addFirst(candidate);
        return new SlotFile(
                new Slots(Optional.empty(), Optional.of(candidate)),
                longer.subList(0, Math.min(longer.size(), REMEMBERED)));
    }

    private static Optional<Revision> revision(Json value) {
        return value.text().filter(Revision::isWhole).map(Revision::new);
    }
}
