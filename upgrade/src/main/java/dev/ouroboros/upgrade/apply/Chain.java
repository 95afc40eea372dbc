package dev.ouroboros.upgrade.apply;

import dev.ouroboros.change.decide.HeldRollout;
import dev.ouroboros.change.decide.Rollout;
import dev.ouroboros.cluster.ClusterWriter.Outcome;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.upgrade.decide.ObjectName;
import dev.ouroboros.upgrade.decide.StageSeen;
import dev.ouroboros.upgrade.decide.StageSeen.ObjectSeen;
import dev.ouroboros.upgrade.decide.UpgradeStage;
import dev.ouroboros.upgrade.merge.Conflict;
import dev.ouroboros.upgrade.merge.Merged;
import dev.ouroboros.upgrade.merge.Preference;
import dev.ouroboros.upgrade.merge.ThreeWay;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The successive sets of a cluster's manifests, from those before the upgrade to the target's, and what they make of each live object. When
 * an upgrade gets another target midway, or is taken back, an object may have any of the manifests in between: so the live object is merged
 * with each change in turn. A change that it has already alters nothing.
 */
public final class Chain {
    private final List<Hop> hops;
    private final NamedManifests target;
    private final boolean chosen;
    private final ApplyApi api;

    /**
     * @param hops at least one
     * @param chosen whether the last hop's preference is somebody's choice; otherwise conflicts of it are reported
     */
    Chain(List<Hop> hops, NamedManifests target, boolean chosen, ApplyApi api) {
        this.hops = List.copyOf(hops);
        this.target = target;
        this.chosen = chosen;
        this.api = api;
    }

    /**
     * What is to become of an object.
     *
     * @param live as it is; absent when it is not there
     * @param wanted as it should be; absent when it is to stay away
     */
    public record Plan(ObjectName name, Json live, Json wanted, List<String> kept, List<Conflict> conflicts) {
        public Plan {
            kept = List.copyOf(kept);
            conflicts = List.copyOf(conflicts);
        }

        boolean differs() {
            return !wanted.isNull() && !wanted.equals(live);
        }
    }

    public NamedManifests target() {
        return target;
    }

    /** Objects of earlier manifests in the chain that the target lacks; they stay, as somebody may still need them. */
    List<ObjectName> leftBehind() {
        return hops.stream()
                .flatMap(hop -> hop.manifests().objects().entrySet().stream())
                .filter(entry -> target.get(entry.getKey()).isNull() && !isImmutable(entry.getValue()))
                .map(Map.Entry::getKey)
                .distinct()
                .filter(name -> api.read(manifest(name)).isPresent())
                .toList();
    }

    private Json manifest(ObjectName name) {
        return hops.reversed().stream()
                .map(hop -> hop.manifests().get(name))
                .filter(found -> !found.isNull())
                .findFirst()
                .orElseThrow();
    }

    StageSeen look(UpgradeStage stage) {
        List<ObjectSeen> seen = new ArrayList<>();
        for (ObjectName name : target.of(stage)) {
            boolean moves =
                    ObjectName.WORKLOADS.contains(name.kind()) && (stage != UpgradeStage.ADD_ONS || isChanged(name));
            if (isChanged(name) || moves) {
                Plan plan = plan(name);
                // What is to be written is looked at afterwards.
                Rollout rollout = moves && !plan.live().isNull() && !plan.differs()
                        ? rollout(plan.live())
                        : new Rollout.Settled();
                seen.add(new ObjectSeen(
                        name,
                        plan.differs(),
                        chosen ? List.of() : plan.conflicts(),
                        rollout,
                        rollout instanceof Rollout.Moving ? held(plan.live()) : new HeldRollout.NotHeld()));
            }
        }
        return new StageSeen(seen);
    }

    private static Rollout rollout(Json live) {
        return live.at("kind").equals(Json.text("Deployment")) ? Rollout.ofDeployment(live) : Rollout.ofDaemonSet(live);
    }

    private HeldRollout held(Json live) {
        return live.at("kind").equals(Json.text("DaemonSet")) ? api.held(live) : new HeldRollout.NotHeld();
    }

    /** What is to be waited for before anything becomes newer than an API server that may come yet; empty where this does not change it. */
    Optional<String> earlierServers() {
        return target.of(UpgradeStage.API_SERVER).stream()
                .filter(this::isChanged)
                .flatMap(name -> api.read(target.get(name)).stream())
                .flatMap(live -> api.earlierServers(live).stream())
                .findFirst();
    }

    /** Nodes that are away, and whose pods become what the target says when they are back. */
    SortedSet<String> followers() {
        return target.objects().values().stream()
                .filter(object -> object.at("kind").equals(Json.text("DaemonSet")))
                .flatMap(object -> api.read(object).stream())
                .filter(live -> rollout(live) instanceof Rollout.Moving)
                .flatMap(live -> api.held(live) instanceof HeldRollout.SettledElsewhere(SortedSet<String> nodes)
                        ? nodes.stream()
                        : Stream.empty())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Whether any earlier manifest in the chain differs from the target's. */
    boolean isChanged(ObjectName name) {
        Json wanted = target.get(name);
        return hops.stream().anyMatch(hop -> !hop.manifests().get(name).equals(wanted));
    }

    public Plan plan(ObjectName name) {
        Json wanted = inServedVersion(name);
        Optional<Json> live = api.read(wanted);
        if (!isChanged(name)) {
            return new Plan(name, live.orElse(Json.absent()), Json.absent(), List.of(), List.of());
        }
        if (live.isEmpty()) {
            return ofMissing(name, wanted);
        }
        return isImmutable(live.get())
                ? new Plan(name, live.get(), live.get(), List.of(), List.of())
                : ofLive(name, live.get());
    }

    /**
     * The target's manifest, in the newest API version that a manifest of the chain uses and the server knows. The object is the same in
     * each version, but a server before the upgrade may not know the target's: PodDisruptionBudget is policy/v1 from 1.21 on.
     */
    private Json inServedVersion(ObjectName name) {
        Json wanted = target.get(name);
        if (!(wanted instanceof Json.Fields fields)) {
            return wanted;
        }
        List<Json> versions = Stream.concat(
                        Stream.of(wanted),
                        hops.reversed().stream().map(hop -> hop.manifests().get(name)))
                .map(manifest -> manifest.at("apiVersion"))
                .filter(version -> !version.isNull())
                .distinct()
                .toList();
        return versions.size() < 2
                ? wanted
                : versions.stream()
                        .<Json>map(version -> fields.with("apiVersion", version))
                        .filter(api::serves)
                        .findFirst()
                        .orElse(wanted);
    }

    /** An object that was there and is not any more was deleted by somebody. */
    private Plan ofMissing(ObjectName name, Json wanted) {
        Json base = hops.getLast().manifests().get(name);
        boolean isNew = base.isNull() || isImmutable(wanted);
        boolean isWanted = isNew || hops.getLast().preference() == Preference.TARGET;
        return new Plan(
                name,
                Json.absent(),
                isWanted ? wanted : Json.absent(),
                List.of(),
                isNew ? List.of() : List.of(new Conflict("", base, Json.absent(), wanted)));
    }

    private Plan ofLive(ObjectName name, Json live) {
        Json result = ThreeWay.withoutNulls(live);
        List<String> kept = List.of();
        List<Conflict> conflicts = List.of();
        for (int hop = 0; hop < hops.size(); hop++) {
            boolean isLast = hop == hops.size() - 1;
            Json next =
                    isLast ? target.get(name) : hops.get(hop + 1).manifests().get(name);
            if (next.isNull()) {
                // These manifests lack the object; later ones merge with the result so far.
                continue;
            }
            Merged merged = ThreeWay.merge(
                    asStored(hops.get(hop).manifests().get(name), live),
                    result,
                    asStored(next, live),
                    hops.get(hop).preference());
            result = merged.result();
            if (isLast) {
                kept = merged.kept();
                conflicts = merged.conflicts();
            }
        }
        return new Plan(name, ThreeWay.withoutNulls(live), result, kept, conflicts);
    }

    /**
     * The manifest with the defaults that the server adds. A manifest that the server refuses in place of the live object, because a field
     * is immutable, is compared as it stands; kinds that need a resource version for a replacement are tried with it.
     */
    private Json asStored(Json manifest, Json live) {
        if (!(manifest instanceof Json.Fields fields) || !(manifest.at("metadata") instanceof Json.Fields metadata)) {
            return Json.absent();
        }
        Json.Fields inPlace = fields.with("apiVersion", live.at("apiVersion"));
        return api.preview(inPlace)
                .or(() -> api.preview(inPlace.with(
                        "metadata", metadata.with("resourceVersion", live.at("metadata", "resourceVersion")))))
                .orElse(fields);
    }

    private static boolean isImmutable(Json object) {
        return object.at("immutable").isTrue();
    }

    /** Writes what is wanted; false when somebody else changed the object meanwhile. */
    boolean write(Plan plan) {
        return switch (plan.live().isNull() ? api.create(plan.wanted()) : api.replace(plan.wanted())) {
            case Outcome.Written _ -> true;
            case Outcome.Conflict() -> false;
            case Outcome.Gone() -> {
                if (plan.live().isNull()) {
                    throw ProblemException.of(
                            ErrorCode.API_UNAVAILABLE,
                            plan.name().toString(),
                            "its namespace is not there",
                            "",
                            "create it: kubectl create namespace " + plan.name().namespace());
                }
                yield false;
            }
        };
    }
}
