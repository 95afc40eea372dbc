package dev.ouroboros.sim;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.api.Watch;
import dev.ouroboros.keeper.decide.Action;
import dev.ouroboros.keeper.decide.ChangeSeen;
import dev.ouroboros.keeper.decide.ComponentSeen;
import dev.ouroboros.keeper.decide.Decision;
import dev.ouroboros.keeper.decide.Decision.Planned;
import dev.ouroboros.keeper.decide.KeeperSettings;
import dev.ouroboros.keeper.decide.Material;
import dev.ouroboros.keeper.decide.Observation;
import dev.ouroboros.keeper.decide.PrincipalPod;
import dev.ouroboros.keeper.decide.Proof;
import dev.ouroboros.keeper.decide.Reason;
import dev.ouroboros.keeper.decide.Running;
import dev.ouroboros.keeper.decide.StaticManifest;
import dev.ouroboros.keeper.decide.Successor;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.leader.LeaderLease;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.testing.ModelDisk;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * The defects of bootkube's checkpointer, each put back where it was: into what a keeper sees, decides or writes. And those that the
 * simulator found here.
 */
enum Defect implements Distortion {
    SAVES_CRASH_LOOPING_PODS("It saves crash-looping pods") {
        @Override
        public KeeperSettings settings(KeeperSettings settings) {
            return withTimes(settings, Duration.ofSeconds(2), Duration.ofSeconds(4));
        }

        @Override
        public Observation seen(Observation seen) {
            return Defect.each(seen, component -> component.role() != Role.API_SERVER, Defect::asHealthy);
        }
    },
    HAS_NO_DEBOUNCE("It has no debounce") {
        @Override
        public KeeperSettings settings(KeeperSettings settings) {
            return withTimes(settings, Duration.ZERO, Duration.ZERO);
        }
    },
    OLD_CHECKPOINT_STAYS_ELIGIBLE(
            "It keeps the old checkpoint of a rolled DaemonSet eligible, and starts it against the new") {
        @Override
        public Decision decided(Observation seen, Decision decision) {
            List<Planned> actions = new ArrayList<>(decision.actions());
            seen.components().forEach((name, component) -> {
                Optional<Revision> old = component.slots().orElse(Slots.NONE).lastGood();
                boolean rolled = component.role() == Role.API_SERVER
                        && component
                                .material()
                                .is(made -> made instanceof Material.Complete(String _, var revision)
                                        && old.filter(saved -> !saved.equals(revision))
                                                .isPresent());
                if (rolled && component.manifest().is(manifest -> manifest instanceof StaticManifest.Absent)) {
                    actions.add(new Planned(
                            new Action.StartUnderstudy(name, old.orElseThrow()), Reason.PRINCIPAL_IS_DEAD, "rolled"));
                }
            });
            return with(decision, actions);
        }
    },
    IGNORES_ITEMS("It rewrites Secret volumes without their items") {
        @Override
        public Api api(Api api) {
            return rewriting(api, dropping("items"));
        }
    },
    IGNORES_MODES("It rewrites volumes without their modes") {
        @Override
        public Api api(Api api) {
            return rewriting(
                    api, json -> dropping("mode").apply(dropping("defaultMode").apply(json)));
        }
    },
    IGNORES_OPTIONAL("It does not know optional references") {
        @Override
        public Api api(Api api) {
            return rewriting(api, dropping("optional"));
        }
    },
    IGNORES_PROJECTED("It does not rewrite projected volumes") {
        @Override
        public Api api(Api api) {
            return rewriting(api, renaming("projected", "emptyDir"));
        }
    },
    IGNORES_ENVIRONMENT("It does not rewrite environment variables") {
        @Override
        public Api api(Api api) {
            return rewriting(api, dropping("valueFrom"));
        }
    },
    FAILED_LIST_IS_NO_PODS("It takes a failed list for no pods") {
        @Override
        public Observation seen(Observation seen) {
            Observation blind = Defect.each(
                    seen,
                    component -> component.pods() instanceof Evidence.Unknown,
                    component -> changed(component, Evidence.known(List.of()), Evidence.known(false)));
            return withWanted(blind, Evidence.known(seen.keeperWanted().orElse(false)));
        }
    },
    DOES_NOT_VERIFY_WHO_ANSWERS("It does not verify who answers") {
        @Override
        public Api api(Api api) {
            return intercepting(
                    Api.class,
                    api,
                    "get",
                    (answer, path) -> answer instanceof Json.Fields fields
                                    && fields.at("metadata", "uid").text().equals(Optional.of("another-cluster"))
                            ? Json.object().with("metadata", Json.object().with("uid", Json.text("uid-00001")))
                            : answer);
        }
    },
    RENAMES_WITHOUT_SYNC("It renames without fsync") {
        @Override
        public void prepare(ModelDisk disk) {
            disk.withoutSync();
        }
    },
    KEEPS_REMOVED_KEYS("It never deletes a key that left its Secret") {
        @Override
        public Api api(Api api) {
            SortedMap<String, Json.Fields> known = new TreeMap<>();
            return intercepting(Api.class, api, "get", (answer, path) -> {
                if (!String.valueOf(path).contains("/secrets/")
                        || !(answer instanceof Json.Fields secret)
                        || !(secret.at("data") instanceof Json.Fields data)) {
                    return answer;
                }
                Json.Fields all = known.getOrDefault(String.valueOf(path), Json.object());
                for (var entry : data.values().entrySet()) {
                    all = all.with(entry.getKey(), entry.getValue());
                }
                known.put(String.valueOf(path), all);
                return secret.with("data", all);
            });
        }
    },
    DELETES_FOREIGN_DOT_FILES("It deletes foreign dot-files in the manifest directory") {
        @Override
        public Disk disk(Disk disk) {
            return intercepting(Disk.class, disk, "write", (answer, path) -> {
                Path directory = ((Path) path).resolveSibling("");
                if (directory.equals(Kubelet.MANIFESTS)) {
                    disk.list(directory).stream()
                            .filter(name -> name.startsWith("."))
                            .forEach(name -> disk.delete(directory.resolve(name)));
                }
                return answer;
            });
        }
    },
    REFUSES_DIFFERENT_USERS("It never checkpoints a pod whose containers have different users") {
        @Override
        public Decision decided(Observation seen, Decision decision) {
            return with(
                    decision,
                    decision.actions().stream()
                            .filter(planned ->
                                    !(planned.action() instanceof Action.SaveCandidate(ComponentName name, var _)
                                            && name.equals(Blueprint.OTHER.component())))
                            .toList());
        }
    },
    SERVES_ONLY_ITS_OWN_NAMESPACE("It serves only its own namespace") {
        @Override
        public Observation seen(Observation seen) {
            SortedMap<ComponentName, ComponentSeen> own = new TreeMap<>(seen.components());
            own.keySet().removeIf(name -> !name.namespace().equals(Blueprint.SYSTEM));
            return withComponents(seen, own);
        }
    },
    RETIRES_THE_LAST_SCHEDULER(
            "Found by a first user: the last checkpoint of a scheduler that was scaled to zero was removed after the grace") {
        @Override
        public Observation seen(Observation seen) {
            return Defect.each(seen, component -> component.role() == Role.SCHEDULER, Defect::asThereIsAnotherOne);
        }
    },
    LETS_AN_UNDERSTUDY_HANG("Found by this simulator: an understudy that hung was started again by nobody") {
        @Override
        public Api api(Api api) {
            return rewriting(api, dropping("livenessProbe"));
        }
    },
    JUDGES_A_NEW_PRINCIPAL_BY_READYZ(
            "Found by this simulator: a principal made from a template that nobody had proved was asked for /readyz alone") {
        @Override
        public Observation seen(Observation seen) {
            boolean failed = seen.change().principal().is(Proof.Failed.class::isInstance);
            return failed ? withPrincipal(seen, Evidence.known(new Proof.Passed(Instant.EPOCH))) : seen;
        }
    },
    GIVES_WAY_BEFORE_ITS_SUCCESSOR_DECIDES(
            "Ours, found on a slow machine: the static copy ended before its successor's JVM had started") {
        @Override
        public Observation seen(Observation seen) {
            boolean waits = seen.self().successor().is(successor -> successor == Successor.WAITS);
            return waits ? seen : withSuccessor(seen, Evidence.known(Successor.DECIDES));
        }
    },
    RELEASES_EVERY_LEASE("Ours: it releases the Lease of a leader without asking whether that one has ended") {
        @Override
        public Api api(Api api) {
            return intercepting(Api.class, api, "find", (answer, path) -> {
                Optional<?> found = (Optional<?>) answer;
                boolean isLease = LeaderElection.component(path.toString()).isPresent();
                if (isLease && found.isPresent() && found.get() instanceof Json.Fields lease) {
                    api.update((ApiPath) path, LeaderLease.released(lease));
                }
                return answer;
            });
        }
    };

    private final String sentence;

    Defect(String sentence) {
        this.sentence = sentence;
    }

    String sentence() {
        return sentence;
    }

    private static KeeperSettings withTimes(KeeperSettings settings, Duration steady, Duration soak) {
        return new KeeperSettings(
                settings.failover(),
                settings.patience(),
                settings.leaderPatience(),
                steady,
                settings.drain(),
                soak,
                settings.prove(),
                settings.candidateDeadline(),
                settings.retireGrace(),
                settings.leaveGrace(),
                settings.pivotGrace(),
                settings.lease(),
                settings.cut());
    }

    private static Decision with(Decision decision, List<Planned> actions) {
        return new Decision(decision.state(), actions, decision.components(), decision.change());
    }

    static Observation each(Observation seen, Predicate<ComponentSeen> which, UnaryOperator<ComponentSeen> change) {
        SortedMap<ComponentName, ComponentSeen> all = new TreeMap<>();
        seen.components()
                .forEach((name, component) ->
                        all.put(name, which.test(component) ? change.apply(component) : component));
        return withComponents(seen, all);
    }

    private static Observation withComponents(Observation seen, SortedMap<ComponentName, ComponentSeen> components) {
        return with(seen, components, seen.self(), seen.keeperWanted(), seen.otherApiServers(), seen.change());
    }

    static Observation withChange(Observation seen, ChangeSeen change) {
        return with(seen, seen.components(), seen.self(), seen.keeperWanted(), seen.otherApiServers(), change);
    }

    private static Observation withSuccessor(Observation seen, Evidence<Successor> successor) {
        Observation.SelfSeen self = new Observation.SelfSeen(seen.staticCopy(), successor);
        return with(seen, seen.components(), self, seen.keeperWanted(), seen.otherApiServers(), seen.change());
    }

    static Observation withOthers(Observation seen, Evidence<Integer> otherApiServers) {
        return with(seen, seen.components(), seen.self(), seen.keeperWanted(), otherApiServers, seen.change());
    }

    private static Observation withWanted(Observation seen, Evidence<Boolean> wanted) {
        return with(seen, seen.components(), seen.self(), wanted, seen.otherApiServers(), seen.change());
    }

    private static Observation with(
            Observation seen,
            SortedMap<ComponentName, ComponentSeen> components,
            Observation.SelfSeen self,
            Evidence<Boolean> keeperWanted,
            Evidence<Integer> otherApiServers,
            ChangeSeen change) {
        return new Observation(
                components,
                self,
                seen.start(),
                seen.front(),
                seen.serviceEndpoints(),
                seen.node(),
                seen.rejected(),
                keeperWanted,
                seen.podCheckpointer(),
                otherApiServers,
                seen.checkpoints(),
                seen.abandonedLeases(),
                seen.countsAreKept(),
                change);
    }

    private static Observation withPrincipal(Observation seen, Evidence<Proof> principal) {
        ChangeSeen change = seen.change();
        return withChange(
                seen,
                new ChangeSeen(
                        change.target(),
                        change.record(),
                        change.lease(),
                        principal,
                        change.understudy(),
                        change.trouble(),
                        change.understudyEnds()));
    }

    /** Whatever its containers do. */
    private static ComponentSeen asHealthy(ComponentSeen seen) {
        Evidence<List<PrincipalPod>> pods = seen.pods() instanceof Evidence.Known<List<PrincipalPod>>(var all)
                ? Evidence.known(all.stream()
                        .map(pod -> new PrincipalPod(pod.uid(), pod.name(), true, pod.terminating(), 0, pod.failed()))
                        .toList())
                : seen.pods();
        return new ComponentSeen(
                seen.role(),
                pods,
                seen.belongs(),
                seen.selected(),
                seen.switchedOff(),
                seen.elsewhere(),
                seen.leading(),
                Evidence.known(Running.RUNNING),
                seen.principal(),
                seen.manifest(),
                seen.understudyRuns(),
                seen.understudy(),
                seen.slots(),
                seen.outdated(),
                seen.material());
    }

    /** One is said to be ready on another node. */
    static ComponentSeen asThereIsAnotherOne(ComponentSeen seen) {
        return new ComponentSeen(
                seen.role(),
                seen.pods(),
                seen.belongs(),
                seen.selected(),
                seen.switchedOff(),
                Evidence.known(1),
                seen.leading(),
                seen.principalRuns(),
                seen.principal(),
                seen.manifest(),
                seen.understudyRuns(),
                seen.understudy(),
                seen.slots(),
                seen.outdated(),
                seen.material());
    }

    private static ComponentSeen changed(
            ComponentSeen seen, Evidence<List<PrincipalPod>> pods, Evidence<Boolean> belongs) {
        return new ComponentSeen(
                seen.role(),
                pods,
                belongs,
                seen.selected(),
                seen.switchedOff(),
                seen.elsewhere(),
                seen.leading(),
                seen.principalRuns(),
                seen.principal(),
                seen.manifest(),
                seen.understudyRuns(),
                seen.understudy(),
                seen.slots(),
                seen.outdated(),
                seen.material());
    }

    /** Whatever the API says of a pod or a template, without a field. */
    private static UnaryOperator<Json> dropping(String name) {
        return json -> switch (json) {
            case Json.Fields fields -> {
                Json.Fields kept = Json.object();
                for (var field : fields.values().entrySet()) {
                    boolean drops =
                            field.getKey().equals(name) && !fields.values().containsKey("resourceVersion");
                    kept = drops
                            ? kept
                            : kept.with(field.getKey(), dropping(name).apply(field.getValue()));
                }
                yield kept;
            }
            case Json.Items items -> Json.items(items.values().stream().map(dropping(name)));
            case Json.Text _, Json.Numeric _, Json.Bool _, Json.Null _ -> json;
        };
    }

    private static UnaryOperator<Json> renaming(String name, String to) {
        return json -> switch (json) {
            case Json.Fields fields -> {
                Json.Fields kept = Json.object();
                for (var field : fields.values().entrySet()) {
                    kept = field.getKey().equals(name)
                            ? kept.with(to, Json.object())
                            : kept.with(field.getKey(), renaming(name, to).apply(field.getValue()));
                }
                yield kept;
            }
            case Json.Items items -> Json.items(items.values().stream().map(renaming(name, to)));
            case Json.Text _, Json.Numeric _, Json.Bool _, Json.Null _ -> json;
        };
    }

    /** Pods and controllers as they are read and watched; lists keep their own field of items. */
    private static Api rewriting(Api api, UnaryOperator<Json> rewrite) {
        UnaryOperator<Json> spec = object -> {
            Json.Fields changed = (Json.Fields) object;
            for (String part : List.of("spec", "data")) {
                if (!String.valueOf(object.at("kind").text().orElse("")).matches("Secret|ConfigMap")
                        && !object.at(part).isNull()) {
                    changed = changed.with(part, rewrite.apply(object.at(part)));
                }
            }
            return changed;
        };
        Api reading = intercepting(Api.class, api, "get", (answer, _) -> {
            Json.Fields json = (Json.Fields) answer;
            return json.values().containsKey("items")
                    ? json.with(
                            "items",
                            Json.items(json.at("items").items().stream().map(spec)))
                    : spec.apply(json);
        });
        return intercepting(Api.class, reading, "watch", (answer, _) -> new Watch() {
            private final Watch watch = (Watch) answer;

            @Override
            public Optional<Event> next() throws ApiException {
                return watch.next()
                        .map(event ->
                                event instanceof Event.Put(Json object) ? new Event.Put(spec.apply(object)) : event);
            }

            @Override
            public void close() {
                watch.close();
            }
        });
    }

    /** What a method answered, and its first argument. */
    interface Interception {
        Object of(Object answer, Object argument) throws ApiException;
    }

    static <T> T intercepting(Class<T> type, T whom, String method, Interception interception) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (_, called, arguments) -> {
                    try {
                        Object answer = called.invoke(whom, arguments);
                        // A write answers nothing.
                        return called.getName().equals(method)
                                ? interception.of(answer == null ? "" : answer, arguments[0])
                                : answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
