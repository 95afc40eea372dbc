package dev.ouroboros.sim;

import static dev.ouroboros.sim.Blueprint.fields;
import static dev.ouroboros.sim.Blueprint.metadataOf;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The kubelet of the node with the habits that matter: static pods from files, whatever the API does; pods from the API as it saw them
 * last, none after its own start until an API server answered; back-off by the pod's uid, which for a static pod follows from its content;
 * a pod that it rejects because it has not read its Node's labels yet stays Failed, one that was being deleted until its containers are
 * collected; files of a principal can only be made while the API answers.
 */
final class Kubelet {
    static final Path MANIFESTS = Path.of("/etc/kubernetes/manifests");
    private static final Duration FIRST_BACK_OFF = Duration.ofSeconds(10);
    private static final Duration LONGEST_BACK_OFF = Duration.ofMinutes(5);
    /** Once in so many seconds (containerGCPeriod in pkg/kubelet). */
    private static final int GARBAGE_COLLECTION = 60;

    private static final Duration LIVENESS = Duration.ofSeconds(12);
    /** For the containers of a rejected pod under deletion: 93 s on 1.20.2 (PodResourcesAreReclaimed in pkg/kubelet waits for that). */
    private static final Duration COLLECTION = Duration.ofSeconds(90);

    private final Machine machine;
    private final Chance chance;
    private final Objects.Selector mine;
    private final SortedMap<String, PodRun> runs = new TreeMap<>();
    /** The runs as a list, which is needed many times per event. */
    private List<PodRun> list = List.of();

    /** What ran when the power was cut: the runtime has it on its disk. */
    private final Map<String, PodRun> remains = new HashMap<>();

    /** The runs of static pods whose manifests are gone, by uid, until they are garbage-collected. */
    private final Map<String, Ended> ended = new HashMap<>();

    /** When pods that failed while being deleted are removed, by path: pod names are not reused. */
    private final SortedMap<String, Instant> leftovers = new TreeMap<>();

    private final Map<String, Json.Fields> parsed = new HashMap<>();
    private SortedMap<String, Json.Fields> known = new TreeMap<>();
    private List<StaticPod> files = List.of();
    private long filesThen = -1;
    private long objectsThen = -1;
    private long mirrorsThen = -1;
    private List<PodRun> mirroredThen = List.of();
    private boolean reachedApi;
    private boolean joined;
    private Instant heartbeat = EventTimeline.BEGIN;
    private int rejects;

    Kubelet(Machine machine, Chance chance) {
        this.machine = machine;
        this.chance = chance;
        this.mine = new Objects.Selector("/api/v1/pods", Map.of("spec.nodeName", machine.name()), Map.of());
    }

    /** @param at when its container ended: the back-off of a new pod with the same uid counts from then on (doBackOff) */
    private record Ended(PodRun run, Instant at, Instant collectedAt) {}

    private record StaticPod(String uid, String namespace, String name, Json.Fields content) {}

    /** The pods of the runtime, static ones too. */
    List<PodRun> runs() {
        return list;
    }

    private void put(PodRun run) {
        runs.put(run.uid, run);
        list = List.copyOf(runs.values());
    }

    private void remove(PodRun run) {
        runs.remove(run.uid);
        list = List.copyOf(runs.values());
    }

    /** Everything ended and what was in memory is gone. */
    void losePower() {
        // Whoever holds one, as an election of leaders does, would have it live on.
        runs.values().forEach(run -> run.program.ifPresent(program -> program.endAt(machine.now())));
        runs.values().stream().filter(run -> run.attempts > 0).forEach(run -> remains.put(run.uid, run));
        runs.clear();
        list = List.of();
        restart();
    }

    /** Containers go on; what the kubelet knew of the API is gone. */
    void restart() {
        known = new TreeMap<>();
        reachedApi = false;
        ended.clear();
    }

    /** Whether the API has heard nothing of it for so long. */
    boolean isSilentFor(Duration bound) {
        return machine.now().isAfter(heartbeat.plus(bound));
    }

    /** From now on the kubelet has a certificate and its Node. */
    void join() {
        joined = true;
    }

    /** A certificate is signed while controllers work, and when the right to ask for one is there. */
    void askToJoin() {
        if (!joined && machine.kubeletReachesApi() && Blueprint.isPopulated(machine.objects())) {
            machine.say("kubelet", "joins");
            Blueprint.registerNode(machine.objects(), machine);
            joined = true;
        }
    }

    /** Takes over every pod as running already. */
    void adoptAll() {
        lookAtApi();
        desired().values().forEach(run -> {
            run.files = Mounts.ofPrincipal(run.pod, machine.objects()).orElseThrow();
            run.attempts = 1;
            run.program = Optional.of(machine.start(run));
            put(run);
        });
    }

    /** How often, of 100, a pod is rejected at the first look after a start. */
    void rejects(int often) {
        rejects = often;
    }

    void sync() {
        Instant now = machine.now();
        if (!joined && chance.of100(3)) {
            askToJoin();
        }
        boolean answers = joined && machine.kubeletReachesApi();
        if (answers) {
            heartbeat = now;
            if (machine.cluster().hasSeveral()) {
                Blueprint.setReady(machine.objects(), machine, "True");
            }
            lookAtApi();
            collect(now);
        }
        SortedMap<String, PodRun> desired = desired();
        for (PodRun run : runs()) {
            if (!desired.containsKey(run.uid) && (run.isStatic || reachedApi)) {
                terminate(run, now, Duration.ofSeconds(1));
            } else if (isLeaving(run)) {
                terminate(run, now, chance.seconds(2, 5));
            }
        }
        desired.values().forEach(wanted -> admit(wanted));
        for (PodRun run : runs()) {
            keepRunning(run, now, answers);
            if (run.killAt.isPresent() && !run.isRunning(now)) {
                remove(run);
                if (run.isStatic && run.attempts > 0) {
                    ended.put(run.uid, new Ended(run, now, now.plus(chance.seconds(1, GARBAGE_COLLECTION))));
                }
                if (answers && !run.isStatic && known.containsKey(run.uid)) {
                    machine.objects().remove(run.path);
                }
            }
        }
        if (answers) {
            report(now);
        }
    }

    private boolean isLeaving(PodRun run) {
        return Optional.ofNullable(known.get(run.uid))
                .filter(pod -> !pod.at("metadata", "deletionTimestamp").isNull())
                .isPresent();
    }

    private void terminate(PodRun run, Instant now, Duration grace) {
        if (run.killAt.isEmpty()) {
            Instant end = now.plus(grace);
            run.killAt = Optional.of(end);
            run.program.ifPresent(program -> program.endAt(end));
            machine.say("kubelet", "ends " + run.name);
        }
    }

    private void lookAtApi() {
        if (reachedApi && machine.objects().changes() == objectsThen) {
            return;
        }
        objectsThen = machine.objects().changes();
        known = new TreeMap<>();
        for (Json.Fields pod : machine.objects().list(mine)) {
            boolean mirror = !pod.at("metadata", "annotations", "kubernetes.io/config.mirror")
                    .isNull();
            boolean failed = pod.at("status", "phase").text().equals(Optional.of("Failed"));
            if (failed && !pod.at("metadata", "deletionTimestamp").isNull()) {
                leftovers.putIfAbsent(pathOf(pod), machine.now().plus(COLLECTION));
            }
            if (mirror || failed) {
                continue;
            }
            String uid = pod.at("metadata", "uid").text().orElseThrow();
            if (!reachedApi && chance.of100(rejects) && !runs.containsKey(uid)) {
                reject(pod);
            } else {
                known.put(uid, pod);
            }
        }
        reachedApi = true;
    }

    private void reject(Json.Fields pod) {
        machine.say("kubelet", "rejects " + pod.at("metadata", "name").text().orElse(""));
        machine.trace().count("habit: pod rejected");
        machine.objects().put(pathOf(pod), pod.with("status", fields("phase", "Failed", "reason", "NodeAffinity")));
    }

    private static String pathOf(Json.Fields pod) {
        return Blueprint.PODS.formatted(pod.at("metadata", "namespace").text().orElse(""))
                + pod.at("metadata", "name").text().orElse("");
    }

    private void collect(Instant now) {
        leftovers.entrySet().removeIf(leftover -> {
            boolean due = !now.isBefore(leftover.getValue());
            if (due) {
                machine.objects().remove(leftover.getKey());
            }
            return due;
        });
    }

    private SortedMap<String, PodRun> desired() {
        SortedMap<String, PodRun> desired = new TreeMap<>();
        for (StaticPod pod : files()) {
            desired.put(
                    pod.uid(),
                    new PodRun(pod.uid(), pod.namespace(), pod.name(), true, pod.content(), machine.wallClock()));
        }
        known.forEach((uid, pod) -> desired.put(
                uid,
                new PodRun(
                        uid,
                        pod.at("metadata", "namespace").text().orElse(""),
                        pod.at("metadata", "name").text().orElse(""),
                        false,
                        pod,
                        machine.now())));
        return desired;
    }

    /** Read again when one of them changed. */
    private List<StaticPod> files() {
        long changes = machine.disk().changesBelow(MANIFESTS);
        if (changes != filesThen) {
            filesThen = changes;
            files = machine.disk().list(MANIFESTS).stream()
                    .filter(file -> (file.endsWith(".json") || file.endsWith(".yaml")) && !file.startsWith("."))
                    .flatMap(file -> staticPod(file).stream())
                    .toList();
        }
        return files;
    }

    private Optional<StaticPod> staticPod(String file) {
        String text = machine.disk().readText(MANIFESTS.resolve(file)).orElse("");
        Json.Fields content = parsed.computeIfAbsent(text, Kubelet::parse);
        return content.at("metadata", "name")
                .text()
                .map(name -> new StaticPod(
                        "static-%08x".formatted(text.hashCode()),
                        content.at("metadata", "namespace").text().orElse("default"),
                        name + "-" + machine.name(),
                        content));
    }

    /** A kubelet reports a file that is no pod and leaves it alone. */
    private static Json.Fields parse(String text) {
        try {
            return JsonText.read(text) instanceof Json.Fields pod ? pod : Json.object();
        } catch (MalformedJson e) {
            return Json.object();
        }
    }

    /** One running pod per name: a static pod's next version waits until the last has ended. */
    private void admit(PodRun wanted) {
        boolean nameIsTaken = false;
        for (PodRun run : list) {
            nameIsTaken |= run.path.equals(wanted.path);
        }
        if (!nameIsTaken && !isLeaving(wanted)) {
            goOn(wanted);
            put(wanted);
        } else if (!runs.containsKey(wanted.uid) && isLeaving(wanted) && machine.kubeletReachesApi()) {
            machine.objects().remove(wanted.path);
        }
    }

    /** A pod whose sandbox lost its power gets a new one, and its restart count goes on; the same holds for a manifest that comes back. */
    private void goOn(PodRun wanted) {
        Optional.ofNullable(remains.remove(wanted.uid)).ifPresent(before -> goOn(wanted, before));
        Optional.ofNullable(ended.remove(wanted.uid))
                .filter(before -> machine.now().isBefore(before.collectedAt()))
                .ifPresent(before -> {
                    goOn(wanted, before.run());
                    wanted.crashesBefore = before.run().crashesBefore + before.run().attempts;
                    wanted.nextStart = Optional.of(before.at().plus(backOff(wanted.crashesBefore)));
                    machine.trace().count("habit: a manifest comes back");
                });
    }

    private static void goOn(PodRun wanted, PodRun before) {
        wanted.sandboxesBefore = before.sandboxesBefore + 1;
        wanted.startsBefore = before.startsBefore + before.attempts;
    }

    private void keepRunning(PodRun run, Instant now, boolean answers) {
        if (run.program
                .filter(program -> program.isProbed && program.isHungSince(now.minus(LIVENESS)))
                .isPresent()) {
            run.program.get().endAt(now);
            machine.trace().count("habit: liveness");
        }
        if (run.killAt.isPresent() || run.isRunning(now)) {
            return;
        }
        if (run.program.isPresent() && run.nextStart.isEmpty()) {
            run.nextStart = Optional.of(now.plus(backOff(run.crashesBefore + run.attempts)));
            machine.trace().count("habit: back-off");
        }
        if (run.nextStart.isPresent() && now.isBefore(run.nextStart.get())) {
            return;
        }
        Optional<SortedMap<String, String>> files = run.isStatic
                ? Mounts.ofStatic(run.pod, machine.disk())
                : answers ? Mounts.ofPrincipal(run.pod, machine.objects()) : Optional.empty();
        if (files.isEmpty()) {
            machine.trace().count("habit: volume cannot be made");
            return;
        }
        run.files = files.get();
        run.nextStart = Optional.empty();
        run.attempts++;
        run.program = Optional.of(machine.start(run));
    }

    /** A first start is immediate: back-off begins when a container is restarted (doBackOff in pkg/kubelet/kuberuntime). */
    private static Duration backOff(int attempts) {
        if (attempts <= 1) {
            return Duration.ZERO;
        }
        Duration pause = FIRST_BACK_OFF.multipliedBy(1L << Math.min(attempts - 2, 6));
        return pause.compareTo(LONGEST_BACK_OFF) < 0 ? pause : LONGEST_BACK_OFF;
    }

    private void report(Instant now) {
        for (PodRun run : runs()) {
            Optional<Json.Fields> there = machine.objects().get(run.path);
            if (there.isEmpty() && run.isStatic) {
                Json.Fields metadata =
                        metadataOf(run.pod).with("name", Json.text(run.name)).with("annotations", mirrored(run));
                there = Optional.of(run.pod
                        .with("metadata", metadata)
                        .with("spec", ((Json.Fields) run.pod.at("spec")).with("nodeName", Json.text(machine.name()))));
            }
            there.ifPresent(pod -> {
                Json.Fields status = status(run, now);
                if (!status.equals(pod.at("status"))) {
                    machine.objects().put(run.path, pod.with("status", status));
                }
            });
        }
        removeMirrors();
    }

    /** Deletes mirror pods of static pods that no longer run. */
    private void removeMirrors() {
        if (machine.objects().changes() == mirrorsThen && list.equals(mirroredThen)) {
            return;
        }
        List<String> gone = new ArrayList<>();
        machine.objects().below("/api/v1/namespaces/").forEach((path, object) -> {
            boolean mirror = path.contains("/pods/")
                    && object.at("spec", "nodeName").text().equals(Optional.of(machine.name()))
                    && !object.at("metadata", "annotations", "kubernetes.io/config.mirror")
                            .isNull();
            if (mirror && runs.values().stream().noneMatch(run -> run.path.equals(path))) {
                gone.add(path);
            }
        });
        gone.forEach(machine.objects()::remove);
        mirrorsThen = machine.objects().changes();
        mirroredThen = list;
    }

    private static Json.Fields mirrored(PodRun run) {
        Json.Fields annotations =
                run.pod.at("metadata", "annotations") instanceof Json.Fields known ? known : Json.object();
        return annotations
                .with("kubernetes.io/config.mirror", Json.text(run.uid))
                .with("kubernetes.io/config.source", Json.text("file"));
    }

    /** Built anew only when its content changes. */
    private Json.Fields status(PodRun run, Instant now) {
        boolean begun = run.attempts > 0;
        boolean runs = run.isRunning(now);
        boolean ready = run.isReady(now, machine.etcdAnswers());
        int restarts = run.restartCount();
        if (run.told.filter(told -> told.says(begun, runs, ready, restarts)).isEmpty()) {
            Json.Fields status = status(run, begun, runs, ready);
            run.told = Optional.of(new PodRun.Told(begun, runs, ready, restarts, status));
        }
        return run.told.get().status();
    }

    private static Json.Fields status(PodRun run, boolean begun, boolean runs, boolean ready) {
        Json.Fields container = fields(
                "name",
                run.pod.at("spec", "containers").items().stream()
                        .findFirst()
                        .flatMap(first -> first.at("name").text())
                        .orElse(""),
                "restartCount",
                run.restartCount());
        if (!runs) {
            String reason = begun ? "CrashLoopBackOff" : "ContainerCreating";
            container = container.with("state", fields("waiting", fields("reason", reason, "message", "")));
        }
        return fields(
                "phase",
                begun ? "Running" : "Pending",
                "conditions",
                List.of(fields("type", "Ready", "status", ready ? "True" : "False")),
                "containerStatuses",
                List.of(container));
    }
}
