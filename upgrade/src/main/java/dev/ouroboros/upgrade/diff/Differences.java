package dev.ouroboros.upgrade.diff;

import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.digest.Sha256;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.render.manifest.TokenExpiry;
import dev.ouroboros.upgrade.apply.ApplyApi;
import dev.ouroboros.upgrade.apply.NamedManifests;
import dev.ouroboros.upgrade.decide.ObjectName;
import dev.ouroboros.upgrade.diff.SideBySide.Known;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;

/** Compares an asset directory's manifests with the API, checkpoints and processes. Changes nothing. */
public final class Differences {

    private final NamedManifests intent;
    private final ApplyApi api;
    private final Evidence<NodeFacts> node;
    private final TreeSet<String> unknown = new TreeSet<>();

    public Differences(NamedManifests intent, ApplyApi api, Evidence<NodeFacts> node) {
        this.intent = intent;
        this.api = api;
        this.node = node;
    }

    /**
     * What was found.
     *
     * @param objects how many were compared
     * @param unknown what could not be asked, and why
     */
    public record Report(int objects, List<Difference> differences, List<String> unknown) {
        public Report {
            differences = List.copyOf(differences);
            unknown = List.copyOf(unknown);
        }
    }

    /**
     * Compares.
     *
     * @param component name of the only object to compare; empty for all
     * @throws ProblemException NOT_FOUND when no manifest has that name
     */
    public Report compare(Optional<String> component) {
        List<ObjectName> names = intent.objects().keySet().stream()
                .filter(name -> component.isEmpty() || name.name().equals(component.get()))
                .filter(name -> intent.get(name)
                        .at("metadata", "annotations", TokenExpiry.ANNOTATION)
                        .isNull())
                .toList();
        if (names.isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.NOT_FOUND,
                    "COMPONENT",
                    component.orElse("the asset directory") + " has no manifest",
                    "one of those that the asset directory has",
                    "leave COMPONENT out to see all of them");
        }
        if (node instanceof Evidence.Unknown<NodeFacts>(String why)) {
            unknown.add("checkpoint and process: " + why);
        }
        List<Difference> all = new ArrayList<>();
        names.forEach(name -> all.addAll(ofObject(name)));
        return new Report(names.size(), all, List.copyOf(unknown));
    }

    private List<Difference> ofObject(ObjectName name) {
        Json manifest = intent.get(name);
        Optional<Json> live;
        try {
            live = api.read(manifest);
        } catch (ProblemException e) {
            unknown.add("API: " + e.problems().getFirst().describe());
            return workload(name, manifest, Optional.empty());
        }
        if (live.isEmpty()) {
            Map<Side, Optional<String>> sides = new EnumMap<>(Side.class);
            sides.put(Side.INTENT, Optional.of("there"));
            sides.put(Side.API, Optional.empty());
            return List.of(Difference.of(name.toString(), "", sides));
        }
        if (manifest.at("immutable").isTrue()) {
            // Its name is derived from its content.
            return List.of();
        }
        Json stored = asStored((Json.Fields) manifest, live.get());
        List<Difference> found = workload(name, stored, live);
        return name.kind().equals("Secret")
                ? found.stream().map(Differences::hidden).toList()
                : found;
    }

    private Json asStored(Json.Fields manifest, Json live) {
        Json.Fields metadata = (Json.Fields) manifest.at("metadata");
        return api.preview(manifest)
                .or(() -> api.preview(manifest.with(
                        "metadata", metadata.with("resourceVersion", live.at("metadata", "resourceVersion")))))
                .orElse(manifest);
    }

    private List<Difference> workload(ObjectName name, Json stored, Optional<Json> live) {
        Optional<Json> checkpoint = Optional.empty();
        Optional<List<String>> process = Optional.empty();
        if (ObjectName.WORKLOADS.contains(name.kind())) {
            checkpoint = known(
                    name,
                    "no last-good checkpoint on this node",
                    facts -> facts.checkpoint(new ComponentName(name.namespace(), name.name())));
            process = known(name, "no process of that name on this node", facts -> facts.process(name.name()));
        }
        return SideBySide.compare(name.toString(), new Known(stored, live, checkpoint, process));
    }

    private <T> Optional<T> known(ObjectName name, String absent, Function<NodeFacts, Evidence<Optional<T>>> question) {
        if (!(node instanceof Evidence.Known<NodeFacts>(NodeFacts facts))) {
            return Optional.empty();
        }
        return switch (question.apply(facts)) {
            case Evidence.Known<Optional<T>>(Optional<T> value) -> {
                if (value.isEmpty()) {
                    unknown.add(name + ": " + absent);
                }
                yield value;
            }
            case Evidence.Unknown<Optional<T>>(String why) -> {
                unknown.add(name + ": " + why);
                yield Optional.empty();
            }
        };
    }

    /** Shows of a Secret only whether its values are equal. */
    private static Difference hidden(Difference difference) {
        Map<Side, Optional<String>> values = new EnumMap<>(Side.class);
        difference.values().forEach((side, value) -> values.put(side, value.map(Differences::digest)));
        return Difference.of(difference.object(), difference.path(), values);
    }

    private static String digest(String text) {
        return "sha256:" + Sha256.hex(text).substring(0, 12);
    }
}
